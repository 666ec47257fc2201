import { readFileSync } from 'node:fs';
import { parseUnits } from 'viem';
import { beforeAll, describe, expect, test } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { simulatedChain, TOKEN_PLACES } from '../../service/src/simulated/chain.ts';
import { sqlFiles } from '../../src/curate/rule/sql-files.ts';
import { layout } from '../../src/land/storage/layout.ts';
import { query } from '../../src/load/query/query.ts';
import { balancesAt, zoneBalances } from '../fixtures/balances.ts';
import { freshFolder } from '../fixtures/when-over.ts';
import { EXAMPLES } from '../model/answers/examples.ts';
import { BALANCES, chainBalances, VIEWS } from '../model/answers/views.ts';
import { type World, worldOf } from '../model/answers/world.ts';
import { comparable, exportLake, serve } from './harness.ts';

/**
 * Goal: the questions of sql/examples and the views behind them are answered as the chain itself
 * would answer them, and the ledger sums to its balances, failed, shared and unknown records included
 * by their rules. The expected rows come from the movements and balances that the chain computed.
 */

const ZONE_START = 500;
const LAST = 560;
// Without refused withdrawals of these addresses, whose blocks would stay provisional.
const chain = simulatedChain({ seed: 'answers 2', head: 640, zoneStart: ZONE_START });
const addresses = [...chain.addresses(9), ...chain.addresses(400).slice(-3)].sort();
const labels = new Map(addresses.map((address, i) => [address, `account ${i % 7}`]));
const methods = new Map([['0xa9059cbb', 'transfer']]);
const text = readFileSync(
  new URL('../../pipelines/address-activity.yaml', import.meta.url),
  'utf8',
);

let world: World;
let warehouse = '';
beforeAll(async () => {
  const lastZone = chain.zone.headAt(LAST);
  world = worldOf({ chain, addresses, last: LAST, lastZone }, labels);
  const served = await serve(chainSource(chain));
  const root = await freshFolder();
  const ran = await exportLake({
    url: served.url,
    root,
    addresses,
    labels,
    names: { tokens: new Map(), methods },
    text,
    change: (pipeline) => ({
      ...pipeline,
      source: {
        ...pipeline.source,
        credentials: { kind: 'none' },
        rate: { startPerSecond: 5_000, maxPerSecond: 5_000 },
      },
      blocks: { from: 0, to: LAST },
      zoneBlocks: { from: 0, to: lastZone },
    }),
  });
  expect(ran.execution).toEqual({ failed: [], short: 0, left: 0 });
  const wrong = ran.checks.filter((rule) => rule.severity === 'error' && rule.findings.length > 0);
  expect(wrong).toEqual([]);
  warehouse = layout(root).warehouse;
});

async function answerTo(sql: string): Promise<unknown[][]> {
  const { rows } = await query(warehouse, sql, { maxRows: 1_000_000 });
  return rows.map((row) => Object.values(row));
}

/** Compares rows in any order and shows the first differences, because there are very many rows. */
function expectRows(rows: readonly unknown[][], expected: readonly unknown[][]): void {
  const [actual, wanted] = [comparable(rows), comparable(expected)];
  const [all, there] = [new Set(wanted), new Set(actual)];
  expect(actual.filter((row) => !all.has(row)).slice(0, 3)).toEqual([]);
  expect(wanted.filter((row) => !there.has(row)).slice(0, 3)).toEqual([]);
  expect(actual).toEqual(wanted);
}

test.each(Object.entries(VIEWS))('the view %s', async (name, { columns, where, rows }) => {
  const actual = await answerTo(`SELECT ${columns} FROM ${name} WHERE ${where}`);
  expect(actual.length).toBeGreaterThan(0);
  expectRows(actual, rows(world));
});

test('token_balances are the balances that the chain keeps, to the last unit', async () => {
  const held = chainBalances(world);
  const actual = (await answerTo(BALANCES)).map(([address, token, net]): [string, unknown] => {
    return [`${address}|${token}`, net];
  });
  const nets = new Map(actual);
  const wrong = [...held].filter(([key, net]) => (nets.get(key) ?? '0') !== net);
  expect(wrong).toEqual([]);
  expect(actual.filter(([key, net]) => (held.get(key) ?? '0') !== net)).toEqual([]);
  expect(actual.length).toBeGreaterThan(30);
});

const SUMS = `SELECT axis, address, coalesce(token_address, '') AS token,
    coalesce(token_id, '') AS id, exact_sum(signed_text) AS net
  FROM address_activity WHERE signed_text IS NOT NULL GROUP BY ALL`;

test('the ledger of every address sums to its balances on both chains', async () => {
  const ledger = new Map(
    (await answerTo(SUMS)).map((row) => [
      row.slice(0, 4).join('|'),
      parseUnits(String(row[4]), TOKEN_PLACES),
    ]),
  );
  const expected = balancesOf();
  const keys = new Set([...ledger.keys(), ...expected.keys()]);
  const wrong = [...keys].filter((key) => (ledger.get(key) ?? 0n) !== (expected.get(key) ?? 0n));
  expect(wrong.slice(0, 10)).toEqual([]);
  // No balance is right because nothing has moved.
  const moved = [...expected].filter(([, net]) => net !== 0n).map(([key]) => key);
  const native = moved.filter((key) => key.startsWith('primary') && key.endsWith('||'));
  expect(native.length).toBeGreaterThan(8);
  expect(moved.filter((key) => key.startsWith('zone')).length).toBeGreaterThan(8);
  // Only actions of the zone chain have no rule that signs them.
  const open = `SELECT DISTINCT leg FROM address_activity
    WHERE signed_text IS NULL AND amount_text NOT IN ('0')`;
  expect(await answerTo(open)).toEqual([['zone']]);
  const legs = await answerTo('SELECT DISTINCT leg FROM address_activity ORDER BY leg');
  expect(legs.flat()).toEqual(['cross_chain', 'fee', 'internal', 'token', 'value', 'zone']);
});

/** Examples of what captures land: this lake has none of it. */
const CAPTURED = /^(pending|preconf\w*|stream)_/;

describe('sql/examples', async () => {
  const examples = await sqlFiles('examples');

  test('every example has an answer from the chain', () => {
    const ofLists = examples.filter(({ name }) => !CAPTURED.test(name));
    expect(Object.keys(EXAMPLES).sort()).toEqual(ofLists.map(({ name }) => name));
    expect(examples.length).toBeGreaterThanOrEqual(20);
  });

  test.each(examples.map(({ name, sql, columns }) => ({ name, sql, columns })))(
    '$name',
    async ({ name, sql, columns }) => {
      const expected = EXAMPLES[name]?.(world) ?? [];
      const rows = await answerTo(sql);
      const isEmpty = name === 'where_data_is_incomplete' || CAPTURED.test(name);
      if (!isEmpty) expect(rows.length).toBeGreaterThan(0);
      expect(rows.every((row) => row.length === columns.size)).toBe(true);
      // Sums of DECIMAL are texts with all places.
      const plain = rows.map((row) =>
        row.map((cell) => {
          return typeof cell === 'string' && /^-?\d+\.\d{18}$/.test(cell) ? Number(cell) : cell;
        }),
      );
      const isDecimal = name === 'largest_counterparties';
      expectRows(isDecimal ? plain : rows, expected);
    },
  );
});

/** The exported addresses' balances, by axis, address, token and id, in units of 10^-18. */
function balancesOf(): Map<string, bigint> {
  const { native, tokens } = balancesAt(chain, LAST);
  const zone = zoneBalances(chain, 0, chain.zone.headAt(LAST));
  const ours = new Set(addresses);
  const all = new Map<string, bigint>();
  for (const [address, net] of native) all.set(`primary|${address}||`, net);
  for (const [key, net] of tokens) all.set(`primary|${key}`, net);
  for (const [key, net] of zone) all.set(`zone|${key}`, net);
  return new Map([...all].filter(([key]) => ours.has(key.split('|')[1] ?? '')));
}
