import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Console } from '../../../src/cli/terminal/console.ts';
import { type Arguments, textOption, toggle } from '../../../src/cli/terminal/options.ts';
import type { VerbOf } from '../../../src/cli/terminal/verb-result.ts';
import type { Effects } from '../../../src/effects.ts';
import { Fault } from '../../../src/fault.ts';
import { layoutToRead } from '../../../src/land/storage/cache-folder.ts';
import { wholeNumber } from '../../../src/pipeline/syntax/fields.ts';
import { readyWarehouse } from '../../../src/run/lake/ready-warehouse.ts';
import { memoryBytes, STOP_SIGNALS, systemEffects } from '../../../src/system.ts';
import { missingBlocks } from '../answer/missing-blocks.ts';
import type { Explorer } from '../explorer/explorer.ts';
import { STREAM_PATHS } from '../node/no-node.ts';
import { Refusal } from '../protocol/errors.ts';
import { type TimeSlices, timeSlices } from '../protocol/time-slices.ts';
import { createAdmin, listenForAdmin } from '../server/admin.ts';
import { listen } from '../server/listener.ts';
import type { ReferenceFile } from '../server/reference-page.ts';
import { createService, type ServiceOptions } from '../server/service.ts';
import { createStreamServer } from '../stream/stream-server.ts';
import { installedSolc, solcCompiler } from '../verification/compiler.ts';
import { type CodeNode, codeNode, type DeployedCode } from '../verification/deployed-code.ts';
import { createVerification, type Verification } from '../verification/verification.ts';
import { vyperCompiler } from '../verification/vyper.ts';
import { answerLog } from './answer-log.ts';
import { adminPortOf, checkFaults, faultsIn, keysOf } from './serve-settings.ts';
import { checkSource, type Opened, openSource } from './serve-source.ts';

export const serveOptions = {
  options: {
    chain: textOption('Seed of a simulated chain'),
    records: textOption('Folder of NDJSON(.gz) records, one file per dataset'),
    data: textOption('Data root whose lake is served'),
    partial: toggle('Let a lake answer for ranges that it holds only in part'),
    pages: {
      type: 'boolean',
      describe: 'Serve pages about a lake at /explore, which need no key (default: with --no-auth)',
    } as const,
    head: textOption('Head of the simulated chain', '30000'),
    streamSpeed: textOption(
      'Blocks per second by which the chain grows, announced at /stream (default: none)',
    ),
    host: textOption('Address to listen on', '127.0.0.1'),
    port: textOption('Port to listen on; 0 takes a free port', '8080'),
    auth: toggle('Check signatures; --no-auth turns this off', true),
    keyOnly: toggle('Check the access key alone, and no signature'),
    keys: textOption('File of API keys, each with its own rate limit'),
    recordCap: textOption(
      'Most records of a primary-chain list, announced in the header x-record-cap',
      '10000',
    ),
    faults: textOption('File with a plan of faults, see docs/faults.md'),
    admin: toggle('Open a port on this machine for changing faults'),
    adminPort: textOption('Port for --admin (default: a free port)'),
    codeRpc: textOption('JSON-RPC node whose deployed code contracts are verified against'),
    log: textOption('File for a log with one JSON line per answer; - means stderr'),
  },
  examples: {
    '$0 serve --chain demo --no-auth': 'a simulated chain, without signatures',
    '$0 serve --data data --no-auth': 'an exported lake',
    '$0 serve --chain demo --faults my.yaml': 'a simulated chain with faults',
    '$0 serve --records mine --port 0 --json': 'your own records, on a free port',
  },
};

export type ServeArguments = Arguments<typeof serveOptions>;

/** `windrow serve`: serves the interface until it is interrupted. */
export const serveVerb: VerbOf<typeof serveOptions> = async (input, output) => {
  const effects = systemEffects('warn');
  const port = wholeNumber('--port', input.port, 0, 65_535);
  const recordCap = wholeNumber('--record-cap', input.recordCap, 1, 1_000_000_000);
  const adminPort = adminPortOf(input);
  // A wrong path is reported before missing keys, and both before a large lake is opened.
  await checkSource(input);
  const credentials = await keysOf(input);
  const faults = await faultsIn(input.faults);
  const recordPages = await openPages(input, effects, output);
  const verifying = openVerification(input.codeRpc, effects);
  // Signals are handled from here on, so that an opened source is always closed.
  const stop = interrupted();
  const slices = slicesUntil(effects, stop);
  const { source, nodes, code, close } = await openSource(input, effects, slices, stop);
  try {
    if (faults !== undefined) checkFaults(faults, input.faults ?? '', source);
    const log = input.log === undefined ? undefined : await answerLog(input.log, effects);
    const options = {
      source,
      effects,
      settings: { credentials, recordCap, ...(faults === undefined ? {} : { faults }) },
      answered: log?.add,
      memory: process.memoryUsage,
      recordPages,
      readReference,
      verification: verifying.over(code),
      ...(nodes === undefined ? {} : { nodes }),
    };
    const ports = await openPorts(options, { host: input.host, port, adminPort });
    const growing = new AbortController();
    try {
      printUrls(ports, source.head('primary'), recordPages !== undefined, output);
      for (const line of missingBlocks(source)) output.note(line);
      // The service ends when its chain can no longer grow.
      await Promise.race([
        aborted(stop),
        ...(nodes === undefined ? [] : [nodes.run(growing.signal)]),
      ]);
    } finally {
      growing.abort();
      await ports.close();
    }
    await log?.close();
    return { exitCode: 0 };
  } finally {
    await recordPages?.close();
    await verifying.close();
    await close();
  }
};

interface Ports {
  readonly url: string;
  readonly adminUrl?: string;
  close(): Promise<void>;
}

/** Opens the port of the service and, if wanted, the port of its administration. */
async function openPorts(
  options: ServiceOptions & Pick<Opened, 'nodes'>,
  at: { readonly host: string; readonly port: number; readonly adminPort: number | undefined },
): Promise<Ports> {
  const { source, effects, nodes } = options;
  const service = createService(options);
  const { host, port, adminPort } = at;
  const absent = createStreamServer(effects, {}, true);
  const missing = STREAM_PATHS.map((path) => [path, absent] as const);
  const streams = new Map([...missing, ...(nodes?.streams ?? [])]);
  const listener = await listen(service, { host, port, effects, streams });
  if (adminPort === undefined) return listener;
  try {
    const admin = createAdmin({ faults: service.faults, source, effects });
    const { url: adminUrl, close } = await listenForAdmin(admin, adminPort, effects);
    const closeBoth = async (): Promise<void> => {
      await Promise.all([listener.close(), close()]);
    };
    return { url: listener.url, adminUrl, close: closeBoth };
  } catch (error) {
    await listener.close();
    throw error;
  }
}

function printUrls(
  { url, adminUrl }: Ports,
  height: number,
  hasPages: boolean,
  output: Console,
): void {
  if (output.isJson) {
    output.out(JSON.stringify({ url, adminUrl }));
    return;
  }
  output.out(`Serving at ${url}; the head is block ${height}.`);
  if (hasPages) output.out(`Pages about the lake at ${url}/explore.`);
  if (adminUrl !== undefined) output.out(`Administration at ${adminUrl} (this machine only).`);
}

/** Slices by the clock; questions that are still computed when the service ends fail. */
function slicesUntil(effects: Effects, signal: AbortSignal): TimeSlices {
  const pause = async (): Promise<void> => {
    await effects.sleep(0, signal).catch(() => {
      throw new Refusal('unavailable', 'the service is shutting down');
    });
  };
  return timeSlices({ pause, now: effects.now });
}

/** Aborted by the first signal that asks the process to end. */
function interrupted(): AbortSignal {
  const stop = new AbortController();
  // The service of the demo ends with the demo, however that ends.
  const events = [...STOP_SIGNALS, 'disconnect'];
  const onEnd = (): void => {
    const advice = 'Nothing was changed: start windrow serve again.';
    stop.abort(new Fault('interrupted', 'Interrupted before the service started.', { advice }));
    for (const event of events) process.off(event, onEnd);
  };
  for (const event of events) process.on(event, onEnd);
  if (process.connected === false) onEnd();
  return stop.signal;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** Pages take an eighth of the machine's memory, and at least this. */
const LEAST_PAGES_MEMORY_BYTES = 2 ** 29;

interface PagesArguments {
  readonly data?: string | undefined;
  readonly auth: boolean;
  readonly pages?: boolean | undefined;
}

/**
 * The pages about a lake. They need no key, so a service that checks keys serves them only if it
 * was asked to with --pages. A data root that cannot be written gets its warehouse here. Throws a
 * Fault('usage') for --pages without --data.
 */
export async function openPages(
  { data, auth, pages }: PagesArguments,
  effects: Effects,
  output: Console,
): Promise<Explorer | undefined> {
  if (data === undefined && pages === true) {
    throw new Fault('usage', '--pages needs --data.', {
      advice: 'Omit --pages, or serve --data DIR.',
    });
  }
  if (data === undefined || !(pages ?? !auth)) return undefined;
  const { createExplorer } = await import('../explorer/explorer.ts');
  const paths = await layoutToRead(data, process);
  const isCached = paths.made !== paths.root;
  const ready = isCached ? await readyWarehouse(paths, output) : undefined;
  const { warehouse, root } = ready ?? paths;
  return createExplorer({
    warehouse,
    root,
    effects,
    memoryBytes: Math.max(LEAST_PAGES_MEMORY_BYTES, memoryBytes() / 8),
  });
}

/** Verification of contracts by the compilers that are installed with windrow. */
interface OpenVerification {
  /** Verifies against the code of the node, or else of the source itself. */
  over(code: DeployedCode | undefined): Verification;
  close(): Promise<void>;
}

/** Reads deployed code from the node at this URL; throws a Fault for an invalid URL. */
function openVerification(codeRpc: string | undefined, effects: Effects): OpenVerification {
  const node: CodeNode | undefined =
    codeRpc === undefined ? undefined : codeNode(codeRpc, process.env);
  const solcPath = installedSolc();
  const compiler = solcCompiler({ effects, node: process.execPath, solcPath });
  const vyper = vyperCompiler({ effects, path: process.env['PATH'] ?? '' });
  return {
    over: (code) => createVerification({ effects, compiler, vyper, code: node?.code ?? code }),
    close: async () => {
      compiler.close();
      vyper.close();
      await node?.close();
    },
  };
}

/** Reads a file of the API reference; the build puts them into `dist/reference`. */
function readReference(name: ReferenceFile): Promise<string> {
  const file = fileURLToPath(new URL(`../../reference/${name}`, import.meta.url));
  return readFile(file, 'utf8');
}
