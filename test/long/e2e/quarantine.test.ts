import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { chainSource } from '../../../service/src/memory/chain-source.ts';
import type { ServiceResponse } from '../../../service/src/protocol/exchange.ts';
import { type Listener, listen } from '../../../service/src/server/listener.ts';
import { createService } from '../../../service/src/server/service.ts';
import { simulatedChain } from '../../../service/src/simulated/chain.ts';
import type { Console } from '../../../src/cli/terminal/console.ts';
import { printResult, type VerbResult } from '../../../src/cli/terminal/verb-result.ts';
import {
  type QuarantineArguments,
  quarantineVerb,
} from '../../../src/cli/verbs/quarantine/quarantine.ts';
import { statusVerb } from '../../../src/cli/verbs/status/status.ts';
import { Fault } from '../../../src/fault.ts';
import { takeLock } from '../../../src/land/lock/lock.ts';
import { query } from '../../../src/load/query/query.ts';
import type { Pipeline } from '../../../src/pipeline/pipeline.ts';
import type { RunResult } from '../../../src/run/run.ts';
import { exitCodeOf } from '../../../src/run/shell/run-document.ts';
import { systemEffects } from '../../../src/system.ts';
import { windrow } from '../../e2e/command-line.ts';
import { digestsOf, exportLake, PIPELINE } from '../../e2e/harness.ts';
import { keepingConsole } from '../../fixtures/quiet-console.ts';
import { quietEffects } from '../../fixtures/quiet-effects.ts';
import { freshFolder, whenOver } from '../../fixtures/when-over.ts';

/**
 * Goal: a user whose service serves records that break their contract learns of them, goes on with
 * the rest, and gets them landed once the service serves them right.
 */

const HEAD = 250;
const ENDPOINT = 'mainchain/address/internal-transaction-list-multi';
const chain = simulatedChain({ seed: 'quarantine', head: HEAD });
const narrowed = (pipeline: Pipeline): Pipeline => ({
  ...pipeline,
  blocks: { from: 0, to: 240 },
  windowBlocks: 100,
});
/** What the service says of heights in the blocks 100 to 199 while it is broken. */
const ODD = ' of a token';

let folder = '';
let data = '';
let isBroken = true;
let listener: Listener;

function tampered(target: string, answer: ServiceResponse): ServiceResponse {
  if (!isBroken || !target.includes(ENDPOINT)) return answer;
  const body = String(answer.body).replaceAll(/\{[^{}]*"height":"1\d\d"[^{}]*\}/g, (record) =>
    record.replace(/"height":"([^"]*)"/, `"height":"$1${ODD}"`),
  );
  return { ...answer, body };
}

beforeAll(async () => {
  folder = await freshFolder();
  data = join(folder, 'data');
  const effects = systemEffects('warn');
  const service = createService({ source: chainSource(chain), effects });
  const broken = {
    ...service,
    answer: async (request: Parameters<typeof service.answer>[0]) =>
      tampered(request.target, await service.answer(request)),
  };
  listener = await listen(broken, { effects });
  whenOver(() => listener.close());
});

function run(root: string): Promise<RunResult> {
  const options = { url: listener.url, root, addresses: chain.addresses(3), text: PIPELINE };
  return exportLake({ ...options, change: narrowed });
}

interface Said {
  readonly total: number;
  readonly records: readonly { readonly id: string; readonly state: string }[];
  readonly [name: string]: unknown;
}

interface Ended {
  readonly code: number;
  readonly text: string;
  readonly notes: string;
  readonly said: Said;
}

/** A verb in this process, through everything but the parser of the command line. */
async function ended(
  work: (output: Console) => Promise<VerbResult>,
  isJson = true,
): Promise<Ended> {
  const out: string[] = [];
  const notes: string[] = [];
  const output = { ...keepingConsole(out, notes), isJson };
  const code = await printResult(work(output), output).catch((error: unknown) => {
    if (!(error instanceof Fault)) throw error;
    notes.push(error.paragraph());
    return error.exitCode;
  });
  const text = out.join('\n');
  const said = (isJson && text !== '' ? JSON.parse(text) : {}) as Said;
  return { code, text, notes: notes.join('\n'), said };
}

type Action = QuarantineArguments['action'];

function verb(action: Action, ...id: string[]): Promise<Ended> {
  return ended((output) => quarantineVerb({ action, id, data, all: false, limit: '100' }, output));
}

function verbForAll(action: Action): Promise<Ended> {
  const options = { action, id: [], data, all: true, limit: '100' };
  return ended((output) => quarantineVerb(options, output));
}

async function queried(sql: string): Promise<unknown> {
  return (await query(join(data, 'warehouse.duckdb'), sql)).rows;
}

test('a run goes on without the records, and lists them', async () => {
  expect(exitCodeOf(await run(data))).toBe(3);
  const { said } = await verb('list');
  expect(said.total).toBeGreaterThan(3);
  expect(said.records).toHaveLength(said.total);
  expect(said.records[0]).toMatchObject({
    state: 'waiting',
    chain: 'MAINCHAIN',
    dataset: 'internal_transactions',
    endpoint: ENDPOINT,
    from: 100,
    reason: expect.stringContaining('height is not of the kind height'),
  });
});

test('status counts them, and the warehouse shows them', async () => {
  const { total } = (await verb('list')).said;
  const { said } = await ended((output) => statusVerb({ data }, output));
  const entry = { chain: 'MAINCHAIN', endpoint: ENDPOINT, records: total };
  expect(said['quarantine']).toEqual([entry]);
  const { text } = await ended((output) => statusVerb({ data }, output), false);
  expect(text).toContain(`${total} records wait in quarantine. Run: windrow quarantine list`);
  const sql = 'SELECT state, count(*)::INT AS n, any_value(raw) AS raw FROM quarantine GROUP BY 1';
  const rows = [{ state: 'waiting', n: total, raw: expect.stringContaining(ODD) }];
  expect(await queried(sql)).toEqual(rows);
  const uncommented = `SELECT table_name, column_name FROM duckdb_columns()
    WHERE table_name IN ('quarantine', 'waiting') AND schema_name <> 'files'
      AND comment IS NULL`;
  expect(await queried(uncommented)).toEqual([]);
});

test('the command line lists them in words, and shows one by the beginning of its id', async () => {
  const { total } = (await verb('list')).said;
  const args = ['--data', data, '--limit', '3'];
  const list = await windrow(['quarantine', 'list', ...args]);
  expect([list.code, list.stdout]).toEqual([0, expect.stringMatching(/^id +at +state +endpoint/)]);
  expect(list.stdout).toContain('(3 rows)');
  expect(list.stderr).toContain(`There are ${total} records: see --limit.`);
  const ids = list.stdout.split('\n').flatMap((line) => /^[0-9a-f]{12}/.exec(line) ?? []);
  const shown = await windrow(['quarantine', 'show', ...ids.slice(0, 2), '--data', data]);
  expect(shown.stdout).toMatch(/^id: [0-9a-f]{64}\nstate: waiting\n/);
  expect(shown.stdout).toContain(`\nid: ${ids[1]}`);
  expect(shown.stdout).toMatch(/\n {2}"height": "[0-9]+ of a token"/);
});

test('an id that is unknown, or not the only one, is refused by name', async () => {
  const unknown = await verb('show', 'zz');
  expect(unknown.code).toBe(2);
  expect(unknown.notes).toContain('No record in quarantine has an id that begins with "zz".');
  const several = await verb('drop', '');
  expect(several.code).toBe(2);
  expect(several.notes).toMatch(/\d+ records have ids that begin with "".*Give more characters: /);
  const none = await verb('drop');
  expect(none.code).toBe(2);
  expect(none.notes).toContain('Name the records to drop, or give --all.');
});

test('drop needs the lock, which a run may hold', async () => {
  const lock = await takeLock(join(data, 'state', 'lock'), quietEffects());
  try {
    expect((await verbForAll('drop')).code).toBe(5);
    expect((await verb('list')).code).toBe(0);
  } finally {
    await lock.release();
  }
});

test('the next run fetches their slices again, and lands them once they are served right', async () => {
  const { total } = (await verb('list')).said;
  expect((await run(data)).plan.slices.length).toBeGreaterThan(0);
  expect((await verb('list')).said.total).toBe(total);
  isBroken = false;
  expect((await run(data)).execution.short).toBe(0);
  const { records } = (await verb('list')).said;
  expect(records.map(({ state }) => state)).toEqual(records.map(() => 'outdated'));
  const { said } = await ended((output) => statusVerb({ data }, output));
  expect(said['quarantine']).toEqual([]);
  expect(await queried("FROM coverage WHERE status <> 'complete'")).toEqual([]);
  expect((await run(data)).plan.slices).toEqual([]);
  const whole = join(folder, 'whole');
  await run(whole);
  expect(await digestsOf(data)).toEqual(await digestsOf(whole));
  expect((await verb('drop', records[0]?.id ?? '')).said).toMatchObject({ dropped: 1 });
  expect((await verbForAll('drop')).said).toMatchObject({ dropped: total - 1 });
  expect(await queried('FROM quarantine')).toEqual([]);
});
