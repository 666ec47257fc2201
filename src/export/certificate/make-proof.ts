import { Fault } from '../../fault.ts';
import type { OpenWarehouse } from '../../load/query/stream.ts';
import { certifiedRows, LEAF, ROW, treeOf } from './certified-rows.ts';
import { type Certificate, type InclusionProof, PROOF_FORMAT } from './format.ts';
import { MerkleTree, subtreesBeside } from './merkle-tree.ts';

/**
 * Proves that a row is among those of a certificate: the one row of the table that meets the
 * condition in SQL. Equal rows count as one. Throws Fault('usage') for an unknown table, for no row
 * or several ones, and if the lake has other rows than the certificate.
 */
export async function makeProof(
  warehouse: OpenWarehouse,
  certificate: Certificate,
  { table: tableName, where }: { readonly table: string; readonly where: string },
): Promise<InclusionProof> {
  const table = certificate.tables.find(({ name }) =>
    [tableName, `curated.${tableName}`].includes(name),
  );
  if (table === undefined) {
    const names = certificate.tables.map(({ name }) => name.replace(/^curated\./, ''));
    throw new Fault('usage', `The certificate has no table ${JSON.stringify(tableName)}.`, {
      advice: `Give --table with one of ${names.join(', ')}.`,
    });
  }
  const chosen = await certifiedRows(warehouse, table, certificate, where);
  const [count, leaf, text] = await chosen.measure(
    `count(DISTINCT ${LEAF}), any_value(${LEAF}), any_value(${ROW})`,
  );
  if (count !== 1n) {
    throw new Fault('usage', `${count} rows of ${table.name} meet the condition, not one.`, {
      where,
      advice: `Give a condition that one row meets, e.g. "tx_hash = '0x...'".`,
    });
  }
  const rows = await certifiedRows(warehouse, table, certificate);
  const [before] = await rows.measure(`count(*) FILTER (${LEAF} < '${leaf}')`);
  const index = Number(before);
  const beside = subtreesBeside(index, table.rows).map((subtree) => {
    return { ...subtree, tree: new MerkleTree() };
  });
  const byHeight = beside.toSorted((a, b) => a.first - b.first);
  let at = 0;
  const tree = await treeOf(rows, (leaf, place) => {
    if (place === index) return;
    while (place >= (byHeight[at]?.first ?? 0) + (byHeight[at]?.leaves ?? 0)) at += 1;
    byHeight[at]?.tree.add(leaf);
  });
  if (tree.root() !== table.root) {
    throw new Fault('usage', `The lake has other rows of ${table.name} than the certificate.`, {
      advice: 'Use the lake that was certified, or certify this one.',
    });
  }
  return {
    format: PROOF_FORMAT,
    certificate,
    table: table.name,
    row: JSON.parse(String(text)) as InclusionProof['row'],
    index,
    path: beside.map((subtree) => subtree.tree.root()),
  };
}
