# parameters: first_block last_block
# %% [markdown]
# # Cross-chain journeys
#
# Transfers between the primary chain and the zone chain, with both of their legs: how many, how
# fast, and which of them lack a leg. The range of blocks is one of the primary chain.

# %% opening
# %% [markdown]
# ## Journeys

# %%
PART = """
    FROM cross_chain_journeys
    WHERE (main_block_number IS NULL AND $first_block IS NULL AND $last_block IS NULL)
      OR main_block_number BETWEEN coalesce($first_block, 0) AND coalesce($last_block, 9e18)
"""
part = {"first_block": first_block, "last_block": last_block}
journeys = ask(f"SELECT * {PART} ORDER BY departed_at, zone_tx_hash", **part)
print(f"{journeys.height:,} journeys from {journeys['departed_at'].min()} to {journeys['departed_at'].max()}.")
journeys.select("direction", "departed_at", "arrived_at", "latency_seconds", "amount_text", "token_name", "cross_status").head(10)

# %%
summary = ask(f"""
    SELECT direction, cross_status, count(*) AS journeys, quantile_cont(latency_seconds, 0.5) AS median_seconds,
      quantile_cont(latency_seconds, 0.95) AS p95_seconds, count_if(NOT main_leg_found) AS without_main_leg,
      count_if(NOT zone_leg_found) AS without_zone_leg
    FROM (SELECT * {PART}) GROUP BY ALL ORDER BY ALL
""", **part)
summary

# %%
timed = journeys.filter(pl.col("latency_seconds").is_not_null()).select("direction", "latency_seconds", "departed_at")
finished(
    alt.Chart(timed).mark_bar(opacity=0.9).encode(
        x=alt.X("latency_seconds:Q", bin=alt.Bin(maxbins=30), title="seconds between the two legs", axis=alt.Axis(format="~g", labelOverlap=True)),
        y=alt.Y("count():Q", title="journeys"),
        color=colour("direction", "direction"),
    ),
    "How long journeys take",
)

# %%
finished(
    alt.Chart(timed).mark_circle(size=50, opacity=0.75).encode(
        x=over_time("departure", "departed_at"),
        y=alt.Y("latency_seconds:Q", title="seconds"),
        color=colour("direction", "direction"),
    ),
    "Latency by time of departure",
)

# %%
moved = journeys.group_by("token_name", "direction").agg(pl.len().alias("journeys")).with_columns(pl.col("token_name").fill_null("native"))
finished(
    alt.Chart(moved).mark_bar().encode(
        x=alt.X("journeys:Q", axis=alt.Axis(format=",d", tickMinStep=1)),
        y=alt.Y("token_name:N", title=None, sort="-x", axis=alt.Axis(labelLimit=220)),
        color=colour("direction", "direction"),
    ),
    "Journeys by token",
    height=200,
)

# %% [markdown]
# ## Journeys without a leg

# %%
journeys.filter(~pl.col("main_leg_found") | ~pl.col("zone_leg_found")).select(
    "zone_tx_hash", "main_tx_hash", "direction", "main_unmatched", "zone_unmatched", "coverage_status"
).head(20)
