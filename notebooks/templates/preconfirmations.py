# parameters:
# %% [markdown]
# # Preconfirmations
#
# How much time preconfirmed transactions gain, how many are dropped, and how healthy the capture of
# the stream is. docs/stream.md explains the states and the outcomes.

# %% opening
# %%
outcomes = ask("""
    SELECT outcome, count(*) AS transactions, round(median(seconds_gained), 3) AS median_seconds
    FROM preconfirmations GROUP BY outcome ORDER BY transactions DESC, outcome
""")
if outcomes.height == 0:
    print("No preconfirmed transaction has landed: run a pipeline with a stream, with --for 10m.")
outcomes

# %% [markdown]
# ## Seconds gained
#
# From the first fragment with a transaction to the time of its block. Blocks of a simulated chain
# have made-up times.

# %%
gained = ask("""
    SELECT round(seconds_gained, 1) AS seconds, outcome, count(*) AS transactions
    FROM preconfirmations WHERE seconds_gained IS NOT NULL GROUP BY ALL ORDER BY ALL
""")
finished(
    alt.Chart(gained).mark_bar().encode(
        x=alt.X("seconds:Q", title="seconds gained"),
        y=alt.Y("transactions:Q", axis=alt.Axis(format=",d")),
        color=colour("outcome", "outcome"),
    ),
    "Time from the preconfirmation to the block",
)

# %% [markdown]
# ## Dropped, replaced and moved
#
# These transactions were announced, and their block has landed without them.

# %%
ask("""
    SELECT first_seen, block_number, outcome, settled_block, replaced_by, from_address, tx_hash
    FROM preconfirmations WHERE outcome IN ('dropped', 'replaced', 'moved')
    ORDER BY first_seen DESC, tx_hash LIMIT 20
""")

# %% [markdown]
# ## Health of the capture

# %%
health = ask("FROM stream_health ORDER BY hour")
finished(
    alt.Chart(health).mark_bar(width=bar_width(health["hour"])).encode(
        x=over_time(field="hour"),
        y=alt.Y("messages:Q", title="messages per hour", axis=alt.Axis(format=",d")),
    ),
    "Messages received",
    height=180,
)

# %%
health

# %%
ask("""
    SELECT reason, count(*) AS gaps,
      round(sum(epoch(to_time - from_time)) FILTER (WHERE reason <> 'missing'), 1) AS seconds
    FROM preconf_gaps GROUP BY reason ORDER BY gaps DESC, reason
""")

# %%
ask("SELECT state, count(*) AS payloads, sum(tx_count) AS transactions FROM preconf_payloads GROUP BY state ORDER BY payloads DESC, state")
