import { readdir } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { exportVerb } from '../../../../src/cli/verbs/export.ts';
import { queryVerb } from '../../../../src/cli/verbs/query/query.ts';
import type { Fault } from '../../../../src/fault.ts';
import { freshLake } from '../../../fixtures/fresh-lake.ts';
import { LIST, TOKEN_20, transaction, transfer } from '../../../fixtures/load-lake.ts';
import { quietConsole } from '../../../fixtures/quiet-console.ts';
import { lengthened } from '../../../fixtures/short-addresses.ts';

/** An answer as a table. */
const TABLE = { csv: false, markdown: false, vertical: false, force: false };

const small = freshLake(beforeAll);
beforeAll(async () => {
  await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
  const large = transfer({ amount: '90000000000000000000' });
  await small.land(LIST.tokens, {
    keys: ['0xa'],
    params: TOKEN_20,
    records: [large, large, transfer({ amount: `1${'0'.repeat(30)}` })],
  });
  await small.publish();
});
const request = (sql: string) =>
  queryVerb({ sql, data: small.root, maxRows: '5', timeout: '60', ...TABLE }, quietConsole);

const ELSEWHERE = [
  "SELECT * FROM read_text('/etc/hostname')",
  "FROM '/elsewhere/mine.csv'",
  "FROM read_csv('https://service.example/mine.csv')",
];

describe('SQL that names a file elsewhere', () => {
  it.each(ELSEWHERE)('%s is refused with the files that SQL may read', async (sql) => {
    const exported = { what: [], sql, name: 'mine', force: false, rawText: false, timeout: '60' };
    const write = () => exportVerb({ ...exported, data: small.root }, quietConsole);
    for (const ask of [() => request(sql), write]) {
      await expect(ask()).rejects.toMatchObject({
        kind: 'query',
        exitCode: 2,
        message: expect.stringContaining('Cannot access file') as string,
        advice: expect.stringMatching(
          '^SQL here reads only the lake and files below its data root.*connect',
        ) as string,
      });
    }
  });
});

describe('a column of another site', () => {
  it.each(['SELECT evt_index FROM', 'SELECT t.evt_index FROM'])('%s', async (start) => {
    await expect(request(`${start} dune.erc20_evt_transfer AS t`)).rejects.toMatchObject({
      advice: expect.stringMatching('no evt_index: docs/familiar-names.md says') as string,
    });
  });
});

describe('habits of other tools', () => {
  it('backticks are to be closed', async () => {
    await expect(request('SELECT 1 FROM `crypto_ethereum.blocks')).rejects.toMatchObject({
      advice: expect.stringContaining('Close each backtick') as string,
    });
  });

  it.each([
    ['my.sql', '"$(cat my.sql)"'],
    ['FROM blocks', "'FROM blocks'"],
  ])('%s in place of a view is exported with --sql', async (what, sql) => {
    const input = { what: [what], name: 'mine', force: false, rawText: false, timeout: '60' };
    await expect(exportVerb({ ...input, data: small.root }, quietConsole)).rejects.toMatchObject({
      advice: `To export the answer of a query, give its text: --sql ${sql} --name NAME.`,
    });
  });
});

describe('other refusals', () => {
  it.each([
    ["FROM read_parquet('/moved/lake/MAINCHAIN/transactions/a.parquet')", 'windrow load'],
    ["FROM read_parquet('/moved/curated/MAINCHAIN/transactions/a.parquet')", 'windrow load'],
    ['SELECT nothing', 'windrow describe VIEW'],
    ["SELECT CAST('x' AS INT)", 'TRY_CAST gives NULL'],
    ['SELECT approx_percentile(1, 0.5)', 'lists functions and types'],
  ])('%s: advice names %s', async (sql, words) => {
    await expect(request(sql)).rejects.toMatchObject({
      advice: expect.stringContaining(words) as string,
    });
  });
});

describe('amounts that fit no decimal', () => {
  it.each([
    'SELECT sum(amount) FROM token_transfers',
    'SELECT sum(signed_amount) FROM address_activity',
    'SELECT avg(amount) FROM token_transfers',
    'SELECT CAST(amount_text AS DECIMAL(38, 18)) FROM token_transfers',
  ])('%s names sums that are exact, and that are rounded', async (sql) => {
    await expect(request(sql)).rejects.toMatchObject({
      kind: 'query',
      advice: expect.stringMatching(/exact_sum\(amount_text\).*sum\(amount_double\)/) as string,
    });
  });

  it('are named by DuckDB where address_activity has no amount', async () => {
    const fault = await request('SELECT sum(amount) FROM address_activity').catch((error) => error);
    expect(fault.paragraph()).toMatch(/Candidate bindings: .*amount_text.*windrow describe VIEW/s);
  });

  it('have both answers that are named', async () => {
    expect(
      await small.rows(
        'SELECT exact_sum(amount_text), round(sum(amount_double) / 1e30, 6) FROM token_transfers',
      ),
    ).toEqual([['1000000000180000000000000000000', 1]]);
  });
});

const notes = async (sql: string): Promise<string[]> => {
  const said: string[] = [];
  const output = { ...quietConsole, note: (text: string) => said.push(text) };
  await queryVerb({ sql, data: small.root, maxRows: '5', timeout: '60', ...TABLE }, output);
  return said;
};

const STRANGER = `0x${'5'.repeat(40)}`;

describe('a literal that a macro finds nothing for', () => {
  it.each([
    [
      "SELECT complete_until('banana')",
      "complete_until('banana') has no answer: an address is 0x and 40 hexadecimal digits.",
    ],
    [
      'SELECT complete_until_zone(NULL, 20)',
      'complete_until_zone(NULL) has no answer: give an address in quotes.',
    ],
    [
      "FROM ledger_of('0x12')",
      "ledger_of('0x12') has no answer: an address is 0x and 40 hexadecimal digits.",
    ],
    [
      `FROM complete_ranges('${STRANGER}')`,
      `complete_ranges('${STRANGER}') has no answer: no pipeline requested this address by name ` +
        '(it is not followed).',
    ],
  ])('is named in a note: %s', async (sql, note) => {
    expect(await notes(sql)).toEqual([note]);
  });

  it.each([
    `SELECT complete_until('${lengthened('0xA')}')`,
    `FROM complete_ranges(lower('${lengthened('0xA')}'))`,
    `SELECT label_of('${STRANGER}')`,
    `FROM ledger_of('${STRANGER}')`,
  ])('is passed over where the macro can answer: %s', async (sql) => {
    expect(await notes(sql)).toEqual([]);
  });
});

describe('a file of SQL that is not there', () => {
  it('is named, with the folder of the examples', async () => {
    const input = { file: 'absent.sql', data: small.root, maxRows: '5', timeout: '60', ...TABLE };
    const fault = await queryVerb(input, quietConsole).catch((error: unknown) => error as Fault);
    expect(fault).toMatchObject({
      exitCode: 2,
      where: 'absent.sql',
      message: 'The SQL file cannot be read: there is no such file.',
    });
    const [, folder = ''] = /Examples are in (.*)\.$/.exec(String((fault as Fault).advice)) ?? [];
    expect(await readdir(folder)).toContain('token_net_flow.sql');
  });
});

describe('a hash or an address with capitals', () => {
  it.each([
    "SELECT * FROM address_activity WHERE address = '0xA'",
    "SELECT count(*), sum(amount) FROM transactions WHERE from_address IN ('0xb', '0xA')",
    "FROM transactions WHERE from_address LIKE '0xA%'",
  ])('is hinted at where nothing matches: %s', async (sql) => {
    expect(await notes(sql)).toEqual([expect.stringContaining('are stored in lower case')]);
  });

  it.each([
    "SELECT * FROM address_activity WHERE address = '0xa'",
    "SELECT * FROM address_activity WHERE address = '0xdead'",
    "SELECT * FROM address_activity WHERE address = lower('0xA') AND leg = 'zone'",
    `SELECT complete_until('${lengthened('0xA')}')`,
    "SELECT '0xA' AS text",
  ])('is passed over where that is not why: %s', async (sql) => {
    expect(await notes(sql)).toEqual([]);
  });
});
