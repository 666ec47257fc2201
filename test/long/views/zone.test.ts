import { beforeEach, describe, expect, test } from 'vitest';
import type { Status } from '../../../src/coverage/coverage.ts';
import { freshLake } from '../../fixtures/fresh-lake.ts';
import {
  crossing,
  inBlock,
  LIST,
  NORMAL,
  withdrawal,
  zoneTransaction,
} from '../../fixtures/load-lake.ts';

/** Goal: what the zone chain and the crossings between the chains say is shown once, and summed. */

const small = freshLake(beforeEach);

const ask = (sql: string) => small.published(sql);

describe('the primary half of a crossing, which a service fills in later', () => {
  const FULL = ['0x09', 'complete'];
  const HALF = [null, 'complete'];
  const WHOLE = ['complete', 'complete'] as const;

  /** Main hashes that the list and the look-up have, and those that are shown. */
  const CASES: readonly (readonly [
    why: string,
    list: readonly string[],
    lookUp: readonly string[],
    shown: readonly (readonly (string | null)[])[],
    statuses?: readonly [list: Status, lookUp: Status],
  ])[] = [
    ['the look-up lacks it', ['0x09'], [''], [FULL]],
    ['the list lacks it', [''], ['0x09'], [FULL]],
    ['both lack it', [''], [''], [HALF], ['complete', 'provisional']],
    [
      'its block is not final',
      ['0x09'],
      [''],
      [['0x09', 'provisional']],
      ['provisional', 'complete'],
    ],
    ['its list has no proof', ['0x09'], [''], [HALF], ['inconsistent', 'complete']],
    ['one of two records alike lacks it in both', ['0x09', ''], ['0x09', ''], [FULL, HALF]],
    [
      'one of two lacks it in the look-up',
      ['0x09', '0x0a'],
      ['0x09', ''],
      [FULL, ['0x0a', 'complete']],
    ],
  ];

  test('is that of the list that has it for all records alike', async () => {
    for (const [i, [, list, lookUp, , statuses = WHOLE]] of CASES.entries()) {
      const zoneTxHash = `0x2e${i}`;
      const records = (hashes: readonly string[]) =>
        hashes.map((mainTxHash) => {
          const mainBlockHeight = mainTxHash === '' ? '' : '12';
          return crossing({ zoneTxHash, zoneBlockHeight: String(i), mainTxHash, mainBlockHeight });
        });
      const [status, lookedUp] = statuses;
      const block = { from: i, to: i, status };
      await small.land(LIST.crossChain, { keys: [''], ...block, records: records(list) });
      const look = { keys: [zoneTxHash], status: lookedUp };
      await small.land(LIST.crossDetails, { ...look, records: records(lookUp) });
    }
    const rows = await ask(
      `SELECT zone_block_number, main_tx_hash, coverage_status
       FROM cross_chain_transfers ORDER BY ALL`,
    );
    const expected = CASES.flatMap(([, , , shown], i) => shown.map((row) => [i, ...row]));
    expect(rows).toEqual(expected);
    expect(await small.rows('SELECT count(*) FROM cross_chain_journeys')).toEqual([
      [expected.length],
    ]);
    // They are no findings: the record names no primary transaction.
    expect(
      await small.rows(
        `SELECT zone_block_number FROM cross_chain_journeys
         WHERE main_tx_hash IS NULL AND main_unmatched <> 'not named'`,
      ),
    ).toEqual([]);
  });
});

describe('cross_chain_journeys', () => {
  test('have the transactions of both chains, and the time from one to the other', async () => {
    await small.land(LIST.crossChain, {
      keys: [''],
      records: [crossing(), withdrawal({ mainBlockTime: '1700000009623', mainTxHash: '0x02' })],
    });
    await small.land(LIST.inBlock, { keys: [''], params: NORMAL, to: 5 });
    await small.land(LIST.inBlock, { keys: [''], params: NORMAL, from: 6, records: [inBlock()] });
    await small.land(LIST.zoneTransactions, { keys: [''], records: [zoneTransaction()] });
    expect(
      await ask(
        `SELECT cross_type, main_status, zone_status, latency_seconds, main_leg_found,
           main_unmatched, zone_leg_found, zone_unmatched, coverage_status
         FROM cross_chain_journeys ORDER BY ALL`,
      ),
    ).toEqual([
      ['Deposit', 'success', 'success', 5, true, null, true, null, 'complete'],
      ['Withdraw', null, 'success', 4.5, false, 'missing', true, null, 'complete'],
    ]);
  });

  test('say why a leg was not found', async () => {
    const records = [crossing(), crossing({ mainTxHash: '', zoneTxHash: '0x2e02' })];
    await small.land(LIST.crossChain, { keys: [''], records });
    const reasons = `SELECT zone_tx_hash, main_unmatched, zone_unmatched
      FROM cross_chain_journeys ORDER BY ALL`;
    expect(await ask(reasons)).toEqual([
      ['0x2e01', 'not exported', 'not exported'],
      ['0x2e02', 'not named', 'not exported'],
    ]);
    await small.land(LIST.zoneTransactions, { keys: [''] });
    expect(await ask(reasons)).toEqual([
      ['0x2e01', 'not exported', 'missing'],
      ['0x2e02', 'not named', 'missing'],
    ]);
  });

  test('are one row a record, though transactions stand in several lists', async () => {
    await small.land(LIST.crossChain, { keys: [''], records: [crossing(), crossing()] });
    const records = [zoneTransaction()];
    await small.land(LIST.zoneTransactions, { keys: [''], records });
    await small.land(LIST.zoneOfAddress, { keys: ['0xa'], records });
    expect(await ask('SELECT count(*) FROM cross_chain_journeys')).toEqual([[2]]);
  });
});
