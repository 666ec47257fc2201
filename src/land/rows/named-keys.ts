import { columnsOf } from '../../catalogue/entry.ts';
import { wordsOfDataset } from '../../catalogue/index.ts';
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
