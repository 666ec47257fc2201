import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { simulatedChain, TOKEN_PLACES } from '../../service/src/simulated/chain.ts';
import { query } from '../../src/load/query/query.ts';
import { balancesAt, zoneBalances } from '../fixtures/balances.ts';
import { exportLake, serve, temporaryRoot } from './harness.ts';

/**
 * Goal: the ledger of an address over primary value, fees, internal transactions, tokens and what
 * crossed to the zone chain sums to the balance that the chain itself computed, to the last unit:
 * failed, shared and unknown records included by their rules.
 */

const HEAD = 1_700;
const ZONE_START = 1_500;
const LAST = 1_630;
const chain = simulatedChain({ seed: 'balances', head: HEAD, zoneStart: ZONE_START });
const addresses = [...chain.addresses(14), ...chain.addresses(400).slice(-6)].sort();
const text = readFileSync(
  new URL('../../pipelines/address-activity.yaml', import.meta.url),
  'utf8',
);

const cleanups: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup();
});

const SUMS = `SELECT axis, address, coalesce(token_address, '') AS token,
    coalesce(token_id, '') AS id, exact_sum(signed_text) AS net
  FROM address_activity WHERE signed_text IS NOT NULL GROUP BY ALL`;

test('the ledger of every address sums to its balances on both chains', async () => {
  const served = await serve(chainSource(chain));
  const { root, remove } = await temporaryRoot();
  cleanups.push(served.close, remove);
  const ran = await exportLake({
    url: served.url,
    root,
    addresses,
    text,
    change: (pipeline) => ({
      ...pipeline,
      source: {
        ...pipeline.source,
        credentials: { kind: 'none' },
        rate: { startPerSecond: 5_000, maxPerSecond: 5_000 },
      },
      blocks: { from: 0, to: LAST },
      zoneBlocks: { from: 0, to: chain.zone.headAt(LAST) },
    }),
  });
  expect(ran.execution).toEqual({ failed: [], short: 0, left: 0 });
  expect(
    ran.checks.filter((check) => check.severity === 'error' && check.findings.length > 0),
  ).toEqual([]);

  const warehouse = join(root, 'warehouse.duckdb');
  const { rows } = await query(warehouse, SUMS, { maxRows: 100_000 });
  const ledger = new Map(
    rows.map(({ axis, address, token, id, net }) => [
      [axis, address, token, id].join('|'),
      unitsOf(String(net)),
    ]),
  );
  const expected = balancesOf();
  const keys = new Set([...ledger.keys(), ...expected.keys()]);
  const wrong = [...keys].filter((key) => (ledger.get(key) ?? 0n) !== (expected.get(key) ?? 0n));
  expect(wrong.slice(0, 10)).toEqual([]);

  // Nobody's balance is trivially right: the chains have moved all of this.
  const nonZero = [...expected].filter(([, net]) => net !== 0n).map(([key]) => key);
  expect(
    nonZero.filter((key) => key.startsWith('primary') && key.endsWith('||')).length,
  ).toBeGreaterThan(13);
  expect(nonZero.filter((key) => key.startsWith('zone')).length).toBeGreaterThan(10);
  expect(nonZero.length).toBeGreaterThan(100);

  // What no rule can sign is named: only actions of the zone chain are left open here.
  const open = await query(
    warehouse,
    `SELECT leg, count(*) AS rows FROM address_activity
     WHERE signed_text IS NULL AND amount_text NOT IN ('0') GROUP BY leg`,
  );
  expect(open.rows.map(({ leg }) => leg)).toEqual(['zone']);
  const legs = await query(warehouse, 'SELECT DISTINCT leg FROM address_activity ORDER BY leg');
  expect(legs.rows.map(({ leg }) => leg)).toEqual([
    'cross_chain',
    'fee',
    'internal',
    'token',
    'value',
    'zone',
  ]);
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

function unitsOf(amount: string): bigint {
  const [whole = '', fraction = ''] = amount.replace('-', '').split('.');
  const units = BigInt(whole + fraction.padEnd(TOKEN_PLACES, '0'));
  return amount.startsWith('-') ? -units : units;
}
