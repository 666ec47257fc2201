import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Status } from '../../../src/coverage/coverage.ts';
import {
  CROSS_CHAIN,
  CROSS_DETAILS,
  crossing,
  IN_BLOCK,
  inBlock,
  NORMAL,
  SmallLake,
  withdrawal,
  ZONE_DETAILS,
  ZONE_OF_ADDRESS,
  ZONE_TRANSACTIONS,
  zoneTransaction,
} from '../../fixtures/load-lake.ts';

/** Goal: what the zone chain and the crossings between the chains say is shown once, and summed. */

let small: SmallLake;

beforeEach(async () => {
  small = await SmallLake.open();
});

afterEach(() => small.close());

async function ask(sql: string): Promise<unknown[][]> {
  await small.publish();
  return small.rows(sql);
}

const ZERO = '0x0000000000000000000000000000000000000000';
const NOTHING = '0.000000000000000000';

describe('zone_transactions', () => {
  test('are one a hash: details over lists of addresses over lists of blocks', async () => {
    await small.land(ZONE_TRANSACTIONS, {
      keys: [''],
      records: [zoneTransaction({ value: '4' }), zoneTransaction({ hash: '0x2e02', from: '0xc' })],
    });
    await small.land(ZONE_OF_ADDRESS, {
      keys: ['0xa'],
      records: [zoneTransaction({ actionType: 'own' })],
    });
    await small.land(ZONE_DETAILS, {
      keys: ['0x2e01'],
      records: [{ ...zoneTransaction(), nonce: '1700000005000', actionData: '{"a":1}' }],
    });
    expect(
      await ask(
        `SELECT tx_hash, action_type, amount_text, action_data, len(sources), coverage_status
         FROM zone_transactions ORDER BY ALL`,
      ),
    ).toEqual([
      ['0x2e01', 'order', '4', '{"a":1}', 3, 'complete'],
      ['0x2e02', 'order', null, null, 1, 'complete'],
    ]);
  });
});

describe('cross_chain_transfers', () => {
  const all = { keys: [''] };

  test('equal records are all there, once where two lists hold them', async () => {
    const records = [crossing(), crossing()];
    await small.land(CROSS_CHAIN, { ...all, records });
    await small.land(CROSS_CHAIN, { keys: ['0xa'], params: { address: '*' }, records });
    expect(await ask('SELECT count(*) FROM cross_chain_transfers')).toEqual([[2]]);
  });

  test('are what a complete look-up says, with its details', async () => {
    const records = [crossing(), crossing({ zoneTxHash: '0x2e02' })];
    await small.land(CROSS_CHAIN, { ...all, records });
    await small.land(CROSS_DETAILS, {
      keys: ['0x2e01'],
      records: [{ ...crossing({ value: '3.0' }), zoneEventIndex: '7' }],
    });
    expect(
      await ask(
        `SELECT zone_tx_hash, amount_text, zone_event_index, coverage_status
         FROM cross_chain_transfers ORDER BY ALL`,
      ),
    ).toEqual([
      ['0x2e01', '3.0', 7, 'complete'],
      ['0x2e02', '3', null, 'complete'],
    ]);
  });

  test('are complete for any of the four addresses that they name', async () => {
    const params = { address: '*' };
    for (const [i, field] of ['from', 'to', 'sourceAddress', 'targetAddress'].entries()) {
      const records = [crossing({ [field]: `0xd${i}`, zoneTxHash: `0xe${i}` })];
      await small.land(CROSS_CHAIN, { keys: [`0xd${i}`], params, to: 50, records });
    }
    await small.land(CROSS_CHAIN, {
      keys: ['0xd'],
      params,
      from: 60,
      records: [crossing({ zoneTxHash: '0xfe', zoneBlockHeight: '60' })],
    });
    expect(
      await ask(
        'SELECT coverage_status, count(*) FROM cross_chain_transfers GROUP BY ALL ORDER BY ALL',
      ),
    ).toEqual([
      ['complete', 4],
      ['none', 1],
    ]);
  });
});

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
      await small.land(CROSS_CHAIN, { keys: [''], ...block, records: records(list) });
      const look = { keys: [zoneTxHash], status: lookedUp };
      await small.land(CROSS_DETAILS, { ...look, records: records(lookUp) });
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

describe('the ledger on the zone chain', () => {
  const legs = `SELECT address, leg, direction, counterparty, amount_text, signed_amount, tx_status
    FROM address_activity ORDER BY ALL`;
  const deposit = ['0xb', 'cross_chain', 'in', '0xa', '3'];
  const leaving = ['0xa', 'cross_chain', 'out', '0xb', '3'];

  test.each([
    [
      'a deposit arrives at its target',
      crossing(),
      [...deposit, '3.000000000000000000', 'success'],
    ],
    ['a failed one moves nothing', crossing({ status: '0x0' }), [...deposit, NOTHING, 'fail']],
    ['one without a status is unknown', crossing({ status: '' }), [...deposit, null, null]],
    [
      'a withdrawal leaves its source',
      withdrawal(),
      [...leaving, '-3.000000000000000000', 'success'],
    ],
    [
      'a batch of them as well',
      withdrawal({ crossType: 'BatchWithdraw' }),
      [...leaving, '-3.000000000000000000', 'success'],
    ],
    [
      'and moves nothing when it failed',
      withdrawal({ status: '0x0' }),
      [...leaving, NOTHING, 'fail'],
    ],
  ])('%s', async (_, record, leg) => {
    await small.land(CROSS_CHAIN, { keys: [''], records: [record] });
    expect(await ask(legs)).toEqual([leg]);
    expect(
      await small.rows(
        'SELECT axis, block_number, tx_hash, token_address, source FROM address_activity',
      ),
    ).toEqual([['zone', 50, '0x2e01', ZERO, 'cross_chain_transfers']]);
  });

  test('of a kind that contradicts its direction nobody knows what it moved', async () => {
    const records = [crossing({ crossType: 'Withdraw' })];
    await small.land(CROSS_CHAIN, { keys: [''], records });
    expect(await ask(legs)).toEqual([
      ['0xa', 'cross_chain', 'out', '0xb', '3', null, 'success'],
      ['0xb', 'cross_chain', 'in', '0xa', '3', null, 'success'],
    ]);
  });

  test.each([
    ['with an amount is unknown', zoneTransaction({ value: '4' }), ['4', null, 'success']],
    [
      'that failed moves nothing',
      zoneTransaction({ value: '4', status: '0x0' }),
      ['4', NOTHING, 'fail'],
    ],
    ['without an amount moves nothing', zoneTransaction(), [null, NOTHING, 'success']],
    ['of zero moves nothing', zoneTransaction({ value: '0' }), ['0', NOTHING, 'success']],
  ])('a zone transaction %s', async (_, record, told) => {
    await small.land(ZONE_TRANSACTIONS, { keys: [''], records: [record] });
    expect(await ask(legs)).toEqual([['0xa', 'zone', 'out', null, ...told]]);
  });

  test('a zone transaction of a crossing moves nothing beside it', async () => {
    await small.land(ZONE_TRANSACTIONS, { keys: [''], records: [zoneTransaction({ value: '3' })] });
    await small.land(CROSS_CHAIN, { keys: [''], records: [withdrawal()] });
    expect(await ask('SELECT leg, signed_amount FROM address_activity ORDER BY ALL')).toEqual([
      ['cross_chain', '-3.000000000000000000'],
      ['zone', NOTHING],
    ]);
  });

  test('the primary side of a crossing is told by the legs of its transaction alone', async () => {
    await small.land(IN_BLOCK, { keys: [''], params: NORMAL, records: [inBlock({ amount: '3' })] });
    await small.land(CROSS_CHAIN, { keys: [''], records: [crossing()] });
    expect(
      await ask(
        `SELECT axis, address, sum(signed_amount) FROM address_activity WHERE leg <> 'fee'
         GROUP BY ALL ORDER BY ALL`,
      ),
    ).toEqual([
      ['primary', '0xa', '-3.000000000000000000'],
      ['primary', '0xb', '3.000000000000000000'],
      ['zone', '0xb', '3.000000000000000000'],
    ]);
  });

  test('knows the coverage of an address on the zone chain', async () => {
    const records = [zoneTransaction()];
    await small.land(ZONE_OF_ADDRESS, { keys: ['0xa'], status: 'truncated', records });
    const params = { address: '*' };
    await small.land(CROSS_CHAIN, { keys: ['0xa'], params, records: [withdrawal()] });
    expect(await ask('SELECT leg, coverage_status FROM address_activity ORDER BY ALL')).toEqual([
      ['cross_chain', 'complete'],
      ['zone', 'truncated'],
    ]);
  });
});

describe('cross_chain_journeys', () => {
  test('have the transactions of both chains, and the time from one to the other', async () => {
    await small.land(CROSS_CHAIN, {
      keys: [''],
      records: [crossing(), withdrawal({ mainBlockTime: '1700000009623', mainTxHash: '0x02' })],
    });
    await small.land(IN_BLOCK, { keys: [''], params: NORMAL, to: 5 });
    await small.land(IN_BLOCK, { keys: [''], params: NORMAL, from: 6, records: [inBlock()] });
    await small.land(ZONE_TRANSACTIONS, { keys: [''], records: [zoneTransaction()] });
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
    await small.land(CROSS_CHAIN, { keys: [''], records });
    const reasons = `SELECT zone_tx_hash, main_unmatched, zone_unmatched
      FROM cross_chain_journeys ORDER BY ALL`;
    expect(await ask(reasons)).toEqual([
      ['0x2e01', 'not exported', 'not exported'],
      ['0x2e02', 'not named', 'not exported'],
    ]);
    await small.land(ZONE_DETAILS, { keys: ['0x2e01'] });
    expect(await ask(reasons)).toEqual([
      ['0x2e01', 'not exported', 'missing'],
      ['0x2e02', 'not named', 'not exported'],
    ]);
  });

  test('are one row a record, though transactions stand in several lists', async () => {
    await small.land(CROSS_CHAIN, { keys: [''], records: [crossing(), crossing()] });
    const records = [zoneTransaction()];
    await small.land(ZONE_TRANSACTIONS, { keys: [''], records });
    await small.land(ZONE_OF_ADDRESS, { keys: ['0xa'], records });
    expect(await ask('SELECT count(*) FROM cross_chain_journeys')).toEqual([[2]]);
  });
});
