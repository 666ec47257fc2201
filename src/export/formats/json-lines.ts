import { jsonValue } from '../../load/query/json-values.ts';
import type { PreparedSelect } from '../../load/query/stream.ts';
import { type Sink, sendTo, type Written } from './sink.ts';

/**
 * Writes a selection as JSON Lines: one object per row, in UTF-8, with the values of
 * `query --json`. Decimals and whole numbers beyond 2^53 are text, so that no reader rounds them.
 */
export async function writeJsonLines(selection: PreparedSelect, sink: Sink): Promise<Written> {
  const { chunks } = await selection.read('*');
  const names = selection.columns.map(({ name }) => name);
  let rows = 0;
  async function* lines(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      rows += chunk.rowCount;
      const text = chunk
        .getRows()
        .map((values) => `${lineOf(names, values.map(jsonValue))}\n`)
        .join('');
      yield Buffer.from(text, 'utf8');
    }
  }
  await sendTo(sink, lines());
  return { rows, notes: [] };
}

/** One object. `Object.fromEntries` would move names that are whole numbers to the front. */
function lineOf(names: readonly string[], values: readonly unknown[]): string {
  const members = names.map((name, i) => `${JSON.stringify(name)}:${JSON.stringify(values[i])}`);
  return `{${members.join(',')}}`;
}
