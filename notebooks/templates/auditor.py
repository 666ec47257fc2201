# parameters:
# %% [markdown]
# # For an auditor
#
# How much of the lake a node of the chain agrees with, where the two differ, and the certificate
# that states the rows. `windrow certify verify` checks a certificate against this lake and a node.

# %% opening
# %% [markdown]
# ## Balances against a node
#
# Opening balance and movements of the ledger against the closing balance, by address and asset.

# %%
results = ask("SELECT asset_kind, verdict, count(*) AS results FROM reconciliations GROUP BY ALL ORDER BY ALL")
VERDICTS = ["agrees", "explained", "not_checked", "differs"]
finished(
    alt.Chart(results).mark_bar().encode(
        x=alt.X("results:Q", title="addresses and assets", axis=alt.Axis(format=",d")),
        y=alt.Y("asset_kind:N", title=None),
        color=alt.Color("verdict:N", scale=alt.Scale(domain=VERDICTS, range=["#3f9b6d", "#3b6fb6", "#d9b22b", "#b5485d"])),
    ),
    "Newest verdict of each address and asset",
    height=200,
)

# %%
ask("""
    SELECT address, asset_kind, token_address, token_id, verdict, cause, from_block, to_block, expected, closing, difference, witness, read_at
    FROM reconciliations WHERE verdict <> 'agrees' ORDER BY verdict = 'differs' DESC, address, asset_kind LIMIT 100
""")

# %% [markdown]
# ## Movements that differ

# %%
ask("""
    SELECT block_number, tx_hash, address, asset_kind, token_address, what, leg, amount, ledger_amount, ledger_block, verdict
    FROM reconciliation_findings ORDER BY verdict = 'differs' DESC, block_number LIMIT 100
""")

# %% [markdown]
# ## Proof of the exported blocks
#
# *reconciled*: balances of a node agree. *corroborated*: a second list of the same records agrees.
# *walk*: the list of the service alone says so.

# %%
proofs = ask("""
    SELECT dataset, coalesce(evidence, status) AS evidence, sum(blocks)::BIGINT AS blocks
    FROM coverage WHERE key_kind IN ('address', 'all') GROUP BY ALL ORDER BY ALL
""")
finished(
    alt.Chart(proofs).mark_bar().encode(
        x=alt.X("blocks:Q", stack="normalize", title="share of the requested blocks of all keys", axis=alt.Axis(format="%")),
        y=alt.Y("dataset:N", title=None, axis=alt.Axis(labelLimit=200)),
        color=colour("evidence", None),
    ),
    "Evidence of complete blocks, and other statuses",
    height=240,
)

# %% [markdown]
# ## Certificate

# %%
import json
from pathlib import Path

file = Path(warehouse).parent / "exports" / "certificate.json"
certificate = json.loads(file.read_text()) if file.exists() else None
if certificate is None:
    print(f"There is no {file}: windrow certify --key FILE writes it.")
else:
    print(f"Signed with {certificate['publicKey']} at {certificate['issuedAt']}, blocks {certificate['ranges']}.")

# %%
pl.DataFrame([{name: table[name] for name in ("name", "rows", "root")} for table in (certificate or {"tables": []})["tables"]])
