import { beforeEach, describe, expect, test } from 'vitest';
import { datasets } from '../../../../src/catalogue/index.ts';
import { sqlFiles } from '../../../../src/curate/rule/sql-files.ts';
import { checkSmall, findingsOf } from '../../../fixtures/check-findings.ts';
import { freshLake } from '../../../fixtures/fresh-lake.ts';
import {
  block,
  crossing,
  INTERNALS,
  inBlock,
  internal,
  LIST,
  NORMAL,
  TOKEN_20,
  transaction,
  transfer,
  zoneTransaction,
} from '../../../fixtures/load-lake.ts';

const small = freshLake(beforeEach);

const findings = (check: string) => findingsOf(small, check);

test('a lake without faults has no findings, and neither has an empty one', async () => {
  for (const isEmpty of [true, false]) {
    if (!isEmpty) {
      const first = transaction({ nonce: '0' });
      await small.land(LIST.transactions, { keys: ['0xa', '0xb'], records: [first] });
      await small.land(LIST.internal, { keys: ['0xa'], records: [internal(), internal()] });
      await small.land(LIST.internal, { keys: ['0xa'], from: 100, to: 150, status: 'provisional' });
      await small.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_20, records: [transfer()] });
      await small.land(LIST.transactionsByHash, { keys: ['0x01'], records: [first] });
      await small.land(LIST.inBlock, { keys: [''], params: NORMAL, records: [inBlock()] });
      const both = [inBlock({ amount: '2' }), inBlock({ amount: '2' })];
      await small.land(LIST.inBlock, { keys: [''], params: INTERNALS, records: both });
      await small.land(LIST.blockDetails, { keys: [''], records: [block({ txnInternal: '2' })] });
      await small.land(LIST.zoneTransactions, { keys: [''], records: [zoneTransaction()] });
      await small.land(LIST.crossChain, { keys: [''], records: [crossing()] });
      const zoneBlock = {
        hash: '0x2b',
        height: '50',
        blockTime: '1700000005123',
        transactionCount: '1',
      };
      await small.land(LIST.zoneBlocks, { keys: [''], records: [zoneBlock] });
      const holder = { rank: '1', holderAddress: '0xa', amount: '5' };
      await small.land(LIST.holders, { keys: [''], from: 7, to: 7, records: [holder] });
    }
    await small.publish();
    const results = await checkSmall(small);
    expect(results.filter((result) => result.findings.length > 0)).toEqual([]);
    for (const { meaning } of results) expect(meaning).toMatch(/\w+.*\. .*\w+.*\./);
  }
});

test('notes are what is worth knowing, errors what forbids to rely on the rows', async () => {
  await small.publish();
  const severities = (await checkSmall(small)).map(({ check, severity }) => `${check} ${severity}`);
  expect(severities).toEqual([
    'casts note',
    'declared_counts error',
    'departures note',
    'disagreeing_lists error',
    'duplicates error',
    'gaps note',
    'missing_records error',
    'nonce_continuity error',
    'not_complete error',
    'odd_values note',
    'orphans error',
    'unmatched_legs error',
  ]);
});

test('departures from the interface are notes, by kind', async () => {
  const repeated = internal({ isFromContract: false, amount: '1.5' });
  const piece = { txId: '0x03', height: '12', tokenId: '7' };
  await small.land(LIST.transactions, {
    keys: ['0xa'],
    records: [transaction(), transaction({ txId: '0x02', height: '11', txFee: '0.000022' })],
  });
  await small.land(LIST.internal, { keys: ['0xa'], records: [repeated, internal()] });
  await small.land(LIST.tokens, {
    keys: ['0xa'],
    params: { protocolType: 'token_721' },
    records: [
      transfer({ ...piece, amount: '' }),
      transfer({ ...piece, amount: '1' }),
      transfer({ ...piece, amount: '2' }),
    ],
  });
  await small.publish();
  expect((await findings('departures')).map(({ dataset, records }) => [dataset, records])).toEqual([
    ['internal_transactions', 1],
    ['token_transfers', 1],
    ['transactions', 1],
  ]);
});

test('findings are told up to a bound, and whether there are more', async () => {
  const records = [1, 2, 3].map((i) => transaction({ txId: `0x0${i}` }));
  await small.land(LIST.transactions, { keys: ['0xa'], records: [...records, ...records] });
  await small.publish();
  const told = async (maxFindings: number) => {
    const result = (await checkSmall(small, { maxFindings })).find(
      ({ check }) => check === 'duplicates',
    );
    return [result?.findings.length, result?.hasMore];
  };
  expect(await told(2)).toEqual([2, true]);
  expect(await told(3)).toEqual([3, false]);
});

test('without a warehouse there is a Fault', async () => {
  await expect(checkSmall(small)).rejects.toMatchObject({ kind: 'query' });
});

describe('gaps', () => {
  test('are the blocks between covered intervals of an address', async () => {
    await small.land(LIST.internal, { keys: ['0xa', '0xb'], from: 0, to: 9 });
    await small.land(LIST.internal, { keys: ['0xa'], from: 20, to: 29 });
    await small.land(LIST.internal, { keys: ['0xa'], from: 30, to: 39, status: 'truncated' });
    expect(await findings('gaps')).toEqual([
      {
        finding: 'No pipeline requested the internal_transactions of 0xa in blocks 10 to 19',
        dataset: 'internal_transactions',
        scope: '',
        key: '0xa',
        from_block: 10,
        to_block: 19,
        blocks: 10,
      },
    ]);
  });

  test('are not closed by a list of other records', async () => {
    await small.land(LIST.internal, { keys: ['0xa'], from: 0, to: 9 });
    await small.land(LIST.internal, { keys: ['0xa'], from: 11, to: 19 });
    await small.land(LIST.transactions, { keys: ['0xa'], from: 0, to: 19 });
    expect(await findings('gaps')).toMatchObject([{ from_block: 10, to_block: 10, blocks: 1 }]);
  });

  test('are closed by a list of the same records', async () => {
    await small.land(LIST.transactions, { keys: ['0xa', '0xb'], from: 0, to: 9 });
    await small.land(LIST.transactions, { keys: ['0xa', '0xb'], from: 20, to: 29 });
    await small.land(LIST.ownTransactions, { keys: ['0xa'], from: 10, to: 15 });
    await small.land(LIST.inBlock, { keys: [''], params: NORMAL, from: 16, to: 19 });
    expect(await findings('gaps')).toMatchObject([{ key: '0xb', from_block: 10, to_block: 15 }]);
  });

  test('are not looked for in what is asked block by block, by hash, or for the moment', async () => {
    for (const at of [3, 9]) {
      const walk = { keys: [''], from: at, to: at };
      await small.land(LIST.inBlock, { ...walk, params: NORMAL });
      await small.land(LIST.blockDetails, walk);
      await small.land(LIST.holders, walk);
      await small.land(LIST.transactionsByHash, { ...walk, keys: ['0x01'] });
    }
    expect(await findings('gaps')).toEqual([]);
  });
});

test('not_complete does not mind what another list of the same records reaches', async () => {
  const limited = { status: 'depth_limited' as const, reason: 'older than a year' };
  await small.land(LIST.ownTransactions, { keys: ['0xa', '0xb'], from: 0, to: 49, ...limited });
  await small.land(LIST.transactions, { keys: ['0xa'], from: 0, to: 39 });
  await small.land(LIST.inBlock, { keys: [''], params: NORMAL, from: 40, to: 44 });
  await small.land(LIST.blocks, { keys: [''], from: 0, to: 9, ...limited });
  await small.land(LIST.blockDetails, { keys: [''], from: 0, to: 9 });
  const rows = await findings('not_complete');
  expect(rows.map((row) => [row['key'], row['from_block'], row['to_block']])).toEqual([
    ['0xa', 45, 49],
    ['0xb', 0, 39],
    ['0xb', 45, 49],
  ]);
});

test('not_complete finds look-ups that failed: nothing stands in for them', async () => {
  await small.land(LIST.inBlock, { keys: [''], params: NORMAL });
  await small.land(LIST.transactionsByHash, { keys: ['0x01'], status: 'failed' });
  expect(await findings('not_complete')).toMatchObject([{ key: '0x01', status: 'failed' }]);
});

test('not_complete finds every status but complete and provisional, with its reason', async () => {
  const statuses = [
    'complete',
    'provisional',
    'truncated',
    'depth_limited',
    'inconsistent',
  ] as const;
  let from = 0;
  for (const status of [...statuses, 'failed' as const]) {
    const walk = { keys: ['0xa'], from, to: from + 9, status, reason: `because ${status}` };
    await small.land(LIST.internal, walk);
    from += 10;
  }
  const rows = await findings('not_complete');
  expect(rows[0]?.['finding']).toBe(
    'The internal_transactions of 0xa in blocks 30 to 39 are depth limited: because depth_limited',
  );
  expect(rows.map((row) => [row['status'], row['reason'], row['from_block']])).toEqual([
    ['depth_limited', 'because depth_limited', 30],
    ['failed', 'because failed', 50],
    ['inconsistent', 'because inconsistent', 40],
    ['truncated', 'because truncated', 20],
  ]);
});

test('odd values are found by their fields, and others of extra are not', async () => {
  const odd = { amount: '1e4000', gasLimit: '-1', unknown: 'x' };
  const large = { txId: '0x02', gasLimit: String(2n ** 64n - 1n) };
  await small.land(LIST.transactions, {
    keys: ['0xa'],
    records: [transaction(odd), transaction(large)],
  });
  expect(await findings('odd_values')).toMatchObject([
    { finding: '1 value of amount is odd in transactions, so NULL there: 1e4000', first_block: 10 },
    { finding: '1 value of gas_limit is odd in transactions, so NULL there: -1' },
  ]);
  expect(await small.rows('SELECT sum(gas_limit), count(gas_limit) FROM transactions')).toEqual([
    ['18446744073709551615', 1],
  ]);
});

describe('casts', () => {
  test('counts the amounts that do not fit', async () => {
    const large = '1'.repeat(30);
    await small.land(LIST.tokens, {
      keys: ['0xa'],
      params: TOKEN_20,
      records: [transfer({ amount: large }), transfer({ amount: large }), transfer()],
    });
    await small.land(LIST.transactions, {
      keys: ['0xa'],
      records: [transaction({ txFee: `0.${'1'.repeat(19)}`, amount: '' })],
    });
    expect(await findings('casts')).toEqual([
      {
        finding: '2 values of amount do not fit the number beside the text in token_transfers',
        dataset: 'token_transfers',
        column_name: 'amount',
        amounts: 2,
        example: large,
      },
      {
        finding: '1 value of tx_fee does not fit the number beside the text in transactions',
        dataset: 'transactions',
        column_name: 'tx_fee',
        amounts: 1,
        example: `0.${'1'.repeat(19)}`,
      },
    ]);
  });
});

describe('duplicates', () => {
  test('finds a record with a key that stands twice in one list', async () => {
    const records = [transaction(), transaction({ height: '11' }), transaction({ txId: '0x02' })];
    await small.land(LIST.transactions, { keys: ['0xa'], records });
    expect(await findings('duplicates')).toEqual([
      {
        finding: `0x01 stands 2 times in transactions as listed by ${LIST.transactions}, at heights 10, 11`,
        dataset: 'transactions',
        endpoint: LIST.transactions,
        variant: '',
        identity: '0x01',
        copies: 2,
        blocks: [10, 11],
      },
    ]);
  });

  test('does not mind one record in two lists', async () => {
    const records = [transaction()];
    await small.land(
      LIST.transactions,
      { keys: ['0xa'], records },
      { keys: ['0xa'], params: { isFromOrTo: 'from' }, records },
    );
    expect(await findings('duplicates')).toEqual([]);
  });

  test('looks at every dataset that has a key', async () => {
    const sql = (await sqlFiles('checks')).find(({ name }) => name === 'duplicates')?.sql ?? '';
    for (const { name, identity } of datasets) {
      if (identity.length === 0) expect(sql).not.toContain(`lake.${name}\n`);
      else expect(sql).toMatch(new RegExp(`${identity.join(', ')}[^;]*FROM lake\\.${name}\\b`));
    }
  });
});
