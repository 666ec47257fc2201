import { cp, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { printResult } from '../../../../src/cli/terminal/verb-result.ts';
import { checkVerb } from '../../../../src/cli/verbs/check.ts';
import { exportVerb } from '../../../../src/cli/verbs/export.ts';
import { loadVerb } from '../../../../src/cli/verbs/load.ts';
import { queryVerb } from '../../../../src/cli/verbs/query/query.ts';
import { statusVerb } from '../../../../src/cli/verbs/status/status.ts';
import { verifyVerb } from '../../../../src/cli/verbs/verify.ts';
import { openConnection, openDatabase } from '../../../../src/land/storage/connection.ts';
import { localDisk } from '../../../../src/land/storage/disk.ts';
import { publishWarehouse } from '../../../../src/load/warehouse.ts';
import { checkSmall } from '../../../fixtures/check-findings.ts';
import { LIST, SmallLake, TOKEN_20, transaction } from '../../../fixtures/load-lake.ts';
import { keepingConsole } from '../../../fixtures/quiet-console.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';
import { freshFolder, whenOver } from '../../../fixtures/when-over.ts';
import { Chance } from '../../../model/chance.ts';
import { flipBit, lakeFiles } from '../../../model/corrupter.ts';

/** An answer as a table. */
const TABLE = { csv: false, markdown: false, vertical: false, force: false };

/** Goal: every verb that meets damage on disk names the same file in the same words. */

let original: SmallLake;
let parent = '';
/** A copy of the data root: its warehouse names the files of the original. */
let root = '';
const said = { out: [] as string[], notes: [] as string[] };
const output = keepingConsole(said.out, said.notes);

beforeAll(async () => {
  original = await SmallLake.open();
  whenOver(() => original.close());
  // An amount that no number holds gives the checks evidence at its height, in a file.
  const records = [transaction({ amount: '9'.repeat(30) })];
  await original.land(LIST.transactions, { keys: ['0xa'], records });
  await original.publish();
  parent = await freshFolder();
});
beforeEach(async () => {
  root = await mkdtemp(join(parent, 'root-'));
  await cp(original.root, root, { recursive: true });
  said.out.length = 0;
  said.notes.length = 0;
});

/** False for files of the coverage tables, which are made from the logs of the others. */
function isOfRows(path: string): boolean {
  return !path.includes('/coverage/');
}

it('files that nothing names and files that nothing proves are counted in the text of verify', async () => {
  const folder = join(root, 'lake', 'MAINCHAIN', 'transactions');
  const [name = ''] = (await readdir(folder)).filter((item) => item.endsWith('.parquet'));
  await cp(join(folder, name), join(folder, 'left.parquet'));
  expect(await printResult(verifyVerb({ data: root, repair: false }, output), output)).toBe(0);
  expect(said.out.join('\n')).toMatch(
    /^ {2}Not named by any readable log entry, so no query reads them \(1\): left\.parquet$/m,
  );
});

const query = () =>
  printResult(
    queryVerb(
      { sql: 'FROM lake.transactions', data: root, maxRows: '5', timeout: '60', ...TABLE },
      output,
    ),
    output,
  );
const check = (deep = false) => printResult(checkVerb({ data: root, deep }, output), output);
const exported = () =>
  printResult(
    exportVerb(
      {
        what: ['lake.transactions'],
        name: '',
        force: true,
        rawText: false,
        timeout: '60',
        data: root,
      },
      output,
    ),
    output,
  );

it('a view that was changed inside the warehouse of a run fails verify', async () => {
  const copy = await SmallLake.open(root);
  const job = { lake: copy.lake, effects: quietEffects(), disk: localDisk };
  await publishWarehouse({ ...job, areChecksNext: true });
  await checkSmall(copy, { isKept: true });
  copy.lake.close();
  const instance = await openDatabase(join(root, 'warehouse.duckdb'));
  const connection = await openConnection(instance);
  await connection.run('CREATE OR REPLACE VIEW transactions AS SELECT 1 AS n');
  connection.closeSync();
  instance.closeSync();
  expect(await printResult(verifyVerb({ data: root, repair: false }, output), output)).toBe(1);
  expect(said.out.join('\n')).toContain('Its views or macros were changed after it was published');
});

it.each([
  ['query', 0, query],
  ['check', 4, check],
] as const)('%s answers a data root that was moved, and ends with %i', async (_, code, verb) => {
  expect(await verb()).toBe(code);
  expect(said.notes).toEqual([
    'The warehouse names files at another place, because the data root was moved; it is ' +
      'rebuilt from the lake.',
  ]);
  expect(await verb()).toBe(code);
  expect(said.notes).toHaveLength(1);
});

it('a data root has the same warehouse by its own path and through a link', async () => {
  await query();
  said.notes.length = 0;
  const link = `${root}-link`;
  await symlink(root, link);
  try {
    const sql = 'FROM lake.transactions';
    expect(
      await printResult(
        queryVerb({ sql, data: link, maxRows: '5', timeout: '60', ...TABLE }, output),
        output,
      ),
    ).toBe(0);
    expect(said.notes).toEqual([]);
  } finally {
    await rm(link);
  }
});

it.each([
  ['missing', 'is not there'],
  ['no database', 'cannot be read'],
])('a warehouse that is %s is built again', async (how, why) => {
  const warehouse = join(root, 'warehouse.duckdb');
  await rm(warehouse);
  if (how !== 'missing') await writeFile(warehouse, how);
  expect(await exported()).toBe(0);
  expect(said.notes[0]).toBe(`The warehouse ${why}; it is rebuilt from the lake.`);
});

it('a data file that was cut is named alike by query, check, export, load and status', async () => {
  const [file = ''] = (await lakeFiles(root)).data.filter(isOfRows);
  await truncate(file, 50);
  const load = () => printResult(loadVerb({ data: root, full: false }, output), output);
  for (const verb of [query, check, exported, load]) {
    await expect(verb()).rejects.toMatchObject({
      kind: 'lake',
      exitCode: 1,
      where: file,
      message: expect.stringMatching(/^A data file is damaged: the file has 50 bytes/) as string,
      advice: expect.stringContaining('windrow verify PIPELINE --repair') as string,
    });
  }
  expect(await printResult(statusVerb({ data: root }, output), output)).toBe(1);
  expect(said.out.join('\n')).toMatch(/DAMAGED .*: The data file has 50 bytes instead of \d+\./);
});

it('a file of a coverage table that was cut is named by status and check, and load writes it again', async () => {
  await check();
  const [file = ''] = (await lakeFiles(root)).data.filter((path) => !isOfRows(path));
  await truncate(file, 50);
  await expect(check()).rejects.toMatchObject({ kind: 'lake', where: file });
  expect(await printResult(statusVerb({ data: root }, output), output)).toBe(1);
  expect(said.out.join('\n')).toContain(`DAMAGED ${file}`);
  await printResult(loadVerb({ data: root, full: true }, output), output);
  expect(await printResult(statusVerb({ data: root }, output), output)).toBe(0);
});

it('a log entry that was changed is named alike by query, check, load and status', async () => {
  const [entry = ''] = (await lakeFiles(root)).log.filter(isOfRows);
  await flipBit(entry, new Chance(1));
  const load = () => printResult(loadVerb({ data: root, full: false }, output), output);
  const status = () => printResult(statusVerb({ data: root }, output), output);
  for (const verb of [query, check, load, status]) {
    await expect(verb()).rejects.toMatchObject({
      kind: 'lake',
      where: expect.stringContaining(entry) as string,
      message: expect.stringMatching(/^The table's log is corrupt: the entry /) as string,
      advice: expect.stringContaining('windrow verify PIPELINE --repair') as string,
    });
  }
});

it('a changed bit in a data file fails verify and check --deep alone, with its rows', async () => {
  const [file = ''] = (await lakeFiles(root)).data.filter(isOfRows);
  expect(await printResult(verifyVerb({ data: root, repair: false }, output), output)).toBe(0);
  await flipBit(file, new Chance(3));
  expect(await printResult(statusVerb({ data: root }, output), output)).toBe(0);
  said.out.length = 0;
  expect(await printResult(verifyVerb({ data: root, repair: false }, output), output)).toBe(1);
  const told = said.out.join('\n');
  expect(told).toContain(`${file}: The data file was changed`);
  expect(told).toContain(`It held 1 row.\n    ${LIST.transactions}, blocks 10 to 10, 1 key: 0xa`);
});

/** Changes the data file in its name of the writer: its rows can still be read. */
async function changeWriter(file: string): Promise<void> {
  const bytes = await readFile(file);
  const at = bytes.lastIndexOf('DuckDB');
  expect(at).toBeGreaterThan(0);
  bytes.write('d', at);
  await writeFile(file, bytes);
}

it('check --deep tells of damage and of findings, and damage decides the exit code', async () => {
  const open = await SmallLake.open(root);
  await open.land(LIST.transactions, { keys: ['0xc'], status: 'truncated', reason: 'the cap' });
  await open.publish();
  open.lake.close();
  expect(await check()).toBe(4);
  expect(await check(true)).toBe(4);
  expect(said.out.join('\n')).toMatch(/^ok: .*files$/m);
  const [file = ''] = (await lakeFiles(root)).data.filter(isOfRows);
  await changeWriter(file);
  said.out.length = 0;
  expect(await check(true)).toBe(1);
  const told = said.out.join('\n');
  expect(told).toContain(`${file}: The data file was changed`);
  expect(told).toContain('not_complete: 1 error');
  const json: string[] = [];
  const asJson = { ...output, isJson: true, out: (text: string) => void json.push(text) };
  expect(await printResult(checkVerb({ data: root, deep: true }, asJson), asJson)).toBe(1);
  const document = JSON.parse(json.join('')) as Record<string, unknown>;
  expect(document).toMatchObject({
    passed: false,
    files: { damaged: [{ path: file }] },
    checks: expect.arrayContaining([
      expect.objectContaining({ check: 'not_complete', findings: [expect.anything()] }),
    ]) as unknown,
  });
  expect(document).not.toHaveProperty('checksStopped');
});

it('check --deep says that damage has stopped the checks', async () => {
  const [file = ''] = (await lakeFiles(root)).data.filter(isOfRows);
  await truncate(file, 50);
  expect(await check(true)).toBe(1);
  const told = said.out.join('\n');
  expect(told).toContain(`  ${file}: The data file has 50 bytes`);
  expect(told).toContain(`The checks could not run: ${file}: A data file is damaged`);
});

it('a statement that is wrong is not taken for damage, and builds nothing', async () => {
  const wrong = { sql: 'SELECT nothing', data: root, maxRows: '5', timeout: '60', ...TABLE };
  await expect(printResult(queryVerb(wrong, output), output)).rejects.toMatchObject({
    kind: 'query',
  });
  expect(said.notes).toEqual([]);
  expect(await readdir(join(root, 'staging'))).not.toContain('load');
});

it.each([
  [
    'entries of its log',
    'ends at version 0, but it once had version 1',
    '00000000000000000001.json',
  ],
  ['its folder', 'has no entries, but it once had version 1', ''],
])(
  'a table that lost %s is named, until load --full goes on without them',
  async (_, lack, lost) => {
    const more = await SmallLake.open(root);
    await more.land(LIST.transactions, { keys: ['0xb'], records: [transaction({ txId: '0xb' })] });
    await more.land(LIST.tokens, { keys: ['0xb'], params: TOKEN_20, records: [] });
    await more.publish();
    more.lake.close();
    const folder = join(root, 'lake', 'MAINCHAIN', 'transactions');
    await rm(lost === '' ? folder : join(folder, '_delta_log', lost), { recursive: true });
    for (let i = 0; i < 2; i += 1) {
      said.out.length = 0;
      expect(await printResult(statusVerb({ data: root }, output), output)).toBe(1);
      expect(said.out.join('\n')).toContain(`The log ${lack}.`);
      const load = () => printResult(loadVerb({ data: root, full: false }, output), output);
      for (const verb of [load, check]) await expect(verb()).rejects.toThrow(`The log ${lack}.`);
    }
    expect(await printResult(loadVerb({ data: root, full: true }, output), output)).toBe(0);
    expect(said.notes.join('\n')).toContain(`The log ${lack}. Only what is left of it is shown.`);
    expect(await printResult(statusVerb({ data: root }, output), output)).toBe(0);
  },
);

it.each([
  ['curated', false, true],
  ['lake', true, false],
])('verify advises what mends damage in %s', async (layer, repairs, loads) => {
  const folder = join(root, layer, 'MAINCHAIN', 'transactions');
  const [name = ''] = (await readdir(folder)).filter((item) => item.endsWith('.parquet'));
  await truncate(join(folder, name), 100);
  expect(await printResult(verifyVerb({ data: root, repair: false }, output), output)).toBe(1);
  expect(said.out.join('\n').includes('--repair')).toBe(repairs);
  expect(said.out.join('\n').includes('windrow load --full')).toBe(loads);
});

it('a curated table whose folder has gone is damage for query, and load computes it again', async () => {
  const table = join(root, 'curated', 'MAINCHAIN', 'transactions');
  const query = { sql: 'FROM transactions', data: root, maxRows: '5', timeout: '60', ...TABLE };
  const ask = () => printResult(queryVerb(query, output), output);
  expect(await printResult(loadVerb({ data: root, full: false }, output), output)).toBe(0);
  await rm(table, { recursive: true });
  const fault = await ask().catch((error: unknown) => error);
  expect(fault).toMatchObject({ kind: 'lake', message: 'The folder of a curated table has gone.' });
  expect(await printResult(loadVerb({ data: root, full: false }, output), output)).toBe(0);
  expect(await ask()).toBe(0);
});
