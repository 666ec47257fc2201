import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { shellOptions } from '../../../src/cli/job/console-surroundings.ts';
import { type Console, counted } from '../../../src/cli/terminal/console.ts';
import { type Arguments, data } from '../../../src/cli/terminal/options.ts';
import { reconcileLines } from '../../../src/cli/terminal/reconcile-text.ts';
import { printResult, type VerbResult } from '../../../src/cli/terminal/verb-result.ts';
import { checkVerb } from '../../../src/cli/verbs/check.ts';
import { runLoaded } from '../../../src/cli/verbs/run.ts';
import { adviceText, Fault } from '../../../src/fault.ts';
import { type Credentials, Secret } from '../../../src/fetch/http/signature.ts';
import { localDisk } from '../../../src/land/storage/disk.ts';
import { layout } from '../../../src/land/storage/layout.ts';
import { packageFile } from '../../../src/land/storage/package-file.ts';
import { query } from '../../../src/load/query/query.ts';
import { textTable } from '../../../src/load/query/text-table.ts';
import { loadPipeline } from '../../../src/run/job/pipeline-file.ts';
import { reconcileRun } from '../../../src/run/shell/reconcile-run.ts';
import { MAIN_PATHS } from '../node/no-node.ts';
import { simulatedChain } from '../simulated/chain.ts';

const CHAIN = { seed: 'demo', head: 30_000, addresses: 15 };
/** Captured beside the lists. The chain grows so slowly that a run begins at its first head. */
const STREAM = { url: '/stream', network: 'main', keepJournal: false };
const CAPTURE_MS = 10_000;

const QUESTIONS = [
  {
    title: 'What moved last, and with whom?',
    sql: `SELECT block_time::DATE AS day, leg, direction, amount_text, symbol,
       left(counterparty, 8) AS other, coverage_status AS status
FROM address_activity WHERE axis = 'primary' AND leg <> 'fee'
ORDER BY block_time DESC, tx_hash, leg, direction LIMIT 3`,
  },
  {
    title: 'How long do transfers between the chains take?',
    sql: `SELECT cross_type, cross_status, count(*) AS transfers,
       round(median(latency_seconds), 1) AS median_seconds
FROM cross_chain_journeys GROUP BY ALL ORDER BY transfers DESC`,
  },
] as const;

export const demoOptions = {
  options: {
    data: { ...data, default: 'data/demo' },
  },
  examples: {
    '$0 demo': 'export, check and query on this machine',
  },
};

/**
 * `windrow demo`: exports a simulated chain, without a network and without a key. With --json the
 * progress goes to stderr, and the answers are one document.
 */
export async function demoVerb(
  input: Arguments<typeof demoOptions>,
  caller: Console,
): Promise<VerbResult> {
  const out = (text: string): void => caller.note(text);
  const output = caller.isJson ? { ...caller, isJson: false, out } : caller;
  const { seed, head, addresses } = CHAIN;
  const file = join(input.data, 'addresses.csv');
  await localDisk.makeFolder(input.data);
  const accounts = simulatedChain({ seed, head }).addresses(addresses);
  const lines = accounts.map((address, i) => `${address},demo account ${i + 1}`);
  await writeFile(file, ['address,label', ...lines, ''].join('\n'));

  const service = await serveInBackground(seed, head);
  try {
    output.out(`1. Serving a simulated chain of ${counted(head)} blocks at ${service.url}`);
    output.out(
      `\n2. Exporting ${addresses} addresses, and ${CAPTURE_MS / 1000} seconds of the stream, ` +
        `into ${input.data} ...`,
    );
    const loaded = await loadPipeline(packageFile('pipelines/demo.yaml'), {
      sourceUrl: service.url,
      addresses: file,
    });
    const run = { data: input.data };
    const streaming = { ...loaded, pipeline: { ...loaded.pipeline, stream: STREAM } };
    const ended = await runLoaded(streaming, run, output, {
      command: 'demo',
      captureMs: CAPTURE_MS,
      credentials: async () => service.credentials,
    });
    if (ended.exitCode !== 0) return ended;
    output.out('\n3. Checking the exported rows ...');
    const check = checkVerb({ data: input.data, deep: false }, output);
    const exitCode = await printResult(check, output);
    output.out('\n4. Comparing balances with the node of the chain ...');
    const witness = {
      url: `${service.url}${MAIN_PATHS.rpc}`,
      maxPerSecond: 1000,
      perDay: undefined,
    };
    const reconcile = { ...loaded.pipeline.reconcile, witnesses: [witness] };
    const witnessed = { ...loaded, pipeline: { ...loaded.pipeline, reconcile } };
    const reconciled = await reconcileRun(shellOptions(witnessed, input.data, output));
    for (const line of reconcileLines(reconciled)) output.out(adviceText(line));
    output.out('\n5. Running SQL queries ...');
    const answers = [];
    for (const { title, sql } of QUESTIONS) {
      answers.push({ title, sql, rows: await answer(input.data, title, sql, output) });
    }
    for (const line of nextSteps(input.data)) output.out(line);
    const { verdicts } = reconciled;
    return { document: { data: input.data, answers, verdicts }, exitCode };
  } finally {
    service.stop();
  }
}

async function answer(root: string, title: string, sql: string, output: Console) {
  const { columns, rows } = await query(layout(root).warehouse, sql);
  output.out(`${title}\n${sql}\n${textTable(columns, rows)}\n`);
  return rows;
}

function nextSteps(root: string): string[] {
  return [
    '6. Next steps',
    `   npx windrow status --data ${root}    # coverage, and the age of the stream`,
    `   npx windrow query "FROM preconfirmations" --data ${root}    # from the stream`,
    `   npx windrow demo --data ${root}    # again: fetches only new blocks`,
  ];
}

interface BackgroundService {
  readonly url: string;
  /** Random credentials of this service. */
  readonly credentials: Credentials;
  stop(): void;
}

const readySchema = z.object({ url: z.string() });

/** Starts `windrow serve` with a growing chain in another process, on a free port. */
async function serveInBackground(chain: string, head: number): Promise<BackgroundService> {
  const [accessKey, secretKey, passphrase] = [newSecret(), newSecret(), newSecret()];
  const main = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
  const child = spawn(
    process.execPath,
    [
      main,
      ...`serve --chain ${chain} --head ${head} --stream-speed 0.2 --port 0 --json`.split(' '),
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: {
        ...process.env,
        WINDROW_ACCESS_KEY: accessKey,
        WINDROW_SECRET_KEY: secretKey,
        WINDROW_PASSPHRASE: passphrase,
      },
    },
  );
  const url = await new Promise<string>((resolve, reject) => {
    const { stdout } = child;
    if (stdout === null) throw new Error('the service has no output');
    createInterface({ input: stdout }).once('line', (line) => {
      resolve(readySchema.parse(JSON.parse(line)).url);
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      const advice = 'Start it by hand to see why: windrow serve --chain demo --no-auth';
      reject(new Fault('unreachable', `The service ended with code ${code}.`, { advice }));
    });
  });
  return {
    url,
    credentials: {
      accessKey: new Secret(accessKey),
      secretKey: new Secret(secretKey),
      passphrase: new Secret(passphrase),
    },
    stop: () => {
      child.kill();
    },
  };
}

function newSecret(): string {
  return randomBytes(16).toString('hex');
}
