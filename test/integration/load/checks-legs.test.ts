import { beforeAll, expect, test } from 'vitest';
import type { WireRecord } from '../../../src/catalogue/record.ts';
import type { QueryRow } from '../../../src/load/query/query.ts';
import { findingsOf } from '../../fixtures/check-findings.ts';
import { freshLake } from '../../fixtures/fresh-lake.ts';
import {
  crossing,
  inBlock,
  LIST,
  NORMAL,
  withdrawal,
  zoneTransaction,
} from '../../fixtures/load-lake.ts';

/**
 * Goal: a leg is missing where its block or its sender proves it, and nowhere else. Every
 * transfer has hashes and, where it matters, addresses of its own; all lie in one lake. Blocks 60 to
 * 69 of both chains were exported whole, and 0xd and 0xe were followed.
 */

const small = freshLake(beforeAll);
let results: readonly QueryRow[];

/** A transfer with its two hashes, at height 10 of the primary chain and 50 of the zone. */
function named(number: string, more: WireRecord, kind = crossing): WireRecord {
  return kind({ mainTxHash: `0x1${number}`, zoneTxHash: `0x2${number}`, ...more });
}

const inWholeBlocks = { mainBlockHeight: '61', zoneBlockHeight: '61' };
const by = (address: string): WireRecord => ({ from: address, sourceAddress: address });

const TRANSFERS = [
  named('01', {}),
  named('02', inWholeBlocks),
  named('03', inWholeBlocks),
  named('05', by('0xd')),
  named('06', by('0xd'), withdrawal),
  named('07', { from: '0x51', sourceAddress: '0xd' }),
  named('08', { from: '0xe', sourceAddress: '0xd' }),
  named('09', by('0xf')),
  named('10', by('0x9')),
  named('11', { from: '0xd', sourceAddress: '0x99' }),
  named('12', { mainBlockHeight: '80', zoneBlockHeight: '80' }),
  named('13', { ...inWholeBlocks, mainBlockHeight: '70', zoneBlockHeight: '70' }),
];

beforeAll(async () => {
  const whole = { keys: [''], from: 60, to: 69 };
  const isThere = { txid: '0x103', height: '61' };
  await small.land(LIST.crossChain, { keys: [''], records: TRANSFERS });
  await small.land(LIST.inBlock, { ...whole, params: NORMAL, records: [inBlock(isThere)] });
  const part = { keys: [''], from: 80, to: 80, status: 'truncated' as const };
  await small.land(LIST.inBlock, { ...part, params: NORMAL });
  await small.land(LIST.zoneTransactions, part);
  const zone = zoneTransaction({ hash: '0x203', blockHeight: '61' });
  await small.land(LIST.zoneTransactions, { ...whole, records: [zone] });
  await small.land(LIST.transactions, { keys: ['0xd', '0xe'], to: 20 });
  await small.land(LIST.zoneOfAddress, { keys: ['0xd'] });
  await small.land(LIST.transactions, { keys: ['0xf'], status: 'truncated' });
  await small.land(LIST.transactions, { keys: ['0x9'], params: { isFromOrTo: 'to' } });
  results = await findingsOf(small, 'unmatched_legs');
});

const sentencesOn = (number: string) =>
  results.filter((row) => row['zone_tx_hash'] === `0x2${number}`).map((row) => row['finding']);

test('legs that nobody asked for are no findings', () => {
  expect(sentencesOn('01')).toEqual([]);
  expect(sentencesOn('13')).toEqual([]);
});

test('both legs are missing where all of their blocks was exported, and found where they are', () => {
  expect(sentencesOn('02')).toEqual([
    'The primary transaction 0x102 of a Deposit is missing, though all of block 61 was exported',
    'The zone transaction 0x202 of a Deposit is missing, though all of block 61 was exported',
  ]);
  expect(sentencesOn('03')).toEqual([]);
});

test('the leg where a transfer begins is missing where all that its sender did is there', () => {
  expect(sentencesOn('05')).toEqual([
    'The primary transaction 0x105 of a Deposit is missing, though all that its sender did in ' +
      'block 10 was exported',
  ]);
  expect(sentencesOn('06')).toEqual([
    'The zone transaction 0x206 of a Withdraw is missing, though all that its sender did in ' +
      'block 50 was exported',
  ]);
});

test('where another one signed, both must have been followed', () => {
  expect(sentencesOn('07')).toEqual([]);
  expect(sentencesOn('11')).toEqual([]);
  expect(sentencesOn('08')).toHaveLength(1);
});

test('what was not read to the end, or only as recipient, proves nothing', () => {
  expect(sentencesOn('12')).toEqual([]);
  expect(sentencesOn('09')).toEqual([]);
  expect(sentencesOn('10')).toEqual([]);
});

test('a finding names the leg, both transactions and where it ought to be', () => {
  expect(results.find((row) => row['zone_tx_hash'] === '0x205')).toEqual({
    finding: expect.stringContaining('0x105'),
    dataset: 'transactions',
    leg: 'primary',
    missing_tx_hash: '0x105',
    missing_block_number: 10,
    ought_to_be: 'sender',
    cross_type: 'Deposit',
    cross_status: 'success',
    source_address: '0xd',
    zone_tx_hash: '0x205',
    zone_block_number: 50,
    main_tx_hash: '0x105',
    main_block_number: 10,
  });
});
