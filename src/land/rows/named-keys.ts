import { columnsOf } from '../../catalogue/entry.ts';
import { wordsOfDataset } from '../../catalogue/index.ts';
import { isAskedByHash, type List } from '../../coverage/list.ts';
import { identifier } from '../storage/sql-text.ts';

/**
 * SQL for the list of keys in these columns of a row, some of which hold several addresses. Equals
 * `keysIn` of the row's cells, with '' for NULL.
 */
export function namedKeysSql(dataset: string, columns: readonly string[]): string {
  const words = wordsOfDataset(dataset).filter(({ column }) => columns.includes(column));
  const lists = words.map((word) => {
    const several = columnsOf(word).find(({ type }) => type === 'VARCHAR[]');
    return several === undefined
      ? `[coalesce(${identifier(word.column)}, '')]`
      : `coalesce(${identifier(several.name)}, [])`;
  });
  return `list_concat(${lists.join(', ')})`;
}

/** Whether a row can be in the list under several keys. */
export function canNameSeveralKeys(list: List): boolean {
  const { dataset, keyColumns = [] } = list;
  if (isAskedByHash(list)) return false;
  if (keyColumns.length > 1) return true;
  const words = wordsOfDataset(dataset.name).filter(({ column }) => keyColumns.includes(column));
  return words.some((word) => columnsOf(word).some(({ type }) => type === 'VARCHAR[]'));
}
