import { describe, expect, it } from 'vitest';
import { wordsOfDataset } from '../../../../src/catalogue/index.ts';
import type { CanonicalRecord } from '../../../../src/catalogue/record.ts';
import { simulatedChain } from '../../../src/simulated/chain.ts';

const HEAD = 9_000;
const { recordsAt, zone } = simulatedChain({ seed: 'meadow', head: HEAD, zoneStart: 8_600 });

type Records = Readonly<Record<string, readonly CanonicalRecord[]>>;

/** Records of all heights up to the head, by dataset. */
function upTo(head: number, at: (height: number) => Records) {
  const heights = Array.from({ length: head + 1 }, (_, height) => at(height));
  const names = Object.keys(heights[0] ?? {});
  return names.map((dataset) => ({
    dataset,
    all: heights.flatMap((records) => records[dataset] ?? []),
  }));
}

const ALL = [...upTo(HEAD, recordsAt), ...upTo(zone.head, zone.recordsAt)];

/** Words that other records of a list have. */
const ABSENT: Readonly<Record<string, readonly string[]>> = {
  transactions: ['token_address', 'token_id'],
  internal_transactions: ['symbol', 'tx_fee', 'token_address', 'token_id', 'method_id'],
  token_transfers: ['tx_fee'],
};

describe.each(ALL)('the records of $dataset', ({ dataset, all }) => {
  it('all have the same columns, which are words of the catalogue', () => {
    const [columns = '', ...others] = new Set(all.map((record) => Object.keys(record).join(' ')));
    expect(others).toEqual([]);
    const words = wordsOfDataset(dataset).map(({ column }) => column);
    const wanted = words.filter((word) => !ABSENT[dataset]?.includes(word));
    expect(columns.split(' ').sort()).toEqual(wanted.sort());
  });

  it('have values of the kinds that the catalogue declares, in canonical spelling', () => {
    const misspelled: string[] = [];
    for (const { column, kind } of wordsOfDataset(dataset)) {
      for (const value of new Set(all.map((record) => record[column] ?? null))) {
        if (value === null) continue;
        const text = String(value);
        const fits = typeof value === kind.wire && kind.pattern.test(text) && text !== '';
        if (!fits || kind.canonical(text) !== text) misspelled.push(`${column} ${text}`);
        kind.decode(text);
      }
    }
    expect(misspelled).toEqual([]);
  });
});
