import { beforeAll, expect, test } from 'vitest';
import type { WireRecord } from '../../../src/catalogue/record.ts';
import type { QueryRow } from '../../../src/load/query/query.ts';
import { findingsOf } from '../../fixtures/check-findings.ts';
import { freshLake } from '../../fixtures/fresh-lake.ts';
import { LIST, transaction, type Walked } from '../../fixtures/load-lake.ts';

/**
 * Goal: the nonces of a sender prove that none of its transactions is missing, and accuse nobody
 * where they prove nothing. Every case is a sender of its own, all in one lake.
 */

type Sent = readonly [nonce: number | '', height: number, more?: WireRecord];

interface Case {
  readonly sent: readonly Sent[];
  readonly walk?: Partial<Walked>;
  /** Walks beside the one above. */
  readonly others?: readonly (Partial<Walked> & { readonly path?: string })[];
  /** What is found, as sentences about S. */
  readonly texts?: readonly string[];
}

/** Transactions as `nonce@height`. */
function sentAs(text: string): Sent[] {
  return text.split(' ').map((one) => {
    const [nonce = '', height] = one.split('@');
    return [nonce === '' ? '' : Number(nonce), Number(height)];
  });
}

const from10 = { from: 10, to: 99 };
const gap = sentAs('0@5 9@50');
const unknown = (last: number): Sent[] => sentAs(`3@20 @30 @40 ${last}@50`);

const CASES: Readonly<Record<string, Case>> = {
  'nonces that follow each other, within blocks too, also of failed transactions, are fine': {
    sent: [
      [1, 5],
      [0, 5],
      [2, 9],
      [3, 12, { state: 'fail' }],
    ],
  },
  'a lost transaction is found': {
    sent: sentAs('0@5 1@6 4@9'),
    texts: ['S went from nonce 1 in block 6 to 4 in block 9: 2 of its transactions are missing'],
  },
  'a first nonce that is not 0 since the first block is found': {
    sent: sentAs('1@5'),
    texts: [
      'S begins with nonce 1 in block 5, though all that it sent since block 0 ought to be ' +
        'here: 1 of its transactions is missing',
    ],
  },
  'a nonce that is used twice is found': {
    sent: sentAs('7@50 7@60 8@61'),
    walk: from10,
    texts: ['S used nonce 7 twice, in blocks 50 and 60'],
  },
  'nonces that go back are found': {
    sent: sentAs('7@50 5@60'),
    walk: from10,
    texts: ['S went back from nonce 7 in block 50 to 5 in block 60'],
  },
  'nonces begin anywhere where the first blocks are not covered': {
    sent: sentAs('7@50 8@60'),
    walk: from10,
  },
  'nothing is said over blocks that were not read to the end': {
    sent: sentAs('0@5'),
    walk: { from: 0, to: 19 },
    others: [
      { from: 20, to: 29, status: 'truncated' },
      {
        from: 30,
        to: 99,
        records: [transaction({ from: 'S', to: '0xe', nonce: '9', height: '50' })],
      },
    ],
  },
  'nothing is said where all is provisional': { sent: gap, walk: { status: 'provisional' } },
  'lists of recipients do not say all that a sender sent': {
    sent: [],
    walk: { status: 'truncated' },
    others: [
      {
        keys: ['0xe1'],
        records: gap.map(([nonce, height]) =>
          transaction({
            txId: `0xfa${height}`,
            from: 'S',
            to: '0xe1',
            nonce: String(nonce),
            height: String(height),
          }),
        ),
      },
    ],
  },
  'rows of a list that contradicts itself are not counted': {
    sent: sentAs('0@5 1@6'),
    others: [
      {
        path: LIST.ownTransactions,
        status: 'inconsistent',
        records: [transaction({ txId: '0xfb', from: 'S', to: '0xe', nonce: '1', height: '6' })],
      },
    ],
  },
  'nothing is said of who was not asked for': {
    sent: gap.map(([nonce, height]): Sent => [nonce, height, { to: '0xb' }]),
    walk: { keys: ['0xb'] },
  },
  'nothing is said where only what the address received was read': {
    sent: gap.map(([nonce, height]): Sent => [nonce, height, { to: 'S' }]),
    walk: { params: { isFromOrTo: 'to' } },
  },
  'transactions of unknown nonce fill what lies between known ones': {
    sent: unknown(6),
    walk: from10,
  },
  'more is missing than transactions of unknown nonce can fill': {
    sent: unknown(7),
    walk: from10,
    texts: ['S went from nonce 3 in block 20 to 7 in block 50: 1 of its transactions is missing'],
  },
  'more transactions lie between than nonces': {
    sent: unknown(5),
    walk: from10,
    texts: [
      'S went from nonce 3 in block 20 to 5 in block 50: 2 of its transactions lie between, ' +
        'more than nonces',
    ],
  },
  'the order within a block is not known': {
    sent: sentAs('3@20 @20 4@50 @50 7@60'),
    walk: from10,
    texts: ['S went from nonce 4 in block 50 to 7 in block 60: 1 of its transactions is missing'],
  },
  'contracts are left out': { sent: [...gap, [1, 6, { isFromContract: true }]] },
  'accounts that send other types are left out': {
    sent: [...gap, [1, 6, { transactionType: '4' }]],
  },
  'senders that a record names with others are left out': {
    sent: [...gap, [1, 6, { from: 'S,0xc' }]],
  },
};

const names = Object.keys(CASES);
const senderOf = (name: string) => `0x${(names.indexOf(name) + 0xa0).toString(16)}`;

const small = freshLake(beforeAll);
let results: readonly QueryRow[];

beforeAll(async () => {
  const walks = Object.entries(CASES).flatMap(([name, { sent, walk, others = [] }]) => {
    const sender = senderOf(name);
    const named = (record: WireRecord): WireRecord =>
      Object.fromEntries(
        Object.entries(record).map(([field, value]) => [
          field,
          typeof value === 'string' ? value.replace(/\bS\b/, sender) : value,
        ]),
      );
    const records = sent.map(([nonce, height, more]) =>
      transaction({
        txId: `${sender}${height}${nonce}`,
        from: 'S',
        to: '0xe',
        height: String(height),
        nonce: String(nonce),
        ...more,
      }),
    );
    return [{ records, path: LIST.transactions, ...walk }, ...others].map((one) => ({
      keys: [sender],
      ...one,
      records: (one.records ?? []).map(named),
    }));
  });
  for (const { path = LIST.transactions, ...walk } of walks) await small.land(path, walk);
  results = await findingsOf(small, 'nonce_continuity');
});

test.each(names)('%s', (name) => {
  const sender = senderOf(name);
  const parts = results.filter((row) => row['sender'] === sender);
  const expected = (CASES[name]?.texts ?? []).map((text) => text.replace('S', sender));
  expect(parts.map((row) => row['finding'])).toEqual(expected);
});

test('a finding names the transactions around it, and where everything ought to be', () => {
  const sender = senderOf('a lost transaction is found');
  expect(results.filter((row) => row['sender'] === sender)).toEqual([
    {
      finding: expect.stringContaining('2 of its transactions are missing'),
      dataset: 'transactions',
      sender,
      nonce_before: 1,
      block_before: 6,
      tx_before: `${sender}61`,
      nonce: 4,
      block_number: 9,
      tx_hash: `${sender}94`,
      unknown_between: 0,
      missing: 2,
      complete_from: 0,
      complete_to: 99,
    },
  ]);
});
