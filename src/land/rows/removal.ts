import { grouped } from '../../coverage/grouped.ts';
import { isSameList, type List } from '../../coverage/list.ts';
import { type Interval, overlaps } from '../../coverage/ranges.ts';
import type { DataFile } from '../delta/actions.ts';
import type { Claim, Removal } from '../rule/claim.ts';
import { identifier, literal } from '../storage/sql-text.ts';
import { namedKeysSql } from './named-keys.ts';

/** Whether a file can hold rows of the list in the interval, by the log. */
export function mayHoldRows(file: DataFile, scope: Claim | Removal): boolean {
  const { source, heights } = file;
  if (source !== undefined && !isSameList(source, scope.list)) return false;
  return heights === undefined || overlaps(heights, scope.interval);
}

/** The condition of `removes` in claim.ts, as SQL. */
export function removalSql(removal: Removal, heightColumn: string): string {
  const { list, interval, keys, protectedBy } = removal;
  const height = identifier(heightColumn);
  const isIn = ({ from, to }: Interval): string => `${height} BETWEEN ${from} AND ${to}`;
  const touches = touchesSql(list);
  const textList = (values: readonly string[]): string => `[${values.map(literal).join(', ')}]`;
  const conditions = [
    `_endpoint = ${literal(list.endpoint)}`,
    `_variant = ${literal(list.variant)}`,
    isIn(interval),
    `list_has_any(${touches}, ${textList(keys)})`,
    ...[...grouped(protectedBy, (by) => isIn(by.interval))].map(([isThere, all]) => {
      return `NOT (${isThere} AND list_has_any(${touches}, ${textList(all.map((by) => by.key))}))`;
    }),
  ];
  return conditions.join(' AND ');
}

/**
 * SQL for the keys under which this list shows a row, to be compared with the keys of a walk.
 * `['']` for endpoints without keys.
 */
function touchesSql({ dataset, keyColumns }: List): string {
  return keyColumns === undefined ? "['']" : namedKeysSql(dataset.name, keyColumns);
}
