# parameters: top
# %% [markdown]
# # Holders
#
# The newest ranking of holders of the native token: how amounts are spread, and who holds most.

# %% opening
# %% [markdown]
# ## The ranking

# %%
holders = ask("SELECT * EXCLUDE (amount) FROM native_holders ORDER BY holder_rank, holder_address")
if holders.height == 0:
    print("No ranking of holders was exported: see the dataset native_holders of a pipeline.")
else:
    print(f"{holders.height:,} holders as of block {holders['as_of_block'].max():,}.")
holders.select("holder_rank", "holder_address", "label", "amount_text", "coverage_status").head(top)

# %%
largest = holders.head(top).with_columns(
    pl.coalesce("label", pl.col("holder_address").map_elements(short, return_dtype=pl.String)).alias("name")
)
finished(
    alt.Chart(largest).mark_bar(color=COLOURS[0]).encode(
        x=alt.X("amount_double:Q", title="amount", axis=alt.Axis(labelExpr=AMOUNT)),
        y=alt.Y("name:N", title=None, sort=alt.EncodingSortField("holder_rank", order="ascending"), axis=alt.Axis(labelLimit=220)),
    ),
    f"The {largest.height} largest holders",
    height=max(120, 18 * largest.height),
)

# %% [markdown]
# ## Concentration

# %%
ranked = holders.select("holder_rank", "amount_double").sort("holder_rank").with_columns(
    (pl.col("amount_double").cum_sum() / pl.col("amount_double").sum()).alias("share"),
    (pl.int_range(1, pl.len() + 1) / pl.len()).alias("holders"),
)
thinned = ranked.gather_every(max(1, ranked.height // 400))
finished(
    alt.Chart(thinned).mark_area(color=COLOURS[0], opacity=0.35, line={"color": COLOURS[0]}).encode(
        x=alt.X("holders:Q", title="share of the ranked holders, largest first", axis=alt.Axis(format="%")),
        y=alt.Y("share:Q", title="share of their amount", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1])),
    ),
    "How concentrated the amounts are",
    "A straight diagonal would mean that all hold the same",
)

# %%
finished(
    alt.Chart(ranked.filter(pl.col("amount_double") > 0).with_columns(pl.col("amount_double").log10().floor().alias("power")).group_by("power").len().sort("power").with_columns(
        ("10^" + pl.col("power").cast(pl.Int32).cast(pl.String)).alias("size"))).mark_bar(color=COLOURS[2]).encode(
        x=alt.X("size:O", title="amount held, at least", sort=alt.EncodingSortField("power")),
        y=alt.Y("len:Q", title="holders", axis=alt.Axis(format=",d")),
    ),
    "Holders by the size of their holding",
    height=200,
)
