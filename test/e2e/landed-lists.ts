import { createHash } from 'node:crypto';
import { columnsOf } from '../../src/catalogue/entry.ts';
import { datasetOf, endpointAt, filledBy } from '../../src/catalogue/index.ts';
import type { CanonicalRecord } from '../../src/catalogue/record.ts';
import { filtersIn } from '../../src/coverage/list.ts';
import { CHAINS } from '../fixtures/chains.ts';
import { rowsOf } from './harness.ts';

/** The rows of single lists, and records of a chain, as lines that are equal for equal content. */

export interface ListOfLake {
  readonly endpoint: string;
  /** The id of the variant. */
  readonly variant: string;
}

/** The columns by which a list's rows are compared, as SQL, and as they stand in a record. */
function comparedColumns({ endpoint, variant }: ListOfLake): { word: string; sql: string }[] {
  const entry = endpointAt(endpoint);
  const words = [...entry.fields, ...filledBy(entry, filtersIn(variant)).keys()];
  return words.map((word) => {
    // The first column of a kind is the text, or the value itself.
    const [first] = columnsOf(word);
    if (first === undefined) throw new Error(`${word.column} has no column`);
    const sql =
      first.type === 'TIMESTAMPTZ'
        ? `CAST(epoch_ms(${first.name}) AS VARCHAR)`
        : `CAST(${first.name} AS VARCHAR)`;
    return { word: word.column, sql };
  });
}

export async function landedLines(root: string, list: ListOfLake): Promise<string[]> {
  const entry = endpointAt(list.endpoint);
  const dataset = datasetOf(entry, filtersIn(list.variant));
  const columns = comparedColumns(list).map(({ sql }) => sql);
  const select = `_endpoint AS e, _variant AS v, [${columns.join(', ')}] AS cells`;
  const rows = await rowsOf(root, dataset, select, CHAINS[entry.axis]);
  return rows
    .filter(({ e, v }) => e === list.endpoint && v === list.variant)
    .map(({ cells }) => JSON.stringify(cells));
}

export function lineOf(record: CanonicalRecord, list: ListOfLake): string {
  const filled = filledBy(endpointAt(list.endpoint), filtersIn(list.variant));
  const values = new Map([...filled].map(([word, value]) => [word.column, value]));
  return JSON.stringify(
    comparedColumns(list).map(({ word }) => {
      const value = values.get(word) ?? record[word] ?? null;
      return value === null ? null : String(value);
    }),
  );
}

/** Of the lines in their order, so it is equal for equal multisets. */
export function digestOf(lines: readonly string[]): string {
  const digest = createHash('sha256');
  for (const line of [...lines].sort()) digest.update(`${line}\n`);
  return digest.digest('hex');
}
