# parameters: token first_block last_block
# %% [markdown]
# # Token flows
#
# How much of each token moved, when, and between whom. With `token` set, the last part shows that
# token; otherwise the one with most transfers.

# %% opening
# %% [markdown]
# ## Transfers

# %%
PART = """
    FROM token_transfers
    WHERE block_number BETWEEN coalesce($first_block, 0) AND coalesce($last_block, 9e18)
"""
part = {"first_block": first_block, "last_block": last_block}
first, last, transfers = ask(f"SELECT min(block_time), max(block_time), count(*) {PART}", **part).row(0)
bucket = bucket_for(first, last)
print(f"{transfers:,} transfers from {first} to {last}, shown by {bucket}.")

# %%
by_standard = ask(f"SELECT date_trunc('{bucket}', block_time) AS time, token_standard, count(*) AS transfers {PART} GROUP BY ALL ORDER BY ALL", **part)
finished(
    alt.Chart(by_standard).mark_area(interpolate="monotone", opacity=0.9).encode(
        x=over_time(),
        y=alt.Y("transfers:Q", title=f"transfers per {bucket}", axis=alt.Axis(format=",d")),
        color=colour("token_standard", "standard"),
    ),
    "Transfers by token standard",
)

# %% [markdown]
# ## Tokens

# %%
tokens = ask(f"""
    SELECT token_address, any_value(symbol) AS symbol, any_value(token_standard) AS token_standard, count(*) AS transfers,
      count(DISTINCT from_address) AS senders, count(DISTINCT to_address) AS recipients,
      sum(amount_double) FILTER (succeeded) AS moved {PART}
    GROUP BY token_address ORDER BY transfers DESC, token_address LIMIT 15
""", **part)
tokens

# %%
labelled = tokens.with_columns(
    (pl.col("symbol").fill_null("?") + " " + pl.col("token_address").map_elements(short, return_dtype=pl.String)).alias("name")
)
finished(
    alt.Chart(labelled).mark_bar().encode(
        x=alt.X("transfers:Q", axis=alt.Axis(format=",d")),
        y=alt.Y("name:N", title=None, sort="-x", axis=alt.Axis(labelLimit=240)),
        color=colour("token_standard", "standard"),
    ),
    "The busiest tokens",
    height=300,
)

# %% [markdown]
# ## One token

# %%
chosen = token or tokens.get_column("token_address").head(1).to_list()[0]
one = {**part, "token": chosen}
ONE = f"{PART} AND token_address = lower($token) AND succeeded IS NOT FALSE"
daily = ask(f"SELECT date_trunc('{bucket}', block_time) AS time, sum(amount_double) AS moved, count(*) AS transfers {ONE} GROUP BY ALL ORDER BY ALL", **one)
print(f"Token {chosen}: {daily['transfers'].sum():,} transfers.")
finished(
    alt.Chart(daily).mark_bar(color=COLOURS[2], width=bar_width(daily["time"])).encode(
        x=over_time(), y=alt.Y("moved:Q", title=f"amount per {bucket}", axis=alt.Axis(labelExpr=AMOUNT))
    ),
    f"Amount moved of {short(chosen)}",
    "Amounts are rounded for the chart; exact_total(amount_text) is exact",
)

# %%
net = ask(f"""
    WITH moves AS (
      SELECT to_address AS address, amount_double AS change {ONE}
      UNION ALL
      SELECT from_address, -amount_double {ONE}
    )
    SELECT address, label_of(address) AS label, sum(change) AS net FROM moves
    GROUP BY address HAVING abs(sum(change)) > 0 ORDER BY abs(net) DESC, address LIMIT 14
""", **one).with_columns(
    pl.coalesce("label", pl.col("address").map_elements(short, return_dtype=pl.String)).alias("name"),
    pl.when(pl.col("net") > 0).then(pl.lit("received more")).otherwise(pl.lit("sent more")).alias("side"),
)
finished(
    alt.Chart(net).mark_bar().encode(
        x=alt.X("net:Q", title="net flow", axis=alt.Axis(labelExpr=AMOUNT)),
        y=alt.Y("name:N", title=None, sort=alt.EncodingSortField("net", order="descending"), axis=alt.Axis(labelLimit=220)),
        color=alt.Color("side:N", title=None, scale=alt.Scale(domain=["received more", "sent more"], range=[COLOURS[2], COLOURS[3]])),
    ),
    f"Largest net flows of {short(chosen)}",
    height=320,
)
