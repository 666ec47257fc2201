import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { columnsOf } from '../../src/catalogue/entry.ts';
import { datasets, wordsOfDataset } from '../../src/catalogue/index.ts';
import { amount } from '../../src/catalogue/kind.ts';
import { runChecks } from '../../src/load/checks.ts';
import type { QueryRow } from '../../src/load/query.ts';
import { sqlFiles } from '../../src/load/sql-files.ts';
import {
  INTERNAL,
  internal,
  SmallLake,
  TOKEN_20,
  TOKENS,
  TRANSACTIONS,
  transaction,
  transfer,
} from './load-lake.ts';

let small: SmallLake;

beforeEach(async () => {
  small = await SmallLake.open();
});

afterEach(() => small.close());

/** The findings of one check over the lake as it is. */
async function findings(check: string): Promise<readonly QueryRow[]> {
  const { path } = await small.publish();
  const result = (await runChecks(path)).find((each) => each.check === check);
  if (result === undefined) throw new Error(`there is no check ${check}`);
  return result.findings;
}

test('a lake without faults has no findings, and neither has an empty one', async () => {
  for (const isEmpty of [true, false]) {
    if (!isEmpty) {
      await small.land(TRANSACTIONS, { keys: ['0xa', '0xb'], records: [transaction()] });
      await small.land(INTERNAL, { keys: ['0xa'], records: [internal(), internal()] });
      await small.land(INTERNAL, { keys: ['0xa'], from: 100, to: 150, status: 'provisional' });
      await small.land(TOKENS, { keys: ['0xa'], params: TOKEN_20, records: [transfer()] });
    }
    const { path } = await small.publish();
    const results = await runChecks(path);
    expect(results.map(({ check }) => check)).toEqual([
      'casts',
      'duplicates',
      'gaps',
      'not_complete',
      'orphans',
      'overlapping_lists',
    ]);
    expect(results.filter((result) => result.findings.length > 0)).toEqual([]);
    for (const { meaning } of results) expect(meaning).toMatch(/\w+.*\. .*\w+.*\./);
  }
});

test('notes are what is worth knowing, errors what forbids to rely on the rows', async () => {
  const { path } = await small.publish();
  const severities = (await runChecks(path)).map(({ check, severity }) => `${check} ${severity}`);
  expect(severities).toEqual([
    'casts note',
    'duplicates error',
    'gaps note',
    'not_complete error',
    'orphans error',
    'overlapping_lists note',
  ]);
});

test('without a warehouse there is a Fault', async () => {
  await expect(runChecks(small.lake.layout.warehouse)).rejects.toMatchObject({ kind: 'query' });
});

describe('gaps', () => {
  test('are the blocks between covered intervals of one list and address', async () => {
    await small.land(INTERNAL, { keys: ['0xa', '0xb'], from: 0, to: 9 });
    await small.land(INTERNAL, { keys: ['0xa'], from: 20, to: 29 });
    await small.land(INTERNAL, { keys: ['0xa'], from: 30, to: 39, status: 'truncated' });
    expect(await findings('gaps')).toEqual([
      { endpoint: INTERNAL, variant: '', address: '0xa', from_block: 10, to_block: 19, blocks: 10 },
    ]);
  });

  test('are not closed by another list of the same address', async () => {
    await small.land(INTERNAL, { keys: ['0xa'], from: 0, to: 9 });
    await small.land(INTERNAL, { keys: ['0xa'], from: 11, to: 19 });
    await small.land(TRANSACTIONS, { keys: ['0xa'], from: 0, to: 19 });
    expect(await findings('gaps')).toMatchObject([{ from_block: 10, to_block: 10, blocks: 1 }]);
  });
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
    await small.land(INTERNAL, walk);
    from += 10;
  }
  const found = await findings('not_complete');
  expect(found.map((row) => [row['status'], row['reason'], row['from_block']])).toEqual([
    ['depth_limited', 'because depth_limited', 30],
    ['failed', 'because failed', 50],
    ['inconsistent', 'because inconsistent', 40],
    ['truncated', 'because truncated', 20],
  ]);
});

describe('casts', () => {
  test('counts the amounts that do not fit', async () => {
    const large = '1'.repeat(30);
    await small.land(TOKENS, {
      keys: ['0xa'],
      params: TOKEN_20,
      records: [transfer({ amount: large }), transfer({ amount: large }), transfer()],
    });
    await small.land(TRANSACTIONS, {
      keys: ['0xa'],
      records: [transaction({ txFee: `0.${'1'.repeat(19)}`, amount: '' })],
    });
    expect(await findings('casts')).toEqual([
      { dataset: 'token_transfers', column_name: 'amount', amounts: 2, example: large },
      {
        dataset: 'transactions',
        column_name: 'tx_fee',
        amounts: 1,
        example: `0.${'1'.repeat(19)}`,
      },
    ]);
  });

  test('looks at every amount of the catalogue', async () => {
    const sql = (await sqlFiles('checks')).find(({ name }) => name === 'casts')?.sql ?? '';
    const parts = new Map(
      sql.split('UNION ALL').map((part) => [/FROM lake\.(\w+)/.exec(part)?.[1], part]),
    );
    let looked = 0;
    for (const { name } of datasets) {
      for (const word of wordsOfDataset(name).filter(({ kind }) => kind === amount)) {
        const [text, number] = columnsOf(word).map((column) => column.name);
        expect(parts.get(name)).toContain(`${number} IS NULL AND ${text} IS NOT NULL`);
        looked += 1;
      }
    }
    expect(looked).toBeGreaterThan(10);
  });
});

describe('duplicates', () => {
  test('finds a record with a key that stands twice in one list', async () => {
    const records = [transaction(), transaction({ height: '11' }), transaction({ txId: '0x02' })];
    await small.land(TRANSACTIONS, { keys: ['0xa'], records });
    expect(await findings('duplicates')).toEqual([
      {
        dataset: 'transactions',
        endpoint: TRANSACTIONS,
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
      TRANSACTIONS,
      { keys: ['0xa'], records },
      { keys: ['0xa'], params: { isFromOrTo: 'from' }, records },
    );
    expect(await findings('duplicates')).toEqual([]);
  });

  test('looks at every dataset that has a key', async () => {
    const sql = (await sqlFiles('checks')).find(({ name }) => name === 'duplicates')?.sql ?? '';
    for (const { name, identity } of datasets) {
      if (identity.length === 0) expect(sql).not.toContain(`lake.${name}`);
      else expect(sql).toMatch(new RegExp(`${identity.join(', ')}[^;]*FROM lake\\.${name}\\b`));
    }
  });
});

describe('orphans', () => {
  test('finds rows that no coverage names at their height', async () => {
    await small.land(TRANSACTIONS, { keys: ['0xz'], records: [transaction()] });
    await small.land(INTERNAL, {
      keys: ['0xa'],
      from: 0,
      to: 5,
      records: [internal(), internal()],
    });
    expect(await findings('orphans')).toEqual([
      {
        dataset: 'internal_transactions',
        endpoint: INTERNAL,
        variant: '',
        rows_found: 2,
        lowest_block: 10,
        highest_block: 10,
        example: '0x01',
      },
      expect.objectContaining({ dataset: 'transactions', rows_found: 1 }),
    ]);
  });

  test('looks at every dataset', async () => {
    const sql = (await sqlFiles('checks')).find(({ name }) => name === 'orphans')?.sql ?? '';
    for (const { name } of datasets) expect(sql).toMatch(new RegExp(`FROM (lake\\.)?${name}\\b`));
  });
});

test('overlapping_lists counts the records that two lists hold', async () => {
  const records = [transfer(), transfer(), transfer({ txId: '0x02' })];
  await small.land(
    TOKENS,
    { keys: ['0xa'], params: TOKEN_20, records },
    { keys: ['0xa'], params: { ...TOKEN_20, tokenContractAddress: '0x70' }, records },
    { keys: ['0xa'], params: { protocolType: 'token_721' }, records: [transfer()] },
  );
  expect(await findings('overlapping_lists')).toEqual([
    {
      dataset: 'token_transfers',
      lists: [
        `${TOKENS}?protocolType=token_20`,
        `${TOKENS}?protocolType=token_20&tokenContractAddress=0x70`,
      ],
      records_in_all_of_them: 2,
      example: '0x01',
    },
  ]);
});
