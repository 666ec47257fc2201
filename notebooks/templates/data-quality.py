# parameters:
# %% [markdown]
# # Data quality
#
# How complete the lake is, how fresh, and what its runs did. `windrow check` searches the records
# themselves for contradictions.

# %% opening
# %%
by_status = ask("""
    SELECT dataset, status, sum(blocks - coalesce(reconciled_to - from_block + 1, 0))::BIGINT AS blocks FROM coverage GROUP BY ALL
    UNION ALL
    SELECT dataset, 'complete and reconciled', sum(reconciled_to - from_block + 1)::BIGINT FROM coverage WHERE reconciled_to IS NOT NULL GROUP BY ALL
""")
finished(
    alt.Chart(by_status).mark_bar().encode(
        x=alt.X("blocks:Q", stack="normalize", title="share of the requested blocks of all keys", axis=alt.Axis(format="%")),
        y=alt.Y("dataset:N", title=None, axis=alt.Axis(labelLimit=200)),
        color=status_colour(by_status),
    ),
    "Status of the requested blocks",
    height=240,
)

# %%
ask("""
    SELECT dataset, endpoint, key_kind, status, reason, count(*) AS intervals, min(from_block) AS from_block, max(to_block) AS to_block
    FROM coverage WHERE status <> 'complete' GROUP BY ALL ORDER BY intervals DESC LIMIT 25
""")

# %% [markdown]
# ## Rows per block range

# %%
density = ask("""
    WITH counted AS (
      SELECT 'transactions' AS dataset, block_number FROM transactions
      UNION ALL SELECT 'internal_transactions', block_number FROM internal_transactions
      UNION ALL SELECT 'token_transfers', block_number FROM token_transfers
    ), edges AS (SELECT min(block_number) AS low, greatest(1, (max(block_number) - min(block_number)) // 60) AS step FROM counted)
    SELECT dataset, low + (block_number - low) // step * step AS block, count(*) AS rows
    FROM counted, edges GROUP BY ALL ORDER BY ALL
""")
alt.Chart(density).mark_line(strokeWidth=1.5).encode(
    x=alt.X("block:Q", title="block", scale=alt.Scale(zero=False), axis=alt.Axis(format=",d")),
    y=alt.Y("rows:Q", title=None, axis=alt.Axis(tickCount=4)),
    color=colour("dataset", None, legend=None),
).properties(width=680, height=90).facet(
    row=alt.Row("dataset:N", title=None, header=alt.Header(labelAngle=0, labelAlign="left", labelOrient="top", labelFontSize=12))
).resolve_scale(y="independent").properties(
    title=alt.TitleParams("Rows along the chain: sudden steps need an explanation", anchor="start")
).configure_view(stroke=None).configure_axis(gridColor="#e6e6e6")

# %% [markdown]
# ## Blocks whose counts disagree

# %%
ask("""
    SELECT axis, count(*) AS blocks, count_if(agrees) AS agree, count_if(NOT agrees) AS disagree
    FROM blocks_reconciled GROUP BY axis ORDER BY axis
""")

# %% [markdown]
# ## Records in quarantine

# %%
ask("SELECT state, dataset, reason, count(*) AS records FROM quarantine GROUP BY ALL ORDER BY records DESC LIMIT 20")

# %% [markdown]
# ## Runs

# %%
ask("SELECT run, pipeline, started_at, seconds, exit, requests, rejections, rows, quarantined, errors_found FROM runs ORDER BY started_at DESC LIMIT 20")
