import type { Cell } from '../../catalogue/column-kind.ts';
import type { Claim, Walk } from '../rule/claim.ts';
import type { Insert } from '../rule/inserts.ts';
import type { AddedRows } from '../storage/parquet.ts';
import type { Row } from './decode.ts';

/**
 * The rows of a commit with their lineage, in the order of the inserts. Lineage is added when rows
 * are written, so the commit never holds all of them twice.
 */
export function landingRows(
  inserts: readonly Insert<Row>[],
  walks: readonly (Walk<Row> & { readonly slice: string })[],
  run: string,
): AddedRows {
  const slices = new Map<Claim, string>(walks.map(({ claim, slice }) => [claim, slice]));
  const cellsOf = ({ claim, record }: Insert<Row>): readonly Cell[] => {
    const lineage = [
      claim.endpoint,
      claim.variant,
      BigInt(record.occurrence),
      slices.get(claim) ?? '',
      BigInt(claim.readAtMs) * 1000n,
      run,
      record.listPosition === null ? null : BigInt(record.listPosition),
    ];
    return [...record.cells.slice(0, record.cells.length - lineage.length), ...lineage];
  };
  return {
    length: inserts.length,
    slice: (start, end) => inserts.slice(start, end).map(cellsOf),
  };
}
