import { afterAll, beforeAll, expect, test } from 'vitest';
import { CURATED_TABLES } from '../../src/curate/curated-tables.ts';
import {
  BLOCKS,
  CROSS_CHAIN,
  crossing,
  HOLDERS,
  INTERNAL,
  internal,
  SmallLake,
  TOKEN_20,
  TOKENS,
  TRANSACTIONS,
  transaction,
  transfer,
  ZONE_BLOCKS,
  ZONE_TRANSACTIONS,
  zoneTransaction,
} from '../fixtures/load-lake.ts';
import { IS_EXHAUSTIVE, IS_THOROUGH } from '../fixtures/thorough.ts';
import { CLIENTS, rowsByView } from './fresh-process.ts';

/**
 * Goal: no view crashes DuckDB below a LIMIT without ORDER BY, neither in windrow nor in other
 * programs that open the warehouse. Crashes end the process, so each reading is a fresh one; the
 * lake of the demo, which did crash, is read so by documented-commands.test.ts.
 */

const TIMES = { windrow: IS_THOROUGH ? 10 : 1, plain: IS_EXHAUSTIVE ? 10 : IS_THOROUGH ? 5 : 1 };

let small: SmallLake;
beforeAll(async () => {
  small = await SmallLake.open();
  const parties = { from: '0xa,0xc', to: '0xb' };
  const records = [transaction(), transaction({ txId: '0x02', ...parties })];
  await small.land(TRANSACTIONS, { keys: ['0xa', '0xb'], records });
  await small.land(INTERNAL, { keys: ['0xa', '0xb'], records: [internal(), internal()] });
  await small.land(TOKENS, { keys: ['0xa'], params: TOKEN_20, records: [transfer()] });
  await small.land(BLOCKS, { keys: [''], records: [{ hash: '0xb10c', height: '10' }] });
  await small.land(ZONE_TRANSACTIONS, { keys: [''], records: [zoneTransaction()] });
  await small.land(ZONE_BLOCKS, { keys: [''], records: [{ hash: '0x2b', height: '50' }] });
  const holder = { rank: '1', symbol: 'ETH', holderAddress: '0xb', amount: '7' };
  await small.land(HOLDERS, { keys: [''], from: 50, to: 50, records: [holder] });
  await small.land(CROSS_CHAIN, { keys: [''], records: [crossing()] });
  await small.publish();
});
afterAll(() => small.close());

test.each(CLIENTS)('every view answers LIMIT in a fresh process: %s', async (client) => {
  for (let i = 0; i < TIMES[client]; i += 1) {
    const rows = await rowsByView(small.lake.layout.warehouse, client);
    expect(rows).toMatchObject({ address_activity: 10, transactions: 2, cross_chain_journeys: 1 });
    const curated = Object.keys(rows).filter((name) => name.startsWith('curated.'));
    expect(curated).toEqual(CURATED_TABLES.map(({ name }) => `curated.${name}`).sort());
    expect(curated.filter((name) => rows[name] === 0)).toEqual([]);
    expect(Object.keys(rows).length - curated.length).toBeGreaterThan(15);
  }
});
