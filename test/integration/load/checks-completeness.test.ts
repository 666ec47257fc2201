import { beforeAll, describe, expect, test } from 'vitest';
import type { WireRecord } from '../../../src/catalogue/record.ts';
import type { QueryRow } from '../../../src/load/query/query.ts';
import { findingsOf } from '../../fixtures/check-findings.ts';
import { freshLake } from '../../fixtures/fresh-lake.ts';
import {
  block,
  crossing,
  hashOfZoneBlock,
  INTERNALS,
  inBlock,
  LIST,
  NORMAL,
  TOKEN_20,
  transaction,
  transfer,
  zoneTransaction,
} from '../../fixtures/load-lake.ts';

/**
 * Goal: what two complete sources say of one thing is compared, every difference is told with its
 * evidence, and nothing is said where either of them is not complete. The cases of a check lie in
 * one lake, at heights or under keys of their own.
 */

const ALL = { keys: [''] };

describe('declared_counts', () => {
  const at = (height: number, more: WireRecord = {}): WireRecord =>
    block({ height: String(height), txnInternal: '', ...more });
  const held = (height: number, txid: string): WireRecord =>
    inBlock({ txid, height: String(height) });
  const zoneBlock = (height: number, transactionCount: string): WireRecord => ({
    hash: hashOfZoneBlock(String(height)),
    height: String(height),
    blockTime: '1700000005123',
    transactionCount,
  });
  const zoneHeld = (height: number, hash: string): WireRecord =>
    zoneTransaction({ hash, blockHeight: String(height) });

  const small = freshLake(beforeAll);
  let results: readonly QueryRow[];

  beforeAll(async () => {
    await small.land(LIST.blockDetails, {
      ...ALL,
      records: [
        at(10, { txnCount: '2', txnInternal: '1' }),
        at(11, { txnCount: '2' }),
        at(12, { txnInternal: '1' }),
        at(13, { txnCount: '0', txnInternal: '1' }),
        at(14),
        at(60, { txnCount: '5', txnInternal: '5' }),
        at(80, { txnCount: '5' }),
      ],
    });
    const torn = { ...ALL, from: 59, to: 59, status: 'inconsistent' as const };
    await small.land(LIST.blocks, { ...torn, records: [at(59, { txnCount: '5' })] });
    await small.land(LIST.blocks, {
      ...ALL,
      from: 14,
      to: 14,
      records: [at(14, { txnCount: '3' })],
    });
    await small.land(
      LIST.inBlock,
      {
        ...ALL,
        params: NORMAL,
        to: 59,
        records: [
          held(10, '0x1'),
          held(10, '0x2'),
          held(11, '0x3'),
          held(12, '0x5'),
          held(14, '0x6'),
        ],
      },
      { ...ALL, params: NORMAL, from: 60, to: 69, status: 'provisional' },
    );
    await small.land(LIST.inBlock, {
      ...ALL,
      params: INTERNALS,
      to: 59,
      records: [held(10, '0x1'), held(12, '0x5'), held(12, '0x5')],
    });
    // Lists of addresses hold what the list of the block has lost, and are not the block.
    await small.land(LIST.transactions, {
      keys: ['0xa'],
      records: [transaction({ txId: '0x4', height: '11' })],
    });
    await small.land(
      LIST.zoneBlocks,
      { ...ALL, to: 59, records: [zoneBlock(50, '2'), zoneBlock(51, '2'), zoneBlock(52, '0')] },
      { ...ALL, from: 60, to: 60, status: 'inconsistent', records: [zoneBlock(60, '9')] },
    );
    await small.land(LIST.zoneTransactions, {
      ...ALL,
      records: [zoneHeld(50, '0x21'), zoneHeld(50, '0x22'), zoneHeld(51, '0x23')],
    });
    results = await findingsOf(small, 'declared_counts');
  });

  const sentencesAt = (height: number) =>
    results.filter((row) => row['block_number'] === height).map((row) => row['finding']);

  test('does not mind blocks that hold what they declare', () => {
    for (const height of [10, 50, 52]) expect(sentencesAt(height)).toEqual([]);
  });

  test('finds a lost transaction, though a list of an address holds it', () => {
    expect(results.filter((row) => row['block_number'] === 11)).toEqual([
      {
        finding:
          'Block 11 of the primary chain declares 2 transactions, and the list of the whole ' +
          'block holds 1: 1 missing',
        axis: 'primary',
        dataset: 'transactions',
        block_number: 11,
        block_hash: '0xb10c11',
        declared: 2,
        declared_by: [LIST.blockDetails],
        landed: 1,
        endpoint: LIST.inBlock,
        variant: 'protocolType=transaction',
        tx_hashes: ['0x3'],
      },
    ]);
  });

  test('finds doubled internal transactions, and blocks of which none landed', () => {
    expect(sentencesAt(12)).toEqual([
      'Block 12 of the primary chain declares 1 internal transaction, and the list of the whole ' +
        'block holds 2: 1 too many',
    ]);
    expect(sentencesAt(13)).toEqual([
      'Block 13 of the primary chain declares 1 internal transaction, and the list of the whole ' +
        'block holds 0: 1 missing',
    ]);
  });

  test('tells of two declarations that contradict each other the one that fails', () => {
    expect(results.filter((row) => row['block_number'] === 14)).toMatchObject([
      { declared: 3, declared_by: [LIST.blocks], landed: 1 },
    ]);
  });

  test('compares the count of a zone block with a range that holds all of it', () => {
    expect(results.filter((row) => row['axis'] === 'zone')).toMatchObject([
      {
        block_number: 51,
        dataset: 'zone_transactions',
        declared: 2,
        landed: 1,
        tx_hashes: ['0x23'],
      },
    ]);
  });

  test('compares nothing where either side is not complete', () => {
    for (const height of [59, 60, 80]) expect(sentencesAt(height)).toEqual([]);
  });
});

describe('missing_records', () => {
  /** A transfer as lists of an address have it, and the same as the list of a token has it. */
  const ofAddress = (token: string, txId: string, more: WireRecord = {}): WireRecord =>
    transfer({ tokenContractAddress: token, txId, ...more });
  const ofToken = (...input: Parameters<typeof ofAddress>): WireRecord => {
    const { txId = '', symbol = '', ...rest } = ofAddress(...input);
    return { ...rest, txid: txId, transactionSymbol: symbol, protocolType: 'token_20' };
  };
  const to = (address: string): WireRecord => ({ from: '0xfe', to: address });

  const small = freshLake(beforeAll);
  let results: readonly QueryRow[];

  beforeAll(async () => {
    const late = { height: '12' };
    await small.land(
      LIST.tokensOfContract,
      { keys: ['0x70'], records: [ofToken('0x70', '0x01'), ofToken('0x70', '0x02')] },
      { keys: ['0x71'], records: [ofToken('0x71', '0x03')] },
      { keys: ['0x72'], to: 12, status: 'truncated' },
      { keys: ['0x72'], from: 13 },
      {
        keys: ['0x73'],
        records: [
          ofToken('0x73', '0x06', to('0x9b')),
          ofToken('0x73', '0x07', to('0x9c')),
          ofToken('0x73', '0x08', { from: '0x9b' }),
        ],
      },
    );
    await small.land(LIST.tokensOfContract, { keys: ['0x70'], params: { minAmount: '26' } });
    await small.land(LIST.tokens, {
      keys: ['0xa'],
      params: TOKEN_20,
      records: [
        ofAddress('0x70', '0x01'),
        ofAddress('0x70', '0x02'),
        ofAddress('0x71', '0x03'),
        ofAddress('0x71', '0x04', late),
        ofAddress('0x72', '0x05', late),
      ],
    });
    // Lists of other records of 0xa.
    await small.land(LIST.tokens, { keys: ['0xa'], params: { protocolType: 'token_721' } });
    await small.land(LIST.tokens, {
      keys: ['0xa'],
      params: { ...TOKEN_20, tokenContractAddress: '0x7f' },
    });
    await small.land(LIST.tokens, { keys: ['0x9b'], params: { ...TOKEN_20, isFromOrTo: 'to' } });
    await small.land(LIST.tokens, { keys: ['0x9c'], params: { ...TOKEN_20, isFromOrTo: 'from' } });
    await small.land(
      LIST.transactions,
      { keys: ['0xa'], records: [transaction()] },
      {
        keys: ['0xe'],
        status: 'provisional',
        records: [transaction({ txId: '0x0e', from: '0xe', to: '0xf' })],
      },
    );
    await small.land(LIST.inBlock, { ...ALL, params: NORMAL });
    await small.land(LIST.inBlock, { ...ALL, params: INTERNALS, records: [inBlock()] });
    await small.land(LIST.internal, { keys: ['0xb'] });
    await small.land(LIST.zoneTransactions, { ...ALL, records: [zoneTransaction()] });
    await small.land(LIST.zoneOfAddress, { keys: ['0xa'] });
    await small.land(LIST.crossChain, { ...ALL, records: [crossing()] });
    await small.land(LIST.crossDetails, { keys: ['0x2e01'] });
    results = await findingsOf(small, 'missing_records');
  });

  const ofTokens = () => results.filter((row) => row['dataset'] === 'token_transfers');

  test('finds transfers that the list of their token lacks', () => {
    expect(ofTokens().filter((row) => row['endpoint'] === LIST.tokensOfContract)).toEqual([
      {
        finding:
          `The list ${LIST.tokensOfContract} of 0x71 lacks 1 record of token_transfers in block 12 ` +
          'that other complete lists hold',
        axis: 'primary',
        dataset: 'token_transfers',
        endpoint: LIST.tokensOfContract,
        variant: '',
        key: '0x71',
        missing: 1,
        from_block: 12,
        to_block: 12,
        tx_hashes: ['0x04'],
        held_by: [`${LIST.tokens}?protocolType=token_20`],
      },
    ]);
  });

  test('finds transfers of a token that lists of their recipient lack, of the side they hold', () => {
    const lacking = ofTokens().filter((row) => row['endpoint'] === LIST.tokens);
    expect(lacking.map(({ key, variant, tx_hashes }) => [key, variant, tx_hashes])).toEqual([
      ['0x9b', 'isFromOrTo=to&protocolType=token_20', ['0x06']],
    ]);
  });

  test('looks at transactions, internal ones and both datasets of the zone chain', () => {
    const others = results.filter((row) => row['dataset'] !== 'token_transfers');
    expect(others.map(({ dataset, key, missing }) => [dataset, key, missing])).toEqual([
      ['cross_chain_transfers', '0x2e01', 1],
      ['internal_transactions', '0xb', 1],
      ['transactions', '', 1],
      ['zone_transactions', '0xa', 1],
    ]);
  });
});
