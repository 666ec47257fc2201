import { type Column, lineage } from '../../catalogue/entry.ts';
import { recordColumns } from '../../catalogue/index.ts';
import { EXTRA } from '../../catalogue/record.ts';

/** Added last: files without this column read as NULL. */
export const LIST_POSITION = '_list_position';

/** Lineage of a row. It is never part of digests, audits or comparisons. */
const LINEAGE: readonly Column[] = [
  lineage('_endpoint', 'VARCHAR', 'Endpoint that served the record'),
  lineage('_variant', 'VARCHAR', 'Filters of the request'),
  lineage('_occurrence', 'BIGINT', '1 for the first of several identical records of its walk'),
  lineage('_slice', 'VARCHAR', 'Name of the slice that fetched it; never an identity'),
  lineage('_fetched_at', 'TIMESTAMPTZ', 'When it was fetched [UTC]'),
  lineage('_run', 'VARCHAR', 'Run that fetched it'),
  lineage(
    LIST_POSITION,
    'BIGINT',
    'Place in the answer, from 1, among the records of its block or hash; NULL in other lists',
  ),
];

/** Unknown fields, which count as schema drift, and odd values; neither counts as content. */
const EXTRA_COLUMN = lineage(
  EXTRA,
  'VARCHAR',
  'Fields the catalogue does not know, and odd values of the others, as JSON',
);

/** The columns of a dataset's table: record columns, `extra`, then the lineage. */
export function tableColumns(dataset: string): readonly Column[] {
  return [...recordColumns(dataset), EXTRA_COLUMN, ...LINEAGE];
}
