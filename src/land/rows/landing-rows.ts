import type { Cell } from '../../catalogue/column-kind.ts';
import type { Claim, Walk } from '../rule/claim.ts';
import type { RowsToWrite } from '../storage/parquet.ts';
import { type Row, TextRow } from './decode.ts';
import { TextRowGroups } from './text-rows.ts';

/**
 * The rows of a commit with their lineage. Lineage is added when rows are written, so the commit
 * never holds all of them twice.
 */
export function landingRows(
  inserts: readonly Walk<Row>[],
  walks: readonly (Walk<Row> & { readonly slice: string })[],
  run: string,
): Pick<RowsToWrite, 'added' | 'texts'> {
  const lineages = new Map<Claim, readonly Cell[]>();
  const texts = new TextRowGroups();
  for (const { claim, slice } of walks) {
    const { list, readAtMs } = claim;
    const lineage = [slice, BigInt(readAtMs) * 1000n, run];
    lineages.set(claim, [list.endpoint, list.variant, ...lineage]);
    texts.walk(claim, lineage);
  }
  const others: { readonly claim: Claim; readonly row: Row }[] = [];
  for (const { claim, records } of inserts) {
    for (const row of records) {
      if (row instanceof TextRow) texts.add(claim, row);
      else others.push({ claim, row });
    }
  }
  const cellsOf = ({ claim, row }: { claim: Claim; row: Row }): readonly Cell[] => {
    const [endpoint = '', variant = '', ...rest] = lineages.get(claim) ?? [];
    const { cells, occurrence, listPosition } = row;
    const place = listPosition === null ? null : BigInt(listPosition);
    const lineage = [endpoint, variant, BigInt(occurrence), ...rest, place];
    return [...cells.slice(0, cells.length - lineage.length), ...lineage];
  };
  return {
    added: {
      length: others.length,
      slice: (start, end) => others.slice(start, end).map(cellsOf),
    },
    texts: texts.all(),
  };
}
