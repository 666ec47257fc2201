# parameters: address
# %% [markdown]
# # Seventeen questions of an analyst
#
# Each question is one short query over the views; sql/examples has longer forms with comments. The
# last cell shows how long each took.

# %% opening
# %%
import time

spent = []


def question(number, sql, **values):
    """The answer to a question; its CPU seconds are kept."""
    before = time.process_time()
    answer = ask(sql, **values)
    spent.append({"question": number, "rows": answer.height, "cpu_seconds": round(time.process_time() - before, 3)})
    return answer


# %% [markdown]
# ## 1. Net flow of one token per address and month
#
# The token with most transfers, and addresses that were asked for by name: others have the legs of
# whole exported blocks alone.

# %%
busiest = ask("SELECT token_address, max(symbol) AS symbol FROM token_transfers WHERE token_standard = 'token_20' GROUP BY ALL ORDER BY count(*) DESC LIMIT 1")
token, symbol = busiest.row(0) if busiest.height else (None, None)
flows = question(1, """
    SELECT date_trunc('month', block_date) AS month, address, label, exact_sum(signed_text) AS net, fsum(signed_double) AS net_double
    FROM address_activity WHERE followed AND leg = 'token' AND token_address = $token GROUP BY ALL ORDER BY month, abs(net_double) DESC
""", token=token)
flows

# %%
first = flows.filter(pl.col("month") == pl.col("month").min())
named = first.head(15).with_columns(pl.coalesce("label", pl.col("address").map_elements(short, return_dtype=pl.String)).alias("name"))
finished(
    alt.Chart(named).mark_bar().encode(
        x=alt.X("net_double:Q", title=f"net flow [{symbol}]", axis=alt.Axis(labelExpr=AMOUNT)),
        y=alt.Y("name:N", title=None, sort=named["name"].to_list(), axis=alt.Axis(labelLimit=220)),
        color=alt.condition("datum.net_double < 0", alt.value(COLOURS[3]), alt.value(COLOURS[2])),
    ),
    "Net flow of the busiest token",
    "The largest gains and losses of followed addresses in the first month",
    height=320,
)

# %% [markdown]
# ## 2. The ledger of an address with its running balance, in checksum case, too

# %%
question(2, "SELECT block_number, leg, direction, symbol, signed_text, balance_double FROM ledger_of($address) ORDER BY block_number LIMIT 10", address=address)

# %%
ask("SELECT count(*) AS entries, (SELECT count(*) FROM ledger_of(upper($address))) AS entries_in_capitals FROM ledger_of($address)", address=address)

# %% [markdown]
# ## 3. The largest counterparties of an address, in both directions

# %%
question(3, """
    SELECT counterparty, counterparty_label, symbol, received_text, sent_text, unknown_legs
    FROM counterparties WHERE address = lower($address) AND axis = 'primary' AND token_address IS NULL
    ORDER BY received_double + sent_double DESC LIMIT 10
""", address=address)

# %% [markdown]
# ## 4. Internal calls of failed transactions

# %%
question(4, """
    SELECT block_number, tx_hash, operation, internal_transactions.amount_text
    FROM internal_transactions JOIN transactions USING (block_number, tx_hash) WHERE NOT transactions.succeeded
""")

# %% [markdown]
# ## 5. Latency of cross-chain transfers by hour

# %%
latency = question(5, """
    SELECT date_trunc('hour', departed_at) AS time, direction, count(*) AS transfers,
      median(latency_seconds) AS median, quantile_cont(latency_seconds, 0.95) AS p95
    FROM cross_chain_journeys WHERE succeeded AND latency_seconds IS NOT NULL GROUP BY ALL ORDER BY ALL
""")
latency

# %%
finished(
    alt.Chart(latency.unpivot(["median", "p95"], index=["time", "direction"], variable_name="share", value_name="seconds"))
    .mark_bar()
    .encode(
        x=alt.X("direction:N", title=None, axis=alt.Axis(labelAngle=0)),
        xOffset="share:N",
        y=alt.Y("mean(seconds):Q", title="latency [s]"),
        color=colour("share", None),
    ),
    "Latency of cross-chain transfers",
    "Median and 95th percentile by direction, averaged over the hours",
)

# %% [markdown]
# ## 6. Gas spent per day by the followed addresses
#
# A day of a sender is left out of a sum where the gas or the fee of one of its transactions is in
# no list.

# %%
question(6, "SELECT day, sum(gas_used) AS gas, fsum(fees_double) AS fees FROM fees_daily WHERE followed GROUP BY day ORDER BY day")

# %% [markdown]
# ## 7. NFTs that an address holds now
#
# `is_held` is NULL where the exported transfers do not decide it.

# %%
question(7, "SELECT symbol, token_id, amount_text, is_held, opening FROM nft_holdings WHERE address = lower($address) AND is_held IS NOT FALSE ORDER BY is_held NULLS LAST, symbol, token_id", address=address)

# %% [markdown]
# ## 8. Activity with labels from the own CSV
#
# Labels come from the column `label` of the address file. Legs of unknown amount are in no sum.

# %%
question(8, "SELECT label, leg, count(*) AS entries, count(*) FILTER (signed_text IS NULL) AS unknown_legs, fsum(signed_double) AS net FROM address_activity WHERE label IS NOT NULL AND token_address IS NULL GROUP BY ALL ORDER BY ALL")

# %% [markdown]
# ## 9. Token transfers by status of their transaction
#
# Where no list states the status, it is NULL: failed transactions leave no transfers.

# %%
question(9, "SELECT token_standard, tx_status, count(*) AS transfers FROM token_transfers GROUP BY ALL ORDER BY ALL")

# %% [markdown]
# ## 10. Activity of an address on the zone chain

# %%
question(10, """
    SELECT block_time, leg, direction, counterparty, amount_text, succeeded
    FROM address_activity WHERE axis = 'zone' AND address = lower($address) ORDER BY block_number
""", address=address)

# %% [markdown]
# ## 11. Which data is incomplete, and which blocks of an address can be trusted
#
# An address that was never asked for has no range.

# %%
question(11, "SELECT dataset, status, reason, count(*) AS intervals FROM coverage WHERE status <> 'complete' GROUP BY ALL ORDER BY ALL")

# %%
ask("SELECT 'this address' AS who, * FROM complete_ranges($address) UNION ALL SELECT 'never requested', * FROM complete_ranges($other)", address=address, other="0x" + "1" * 40)

# %% [markdown]
# ## 12. The busiest hour of the day in Europe/Berlin

# %%
question(12, """
    SELECT hour(block_time AT TIME ZONE 'Europe/Berlin') AS hour, count(*) AS transactions
    FROM transactions GROUP BY hour ORDER BY transactions DESC LIMIT 5
""")

# %% [markdown]
# ## 13. Percentiles of the gas price per day

# %%
prices = question(13, """
    SELECT block_date AS day, quantile_disc(gas_price, [0.1, 0.5, 0.9]) AS wei
    FROM transactions WHERE gas_price IS NOT NULL GROUP BY day ORDER BY day
""")
prices

# %%
gwei = prices.select(
    "day",
    *[(pl.col("wei").list.get(place).cast(pl.Float64) / 1e9).alias(name) for place, name in enumerate(["p10", "p50", "p90"])]
)
band = alt.Chart(gwei).mark_bar(color=COLOURS[0], opacity=0.35, width=40).encode(
    x=alt.X("day:O", title=None, timeUnit="utcyearmonthdate", axis=alt.Axis(labelAngle=0)),
    y=alt.Y("p10:Q", title="gas price [gwei]", scale=alt.Scale(zero=False)),
    y2="p90:Q",
)
middle = alt.Chart(gwei).mark_tick(color=COLOURS[1], thickness=3, width=40).encode(x=alt.X("day:O", timeUnit="utcyearmonthdate"), y="p50:Q")
finished(band + middle, "Gas price per day", "From the 10th to the 90th percentile, with the median")

# %% [markdown]
# ## 14. When each address was first seen

# %%
question(14, "SELECT address, label, min(block_time) AS first_seen FROM address_activity WHERE followed GROUP BY ALL ORDER BY first_seen")

# %% [markdown]
# ## 15. Failure rate by method

# %%
question(15, """
    SELECT method_name, method_id, count(succeeded) AS known, round(100 * avg(CAST(NOT succeeded AS INT)), 2) AS failed_percent
    FROM transactions GROUP BY ALL ORDER BY failed_percent DESC
""")

# %% [markdown]
# ## 16. A query with the column names of Etherscan

# %%
question(16, """
    SELECT "blockNumber", hash, "from", "to", value / 1e18 AS ether, "isError"
    FROM etherscan.txlist WHERE "from" = lower($address) ORDER BY "blockNumber" LIMIT 10
""", address=address)

# %% [markdown]
# ## 17. The total amount of a token that moved, exactly and as a number

# %%
question(17, "SELECT token_address, max(symbol) AS symbol, exact_sum(amount_text) AS exact, sum(amount_double) AS rounded FROM token_transfers WHERE token_standard = 'token_20' AND succeeded IS DISTINCT FROM false GROUP BY token_address ORDER BY symbol")

# %% [markdown]
# ## How long each question took

# %%
slow = [each["question"] for each in spent if each["cpu_seconds"] > 1]
print(f"{len(spent)} questions, {len(slow)} of them above one CPU second.")
pl.DataFrame(spent)
