import {
  type DuckDBConnection,
  DuckDBInstance,
  LIST as listType,
  listValue,
  VARCHAR,
} from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sqlFiles } from '../../../../../src/curate/rule/sql-files.ts';
import { freshLake } from '../../../../fixtures/fresh-lake.ts';
import { INTERNALS, LIST, NORMAL, SmallLake, TOKEN_20 } from '../../../../fixtures/load-lake.ts';

describe('exact_sum', () => {
  let instance: DuckDBInstance;
  let connection: DuckDBConnection;

  beforeAll(async () => {
    instance = await DuckDBInstance.create();
    connection = await instance.connect();
    const macro = (await sqlFiles('macros')).find(({ name }) => name === 'exact_sum');
    await connection.run(macro?.sql ?? '');
  });

  afterAll(() => {
    connection.closeSync();
    instance.closeSync();
  });

  async function exactSum(amounts: readonly (string | null)[]): Promise<unknown> {
    const reader = await connection.runAndReadAll(
      'SELECT exact_sum(amount) FROM (SELECT unnest($1::VARCHAR[]) AS amount)',
      [listValue(amounts)],
      [listType(VARCHAR)],
    );
    return reader.getRows()[0]?.[0];
  }

  const PLACES = 255;

  /** The same sum by another way: whole numbers of 10^-255. */
  function bySum(amounts: readonly string[]): string {
    const units = amounts.reduce((sum, amount) => {
      const [whole = '', fraction = ''] = amount.replace('-', '').split('.');
      const value = BigInt(whole + fraction.padEnd(PLACES, '0'));
      return amount.startsWith('-') ? sum - value : sum + value;
    }, 0n);
    const digits = String(units < 0n ? -units : units).padStart(PLACES + 1, '0');
    const whole = digits.slice(0, -PLACES);
    const fraction = digits.slice(-PLACES).replace(/0+$/, '');
    return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
  }

  const digits = (max: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${max}}$`));
  const amountText = fc
    .tuple(
      fc.boolean(),
      digits(80),
      fc.option(fc.oneof(digits(20), digits(PLACES)), { nil: undefined }),
    )
    .map(([isNegative, whole, fraction]) => {
      const rest = fraction === undefined ? '' : `.${fraction}`;
      return `${isNegative ? '-' : ''}${whole}${rest}`;
    });

  test('is what BigInt says, for amounts of any size, sign and fraction', async () => {
    const seed = Number(process.env['SEED'] ?? 4_711);
    await fc.assert(
      fc.asyncProperty(fc.array(amountText, { minLength: 1, maxLength: 20 }), async (amounts) => {
        expect(await exactSum(amounts)).toBe(bySum(amounts));
      }),
      { seed, numRuns: 300 },
    );
  });

  test.each([
    [[String(2n ** 256n - 1n), String(2n ** 256n - 1n)], String(2n ** 257n - 2n)],
    [['-0.5', '0.25'], '-0.25'],
    [['-0.5', '0.5'], '0'],
    [['1.50', null, '0.5'], '2'],
    [['100'], '100'],
    [['-0'], '0'],
    [[`0.${'0'.repeat(77)}1`], `0.${'0'.repeat(77)}1`],
    [[`0.${'0'.repeat(78)}1`, '-0.5', '2'], `1.5${'0'.repeat(77)}1`],
    [[`0.${'9'.repeat(255)}`, `0.${'0'.repeat(254)}1`], '1'],
    [[null, null], null],
    [[], null],
  ] as const)('of %j is %s', async (amounts, sum) => {
    expect(await exactSum(amounts)).toBe(sum);
  });

  test.each(['1e5', ' 7', '1.', '.5', '0x10', '', '--1', `0.${'1'.repeat(256)}`])(
    'of %j is an error: nothing is guessed',
    async (amount) => {
      await expect(exactSum(['1', amount])).rejects.toThrow('exact_sum cannot add');
    },
  );

  test('works per group, and on decimals', async () => {
    const reader = await connection.runAndReadAll(
      `SELECT g, exact_sum(amount) FROM (VALUES (1, 1.5), (2, 4), (1, 0.25)) AS t (g, amount)
       GROUP BY g ORDER BY g`,
    );
    expect(reader.getRows()).toEqual([
      [1, '1.75'],
      [2, '4'],
    ]);
  });
});

describe('complete_until', () => {
  const small = freshLake(beforeEach);

  async function completeUntil(address: string): Promise<unknown> {
    await small.publish();
    return (await small.rows(`SELECT complete_until('${address}')`))[0]?.[0];
  }

  test('is the lowest height that the lists of the address reach', async () => {
    await small.land(LIST.internal, { keys: ['0xa', '0xb'], from: 0, to: 49 });
    await small.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_20, from: 0, to: 29 });
    expect(await completeUntil('0xa')).toBe(29);
    expect(await completeUntil('0xB')).toBe(49);
  });

  test('ends at a gap and before what is not complete', async () => {
    await small.land(LIST.internal, { keys: ['0xa'], from: 0, to: 9 });
    await small.land(LIST.internal, { keys: ['0xa'], from: 10, to: 19, reason: 'read apart' });
    await small.land(LIST.internal, { keys: ['0xa'], from: 21, to: 29 });
    await small.land(LIST.internal, { keys: ['0xb'], from: 0, to: 9 });
    await small.land(LIST.internal, { keys: ['0xb'], from: 10, to: 19, status: 'provisional' });
    await small.land(LIST.internal, { keys: ['0xb'], from: 20, to: 29 });
    expect(await completeUntil('0xa')).toBe(19);
    expect(await completeUntil('0xb')).toBe(9);
  });

  test('is NULL where a list is not complete at its lowest height, or nothing is known', async () => {
    await small.land(LIST.internal, { keys: ['0xa'], from: 0, to: 9, status: 'truncated' });
    await small.land(LIST.internal, { keys: ['0xa'], from: 10, to: 19 });
    await small.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_20, from: 0, to: 19 });
    expect(await completeUntil('0xa')).toBeNull();
    expect(await completeUntil('0xb')).toBeNull();
  });

  test('is NULL where one list begins above what another reaches', async () => {
    await small.land(LIST.internal, { keys: ['0xa'], from: 0, to: 9 });
    await small.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_20, from: 20, to: 29 });
    expect(await completeUntil('0xa')).toBeNull();
  });

  test('can be asked for many addresses at once', async () => {
    await small.land(LIST.internal, { keys: ['0xa'], from: 0, to: 9 });
    await small.land(LIST.internal, { keys: ['0xb'], from: 0, to: 19 });
    await small.publish();
    expect(
      await small.rows(
        `SELECT key, complete_until(key) FROM (SELECT DISTINCT key FROM coverage)
         ORDER BY ALL`,
      ),
    ).toEqual([
      ['0xa', 9],
      ['0xb', 19],
    ]);
  });

  test('lists of the same records stand in for each other', async () => {
    const limited = { status: 'depth_limited' as const };
    await small.land(LIST.ownTransactions, { keys: ['0xa'], from: 0, to: 49, ...limited });
    await small.land(LIST.ownTransactions, { keys: ['0xa'], from: 50, to: 99 });
    await small.land(LIST.transactions, { keys: ['0xa'], from: 0, to: 59 });
    expect(await completeUntil('0xa')).toBe(99);
  });

  test('lists of all stand in for those of an address', async () => {
    await small.land(LIST.internal, { keys: ['0xa'], from: 0, to: 49 });
    await small.land(LIST.internal, { keys: ['0xa'], from: 50, to: 99, status: 'truncated' });
    await small.land(LIST.inBlock, { keys: [''], params: INTERNALS, from: 40, to: 80 });
    expect(await completeUntil('0xa')).toBe(80);
  });

  test('is NULL for what was never asked for by name, whatever blocks were exported', async () => {
    await small.land(LIST.inBlock, { keys: [''], params: NORMAL, from: 0, to: 50 });
    await small.land(LIST.inBlock, { keys: [''], params: INTERNALS, from: 0, to: 40 });
    await small.land(LIST.internal, { keys: ['0xb'], from: 0, to: 20 });
    expect(await completeUntil('0xa')).toBeNull();
    expect(await completeUntil('0xb')).toBe(20);
    expect(
      await small.rows(
        `SELECT complete_until('banana'), complete_until(NULL), complete_until(''),
           complete_until_zone('banana'), complete_until_zone(NULL)`,
      ),
    ).toEqual([[null, null, null, null, null]]);
    for (const wanted of ["'0xa'", "'banana'", "''", 'NULL'])
      expect(await small.rows(`FROM complete_ranges(${wanted})`), wanted).toEqual([]);
  });

  test('counts from the lowest block asked of any list, or from the block given', async () => {
    await small.land(LIST.internal, { keys: ['0xa'], from: 100, to: 199 });
    await small.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_20, from: 120, to: 180 });
    expect(await completeUntil('0xa')).toBeNull();
    expect(
      await small.rows(
        `SELECT first_block, complete_until('0xA', first_block)
         FROM (VALUES (0), (119), (120), (180), (181)) AS asked (first_block) ORDER BY ALL`,
      ),
    ).toEqual([
      [0, null],
      [119, null],
      [120, 180],
      [180, 180],
      [181, null],
    ]);
  });

  test('every protocol type that was asked for must be there', async () => {
    await small.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_20, from: 0, to: 99 });
    const other = { protocolType: 'token_721' };
    await small.land(LIST.tokens, { keys: ['0xa'], params: other, from: 0, to: 30 });
    expect(await completeUntil('0xa')).toBe(30);
  });

  test('the heights of the zone chain are another question', async () => {
    await small.land(LIST.internal, { keys: ['0xa'], from: 0, to: 9 });
    await small.land(LIST.zoneOfAddress, { keys: ['0xa'], from: 0, to: 700 });
    await small.land(LIST.crossChain, {
      keys: ['0xa'],
      params: { address: '*' },
      from: 0,
      to: 600,
    });
    expect(await completeUntil('0xa')).toBe(9);
    expect(await small.rows("SELECT complete_until_zone('0xA')")).toEqual([[600]]);
  });

  test('on a chain where only whole blocks were exported they count for followed ones', async () => {
    await small.land(LIST.internal, { keys: ['0xa'], from: 0, to: 9 });
    await small.land(LIST.zoneTransactions, { keys: [''], from: 500, to: 900 });
    expect(await completeUntil('0xa')).toBe(9);
    expect(
      await small.rows("SELECT complete_until_zone('0xa'), complete_until_zone('0xb')"),
    ).toEqual([[900, null]]);
  });
});

describe('complete_ranges', () => {
  const small = freshLake(beforeEach);

  test('are where every list of the address is complete, chain by chain', async () => {
    await small.land(LIST.internal, { keys: ['0xa'], from: 0, to: 9 });
    await small.land(LIST.internal, { keys: ['0xa'], from: 10, to: 19, status: 'truncated' });
    await small.land(LIST.internal, { keys: ['0xa'], from: 20, to: 99 });
    await small.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_20, from: 5, to: 49 });
    await small.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_20, from: 50, to: 120 });
    await small.land(LIST.zoneOfAddress, { keys: ['0xa'], from: 700, to: 800 });
    await small.publish();
    expect(await small.rows("FROM complete_ranges('0xA')")).toEqual([
      ['primary', 5, 9, 0, 120],
      ['primary', 20, 99, 0, 120],
      ['zone', 700, 800, 700, 800],
    ]);
  });

  test('can be joined to many addresses', async () => {
    await small.land(LIST.internal, { keys: ['0xa'], from: 0, to: 9 });
    await small.land(LIST.internal, { keys: ['0xb'], from: 3, to: 19 });
    await small.publish();
    expect(
      await small.rows(
        `SELECT address, from_block, to_block
         FROM (VALUES ('0xA'), ('0xb'), ('0xc')) AS mine (address),
           LATERAL (FROM complete_ranges(address)) ORDER BY ALL`,
      ),
    ).toEqual([
      ['0xA', 0, 9],
      ['0xb', 3, 19],
    ]);
  });
});

test('macros that take addresses take them in upper and lower case', async () => {
  const small = await SmallLake.open();
  await small.publish();
  const [row] = await small.rows(
    "SELECT list_sort(addresses_in('0xA, 0xB,0xa')), addresses_in('0xA')",
  );
  expect(row).toEqual([['0xa', '0xb'], ['0xa']]);
  await small.close();
});
