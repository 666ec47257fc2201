# parameters:
# %% [markdown]
# # A notebook of your own
#
# `ask` answers one SELECT as a polars frame. `SHOW TABLES` lists the views, and
# `windrow describe VIEW` explains one.

# %% opening
# %%
ask("SELECT table_name AS view, comment FROM duckdb_tables() WHERE schema_name = 'main' UNION ALL SELECT view_name, comment FROM duckdb_views() WHERE schema_name = 'main' AND NOT internal ORDER BY 1")

# %%
sample = ask("SELECT block_date, count(*) AS transactions FROM transactions GROUP BY ALL ORDER BY ALL")
finished(
    alt.Chart(sample).mark_bar(color=COLOURS[0]).encode(
        x=alt.X("block_date:O", timeUnit="utcyearmonthdate", title=None, axis=alt.Axis(labelAngle=0, labelOverlap=True, format="%-d %b %Y")), y=alt.Y("transactions:Q", axis=alt.Axis(format=",d"))
    ),
    "Transactions per day",
)
