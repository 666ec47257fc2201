import type { Cell } from '../../catalogue/column-kind.ts';
import type { Claim, Walk } from '../rule/claim.ts';
import type { Insert } from '../rule/inserts.ts';
import type { RowsToWrite } from '../storage/parquet.ts';
import { type Row, TextRow } from './decode.ts';
import { TextRowGroups } from './text-rows.ts';

/**
 * The rows of a commit with their lineage. Lineage is added when rows are written, so the commit
 * never holds all of them twice.
 */
export function landingRows(
  inserts: readonly Insert<Row>[],
  walks: readonly (Walk<Row> & { readonly slice: string })[],
  run: string,
): Pick<RowsToWrite, 'added' | 'texts'> {
  const lineages = new Map<Claim, readonly Cell[]>();
  const texts = new TextRowGroups();
  for (const { claim, slice } of walks) {
    const { endpoint, variant, readAtMs } = claim;
    const lineage = [slice, BigInt(readAtMs) * 1000n, run];
    lineages.set(claim, [endpoint, variant, ...lineage]);
    texts.walk(claim, lineage);
  }
  const others: Insert<Row>[] = [];
  for (const insert of inserts) {
    const { claim, record } = insert;
    if (record instanceof TextRow) texts.add(claim, record);
    else others.push(insert);
  }
  const cellsOf = ({ claim, record }: Insert<Row>): readonly Cell[] => {
    const [endpoint = '', variant = '', ...rest] = lineages.get(claim) ?? [];
    const { cells, occurrence, listPosition } = record;
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
