import { beforeEach, describe, expect, test } from 'vitest';
import { keepNames } from '../../src/land/names.ts';
import { freshLake } from '../fixtures/fresh-lake.ts';
import {
  crossing,
  inBlock,
  internal,
  LIST,
  NORMAL,
  TOKEN_20,
  transaction,
  transfer,
  withdrawal,
  zoneTransaction,
} from '../fixtures/load-lake.ts';
import { lengthened } from '../fixtures/short-addresses.ts';

/** Goal: one word means one thing in every view: amounts, statuses, labels, followed addresses. */

const small = freshLake(beforeEach);

async function viewsWith(column: string): Promise<string[]> {
  const rows = await small.rows(
    `SELECT table_name FROM duckdb_columns()
     WHERE schema_name = 'main' AND column_name = '${column}' ORDER BY ALL`,
  );
  return rows.map(([name]) => String(name));
}

const LARGE = `1${'0'.repeat(50)}`;

describe('amount_double', () => {
  test('stands beside amount_text in every view', async () => {
    await small.publish();
    const exact = await viewsWith('amount_text');
    expect(exact.length).toBeGreaterThan(8);
    expect(await viewsWith('amount_double')).toEqual(exact);
    expect(await viewsWith('signed_double')).toEqual(await viewsWith('signed_text'));
    const types = await small.rows(
      `SELECT DISTINCT data_type FROM duckdb_columns() WHERE column_name LIKE '%\\_double' ESCAPE '\\'`,
    );
    expect(types).toEqual([['DOUBLE']]);
  });

  test('has amounts that fit no decimal, and sums of them', async () => {
    const records = [transfer({ amount: LARGE }), transfer({ from: '0xb', to: '0xa' })];
    await small.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_20, records });
    await small.publish();
    const transfers = `SELECT amount, amount_double FROM token_transfers ORDER BY ALL`;
    expect(await small.rows(transfers)).toEqual([
      ['25.000000000000000000', 25],
      [null, 1e50],
    ]);
    expect(
      await small.rows('SELECT signed_double, signed_text FROM address_activity ORDER BY ALL'),
    ).toEqual([
      [-1e50, `-${LARGE}`],
      [25, '25'],
    ]);
    expect(await small.rows('SELECT sum(amount_double) FROM token_flows')).toEqual([[1e50]]);
  });

  test('of a flow is the double nearest to its exact sum', async () => {
    // Added one after the other as doubles, the small amounts would be lost.
    const amounts = ['1', '1', '9007199254740992', '1', '1'];
    const records = amounts.map((amount, i) => transfer({ amount, txId: `0x0${i}` }));
    await small.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_20, records });
    await small.publish();
    expect(await small.rows('SELECT amount_double FROM token_flows')).toEqual([
      [9_007_199_254_740_996],
    ]);
  });

  test('of every other view is the number that the text says', async () => {
    await small.land(LIST.inBlock, { keys: [''], params: NORMAL, records: [inBlock()] });
    await small.land(LIST.internalByHash, { keys: ['0x01'], records: [internal()] });
    await small.land(LIST.zoneTransactions, {
      keys: [''],
      records: [zoneTransaction({ value: '4' })],
    });
    await small.land(LIST.crossChain, { keys: [''], records: [crossing()] });
    await small.publish();
    for (const [view, amount] of [
      ['transactions', 1.5],
      ['internal_transactions', 2],
      ['zone_transactions', 4],
      ['cross_chain_transfers', 3],
      ['cross_chain_journeys', 3],
    ] as const)
      expect(await small.rows(`SELECT amount_double FROM ${view}`), view).toEqual([[amount]]);
  });
});

describe('statuses', () => {
  test('are success, fail or pending in every view, with succeeded beside them', async () => {
    const states = ['success', 'fail', 'pending'];
    const records = states.map((state, i) => transaction({ txId: `0x0${i}`, state }));
    const keys = ['0x00', '0x01', '0x02'];
    await small.land(LIST.transactionsByHash, { keys, records });
    await small.land(LIST.transactions, {
      keys: ['0xa'],
      records: [transaction({ txId: '0x09' })],
    });
    await small.land(LIST.internalByHash, {
      keys: ['0x00'],
      records: ['success', 'fail'].map((state) => ({ ...internal({ txId: '0x00' }), state })),
    });
    await small.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_20, records: [transfer()] });
    const zone = [zoneTransaction(), zoneTransaction({ hash: '0x2e02', status: '0x0' })];
    await small.land(LIST.zoneTransactions, { keys: [''], records: zone });
    const crossed = [crossing(), withdrawal({ status: '0x0' }), crossing({ status: '' })];
    await small.land(LIST.crossChain, { keys: [''], records: crossed });
    await small.publish();
    const request = await small.rows(
      `SELECT table_name, column_name FROM duckdb_columns()
       WHERE schema_name = 'main' AND column_name IN
         ('tx_status', 'cross_status', 'main_status', 'zone_status') ORDER BY ALL`,
    );
    expect(request).toHaveLength(9);
    const seen = new Set<unknown>();
    for (const [view, column] of request) {
      const results = await small.rows(`SELECT DISTINCT ${column} FROM ${view}`);
      for (const [status] of results) seen.add(status);
    }
    expect(seen).toEqual(new Set([...states, null]));
    const views = [...new Set(request.map(([view]) => String(view)))];
    expect(await viewsWith('succeeded')).toEqual(views);
    for (const view of views) {
      const status = view.startsWith('cross_') ? 'cross_status' : 'tx_status';
      const wrong = `SELECT count(*), count(*) FILTER (succeeded IS DISTINCT FROM
        CASE ${status} WHEN 'success' THEN true WHEN 'fail' THEN false END) FROM ${view}`;
      const [[rows, others] = []] = await small.rows(wrong);
      expect([Number(rows) > 0, others], view).toEqual([true, 0]);
    }
  });

  test('stay as served in the raw tables', async () => {
    const records = [zoneTransaction(), zoneTransaction({ hash: '0x2e02', status: '0x7' })];
    await small.land(LIST.zoneTransactions, { keys: [''], records });
    await small.publish();
    const statuses = 'SELECT tx_status FROM';
    expect(await small.rows(`${statuses} lake.zone_transactions ORDER BY ALL`)).toEqual([
      ['0x1'],
      ['0x7'],
    ]);
    // A word that the interface does not know is shown, not guessed.
    expect(await small.rows(`${statuses} zone_transactions ORDER BY ALL`)).toEqual([
      ['0x7'],
      ['success'],
    ]);
  });
});

test('ledger_of has the running sum of each token, for an address in any case', async () => {
  const sent = transaction({ amount: '2', state: 'success' });
  const back = transaction({ txId: '0x02', height: '20', from: '0xb', to: '0xa', amount: '5' });
  await small.land(LIST.transactionsByHash, {
    keys: ['0x01', '0x02'],
    records: [sent, { ...back, state: 'success' }],
  });
  await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction(), back] });
  const records = [transfer(), transfer({ height: '20', from: '0xb', to: '0xa', amount: LARGE })];
  await small.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_20, records });
  await small.publish();
  const ledger = `SELECT block_number, leg, round(balance_double, 6) FROM ledger_of('0xA')`;
  expect(await small.rows(ledger)).toEqual([
    [10, 'fee', -2.000021],
    [10, 'token', -25],
    [10, 'value', -2.000021],
    [20, 'token', 1e50],
    [20, 'value', 2.999979],
  ]);
  expect(await small.rows("FROM ledger_of('banana')")).toEqual([]);
});

describe('labels', () => {
  const LABELS = [
    ['0xa', 'treasury'],
    ['0xb', "it's an exchange, #1"],
  ] as const;
  const labels = new Map(LABELS.map(([address, label]) => [lengthened(address), label]));

  test('are in the warehouse, and beside the addresses of the views', async () => {
    await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
    await small.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_20, records: [transfer()] });
    await small.land(LIST.holders, {
      keys: [''],
      from: 50,
      to: 50,
      records: [{ rank: '1', symbol: 'ETH', holderAddress: '0xb', amount: '7' }],
    });
    await keepNames(small.lake, { labels });
    await small.publish();
    expect(await small.rows('FROM labels ORDER BY ALL')).toEqual(LABELS);
    expect(
      await small.rows('SELECT leg, label, counterparty_label FROM address_activity ORDER BY ALL'),
    ).toEqual([
      ['fee', 'treasury', null],
      ['token', 'treasury', "it's an exchange, #1"],
      ['value', 'treasury', "it's an exchange, #1"],
    ]);
    expect(await small.rows('SELECT label FROM native_holders')).toEqual([
      ["it's an exchange, #1"],
    ]);
    expect(
      await small.rows("SELECT label_of('0xA'), label_of(from_address) FROM token_flows"),
    ).toEqual([['treasury', 'treasury']]);
  });
});
