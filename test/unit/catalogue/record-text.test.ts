import { expect, it, test, vi } from 'vitest';
import { text } from '../../../src/catalogue/column-kind.ts';
import {
  datasetNamed,
  datasetsOf,
  endpointAt,
  endpoints,
  fieldFor,
  paramOf,
} from '../../../src/catalogue/index.ts';
import type { WireRecord } from '../../../src/catalogue/record.ts';
import { ListedRecord } from '../../../src/catalogue/record-text.ts';
import { recordsIn } from '../../../src/catalogue/reply-text.ts';
import { contentOf } from '../../../src/fetch/walk/record-reader.ts';
import { parsedRecord } from '../../fixtures/listed.ts';

const LIST = endpointAt('mainchain/address/normal-transaction-list-multi');
const TOKENS = endpointAt('mainchain/address/token-transaction-list');
const ZONE = endpointAt('mainchain/zone/address/transaction-list');
const ALICE = `0x${'a1'.repeat(20)}`;
const BOB = `0x${'b2'.repeat(20)}`;
const SAMPLES: Readonly<Record<string, unknown>> = {
  hash: '0xab',
  party: ALICE,
  address: BOB,
  flag: true,
};

/** A record of the entry, read as a text. */
function textOf(
  entry: typeof TOKENS,
  values: Readonly<Record<string, unknown>> = {},
): ListedRecord {
  const usual = entry.fields.map(({ wire, kind }) => [wire, SAMPLES[kind.name] ?? '7']);
  return readFrom(entry, JSON.stringify({ ...Object.fromEntries(usual), ...values }));
}

function readFrom(entry: typeof TOKENS, text: string): ListedRecord {
  const [record] = recordsIn(entry, `${text}]`, 0)?.records ?? [];
  if (!(record instanceof ListedRecord)) throw new Error(`no usual record: ${text}`);
  return record;
}

it('reads the keys of other columns, and other values, after its keys', () => {
  const record = textOf(TOKENS, { from: ALICE, to: `${BOB},${ALICE}` });
  expect(record.keysIn(['from_address', 'to_address'])).toEqual([ALICE, BOB]);
  expect(record.keysIn(['to_address'])).toEqual([BOB, ALICE]);
  expect(record.keysIn(['from_address'])).toEqual([ALICE]);
  expect(record.valueIn('to_address')).toBe(`${BOB},${ALICE}`);
  expect(record.valueIn('tx_hash')).toBe('0xab');
  expect(record.valueIn('block_number')).toBe('7');
});

it('reads both columns of an identity after its keys', () => {
  const record = textOf(ZONE, { index: '12' });
  expect(record.keysIn(['from_address'])).toEqual([ALICE]);
  expect(['tx_hash', 'tx_index'].map((column) => record.valueIn(column))).toEqual(['0xab', '12']);
});

test.each([
  ['a slash', 'a/b', '"a\\/b"'],
  ['quotes and backslashes', '="x"\\', '"=\\"x\\"\\\\"'],
  ['a line break', 'one\ntwo', '"one\\ntwo"'],
])('compares %s by its meaning', (_name, methodId, spelled) => {
  const record = textOf(LIST, { methodId: 'METHOD' });
  const other = readFrom(LIST, record.text.replace('"METHOD"', spelled));
  const parsed: WireRecord = { ...parsedRecord(record), methodId };
  expect(parsedRecord(other)).toEqual(parsed);
  expect(contentOf(other)).toBe(contentOf(ListedRecord.fromWire(LIST, parsed)));
  expect(contentOf(other)).not.toBe(contentOf(record));
});

it('reads no column of texts for walks, because it reads their values without unescaping', () => {
  const columns = endpoints.flatMap((entry) => {
    const named = datasetsOf(entry).flatMap((name) => {
      const { heightColumn, identity, sortedBy } = datasetNamed(name);
      return [heightColumn, ...identity, ...sortedBy.slice(0, 1)];
    });
    const all = [...named, ...(paramOf(entry, 'keys')?.columns ?? [])];
    return all.map((column) => fieldFor(entry, column)?.kind);
  });
  expect(columns.filter((kind) => kind !== undefined).length).toBeGreaterThan(40);
  expect(columns).not.toContain(text);
});

it('reads the name of a record that is its key once', () => {
  const entry = endpointAt('mainchain/transaction/internal-transaction-detail');
  const record = textOf(entry);
  expect(record.keysIn(['tx_hash'])).toEqual(['0xab']);
  const again = vi.spyOn(record.format.naming, 'read');
  expect(record.valueIn('tx_hash')).toBe('0xab');
  expect(again).not.toHaveBeenCalled();
});
