# %%
import re

import altair as alt
import duckdb
import polars as pl

# Charts are images within the notebook, so that they need no network.
alt.renderers.enable("svg")
pl.Config.set_tbl_rows(25)
pl.Config.set_tbl_cols(12)
pl.Config.set_fmt_str_lengths(44)

lake = duckdb.connect(warehouse, read_only=True)
lake.execute("SET TimeZone = 'UTC'")
try:
    # DuckDB 1.5 can crash on LIMIT over some joins; other releases do not know this option.
    lake.execute("SET enable_caching_operators = false")
except duckdb.Error:
    pass

COLOURS = ["#3b6fb6", "#d9822b", "#3f9b6d", "#b5485d", "#7d62a8", "#8a7a5c", "#4aa5b8", "#9a9a9a"]
STATUSES = ["complete and reconciled", "complete", "provisional", "truncated", "depth_limited", "inconsistent", "failed"]
STATUS_COLOURS = ["#246b4b", "#3f9b6d", "#d9b22b", "#d9822b", "#8a7a5c", "#b5485d", "#7a1f2e"]


# Strings, comments, dollar quotes and quoted names keep their backticks; names in backticks do not.
SQL_TOKENS = re.compile(
    r"""(?![eE]')[^\W\d][\w$]*|[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\r\n]*"""
    r"""|/\*.*?\*/|\$([^\W\d]\w*)?\$.*?\$\1\$|`(?P<path>[^`]+)`(?P<dot>\.?)""",
    re.DOTALL,
)


def without_backticks(sql):
    """Names in backticks, as BigQuery writes them, in double quotes, without BigQuery's project."""

    def quoted(token):
        if token["path"] is None:
            return token[0]
        names = token["path"].removeprefix("bigquery-public-data.").split(".")
        if names == ["bigquery-public-data"] and token["dot"]:
            return ""
        return ".".join('"' + name.replace('"', '""') + '"' for name in names) + token["dot"]

    return SQL_TOKENS.sub(quoted, sql)


def ask(sql, **values):
    """The answer of one SELECT as a frame; `$name` in the SQL stands for a value."""
    return lake.execute(without_backticks(sql), values).pl()


# Labels are measured with another font than the reader's, which may be wider.
ROOM = {"left": 36, "top": 6, "right": 24, "bottom": 6}


def finished(chart, title, subtitle="", height=260):
    """A chart with its title, in the style of all charts here."""
    heading = alt.TitleParams(title, subtitle=subtitle or [], anchor="start", offset=12)
    return (
        chart.properties(width=680, height=height, title=heading)
        .configure(padding=ROOM)
        .configure_title(fontSize=16, subtitleFontSize=12, subtitleColor="#555")
        .configure_axis(labelFontSize=11, titleFontSize=12, gridColor="#e6e6e6", domainColor="#888")
        .configure_legend(labelFontSize=11, titleFontSize=12, orient="bottom", columns=4)
        .configure_view(stroke=None)
    )


def colour(field, title, **options):
    """Colours for the values of a column."""
    scale = alt.Scale(range=COLOURS)
    return alt.Color(f"{field}:N", title=title, scale=scale, **options)


# Amounts as 1.5k, 20M or 3B; small ones as they are.
AMOUNT = (
    "datum.value == 0 ? '0' : abs(datum.value) < 1 ? format(datum.value, '.3~g')"
    " : replace(format(datum.value, '.3~s'), 'G', 'B')"
)


def over_time(title=None, field="time"):
    """A horizontal axis of time in UTC."""
    return alt.X(f"{field}:T", title=title, scale=alt.Scale(type="utc"), axis=alt.Axis(labelOverlap=True))


def bar_width(times):
    """The width at which the bars of all times fill a chart [pixels]."""
    return max(2, min(60, 540 // max(1, times.n_unique())))


def status_scale(frame):
    """The colours of the statuses that occur."""
    found = [each for each in STATUSES if each in frame["status"].to_list()]
    return alt.Scale(domain=found, range=[STATUS_COLOURS[STATUSES.index(each)] for each in found])


def status_colour(frame):
    return alt.Color("status:N", title="status", scale=status_scale(frame), legend=alt.Legend(orient="bottom"))


def bucket_for(first, last):
    """The unit of time in which a range is well shown."""
    days = (last - first).days if first is not None and last is not None else 0
    return "hour" if days <= 4 else "day" if days <= 180 else "week" if days <= 1200 else "month"


def short(address):
    """An address that fits beside a chart."""
    return f"{address[:8]}…{address[-6:]}" if address and len(address) > 20 else str(address)


# %% [markdown]
# ## How complete is the data?
#
# A block outside of these ranges was never exported, and a status other than *complete* means that
# records may be missing.

# %%
coverage = ask("""
    SELECT dataset, axis, status, count(DISTINCT key) AS keys, min(from_block) AS from_block,
      max(to_block) AS to_block, max(read_at) AS read_at
    FROM coverage GROUP BY ALL ORDER BY axis, dataset, status
""")
coverage

# %%
spans = alt.Chart(coverage).mark_bar(height=12, strokeWidth=1.5).encode(
    x=alt.X("from_block:Q", title="block", scale=alt.Scale(zero=False), axis=alt.Axis(format=",d", tickCount=4, labelOverlap=True, labelSeparation=24)),
    x2="to_block:Q",
    y=alt.Y("dataset:N", title=None, sort=None, axis=alt.Axis(labelLimit=200)),
    color=status_colour(coverage),
    stroke=alt.Stroke("status:N", legend=None, scale=status_scale(coverage)),
)
rows = spans.properties(width=300).facet(
    column=alt.Column("axis:N", title=None, header=alt.Header(labelFontSize=13)), spacing=50
).resolve_scale(x="independent", y="independent")
rows.properties(title=alt.TitleParams("Exported blocks by dataset", anchor="start")).configure(padding=ROOM).configure_view(stroke=None)
