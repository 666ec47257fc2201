# parameters: address first_block last_block
# %% [markdown]
# # Address report
#
# Activity, balances, counterparties and fees of one address. Change the parameters and run all
# cells again, or let papermill do so.

# %% opening
# %%
ranges = ask("FROM complete_ranges($address)", address=address)
print(f"Complete ranges of {address}" if ranges.height else f"{address} was not requested by name: its records may be missing.")
ranges

# %% [markdown]
# ## Activity

# %%
PART = """
    FROM address_activity
    WHERE address = lower($address)
      AND (axis <> 'primary' OR block_number BETWEEN coalesce($first_block, 0) AND coalesce($last_block, 9e18))
"""
part = {"address": address, "first_block": first_block, "last_block": last_block}
first, last, rows_found = ask(f"SELECT min(block_time), max(block_time), count(*) {PART}", **part).row(0)
bucket = bucket_for(first, last)
print(f"{rows_found:,} entries from {first} to {last}, shown by {bucket}.")

# %%
activity = ask(f"SELECT date_trunc('{bucket}', block_time) AS time, leg, count(*) AS entries {PART} GROUP BY ALL ORDER BY ALL", **part)
finished(
    alt.Chart(activity).mark_bar(width=bar_width(activity["time"])).encode(
        x=over_time(),
        y=alt.Y("entries:Q", title=f"entries per {bucket}", axis=alt.Axis(format=",d")),
        color=colour("leg", "kind"),
    ),
    "Entries of the ledger over time",
    "Each entry is a value, a fee, an internal, token, zone or cross-chain movement",
)

# %% [markdown]
# ## Running sums
#
# Sums start at 0 before the first exported block: they are balances only where the data begins with
# the address's first block.

# %%
flows = ask(f"""
    SELECT date_trunc('{bucket}', block_time) AS time,
      coalesce(any_value(symbol), token_address, 'native') AS token,
      sum(signed_double) AS change, count(*) AS entries {PART}
      AND signed_double IS NOT NULL AND coalesce(token_standard, '') NOT IN ('token_721', 'token_1155')
    GROUP BY date_trunc('{bucket}', block_time), token_address
""", **part)
largest = flows.group_by("token").agg(pl.col("entries").sum()).sort("entries", descending=True)["token"].head(4)
running = (
    flows.filter(pl.col("token").is_in(largest.to_list()))
    .sort("time")
    .with_columns(pl.col("change").cum_sum().over("token").alias("running_sum"))
)
lines = alt.Chart(running).mark_line(interpolate="step-after", strokeWidth=2).encode(
    x=over_time(),
    y=alt.Y("running_sum:Q", title=None, axis=alt.Axis(labelExpr=AMOUNT, tickCount=4)),
    color=colour("token", None, legend=None),
).properties(width=320, height=150)
lines.facet(
    facet=alt.Facet("token:N", title=None, sort=largest.to_list(), header=alt.Header(labelFontSize=12, labelLimit=300)),
    columns=2,
).resolve_scale(y="independent").properties(
    title=alt.TitleParams("Running sum of the four busiest tokens", anchor="start")
).configure_view(stroke=None).configure_axis(gridColor="#e6e6e6")

# %% [markdown]
# ## Counterparties

# %%
counterparties = ask(f"""
    SELECT counterparty, any_value(counterparty_label) AS label, direction, count(*) AS entries {PART}
      AND counterparty IS NOT NULL AND counterparty <> ''
    GROUP BY counterparty, direction
""", **part)
busiest = counterparties.group_by("counterparty").agg(pl.col("entries").sum().alias("all")).sort(["all", "counterparty"], descending=[True, False]).head(12)
named = busiest.join(counterparties, on="counterparty", maintain_order="left").with_columns(
    pl.coalesce("label", pl.col("counterparty").map_elements(short, return_dtype=pl.String)).alias("name")
)
finished(
    alt.Chart(named).mark_bar().encode(
        x=alt.X("entries:Q", title="entries", axis=alt.Axis(format=",d")),
        y=alt.Y("name:N", title=None, sort=named["name"].unique(maintain_order=True).to_list(), axis=alt.Axis(labelLimit=220)),
        color=colour("direction", "direction"),
    ),
    "The twelve busiest counterparties",
    "in: received by the address, out: sent by it",
    height=300,
)

# %% [markdown]
# ## Fees

# %%
fees = ask(f"""
    SELECT date_trunc('{bucket}', block_time) AS time, sum(amount_double) AS fees, count(*) AS transactions {PART}
      AND leg = 'fee' GROUP BY ALL ORDER BY ALL
""", **part)
print(f"{fees['fees'].sum() or 0:,.6f} in total, for {fees['transactions'].sum():,} transactions.")
finished(
    alt.Chart(fees).mark_bar(color=COLOURS[1], width=bar_width(fees["time"])).encode(
        x=over_time(), y=alt.Y("fees:Q", title=f"fees per {bucket}", axis=alt.Axis(labelExpr=AMOUNT))
    ),
    "Fees paid",
    height=180,
)

# %% [markdown]
# ## The newest entries

# %%
ask(f"""
    SELECT block_time, leg, direction, counterparty, symbol, amount_text, tx_status, tx_hash {PART}
    ORDER BY block_time DESC, tx_hash, leg LIMIT 20
""", **part)
