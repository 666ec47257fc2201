import { once } from 'node:events';
import type { Argv } from 'yargs';
import type { Effects } from '../../../effects.ts';
import { Fault } from '../../../fault.ts';
import { missingBlocks } from '../../../service/answer/missing-blocks.ts';
import { STREAM_PATHS } from '../../../service/node/no-node.ts';
import { Refusal } from '../../../service/protocol/errors.ts';
import type { TimeSlices } from '../../../service/protocol/time-slices.ts';
import { timeSlices } from '../../../service/protocol/time-slices.ts';
import { createAdmin, listenForAdmin } from '../../../service/server/admin.ts';
import { listen } from '../../../service/server/listener.ts';
import type { MemoryUse } from '../../../service/server/metrics.ts';
import type { ServiceOptions } from '../../../service/server/service.ts';
import { createService } from '../../../service/server/service.ts';
import { createStreamServer } from '../../../service/stream/stream-server.ts';
import { systemEffects } from '../../../system.ts';
import type { Console } from '../../terminal/console.ts';
import { wholeNumber, withExitCodes } from '../../terminal/options.ts';
import type { ExitCode } from '../../terminal/report.ts';
import { answerLog } from './answer-log.ts';
import { adminPortOf, checkFaults, faultsIn, keysOf } from './serve-settings.ts';
import type { Opened, SourceArguments } from './serve-source.ts';
import { checkSource, openSource } from './serve-source.ts';
import { openVerification } from './serve-verification.ts';

export function serveOptions(args: Argv) {
  return withExitCodes(args)
    .options({
      chain: { type: 'string', describe: 'Seed of a simulated chain' },
      records: { type: 'string', describe: 'Folder of NDJSON(.gz) records, a file a dataset' },
      data: { type: 'string', describe: 'Data root whose lake is served' },
      partial: {
        type: 'boolean',
        default: false,
        describe: 'Let a lake answer from what it holds, also where that is not all',
      },
      head: { type: 'string', default: '30000', describe: 'Head of the simulated chain' },
      'stream-speed': {
        type: 'string',
        describe:
          'Blocks per second that the chain grows by, announced at /stream; default: no growth',
      },
      host: { type: 'string', default: '127.0.0.1', describe: 'Address to listen on' },
      port: { type: 'string', default: '8080', describe: 'Port to listen on; 0: any free one' },
      auth: { type: 'boolean', default: true, describe: 'Check signatures (--no-auth: do not)' },
      keys: { type: 'string', describe: 'File of keys that may ask, each with its own limit' },
      'record-cap': {
        type: 'string',
        default: '10000',
        describe: 'Most records that a list of the primary chain reaches, sent as x-record-cap',
      },
      faults: { type: 'string', describe: 'File of what goes wrong on purpose: docs/faults.md' },
      admin: { type: 'boolean', default: false, describe: 'Let this machine change the faults' },
      'admin-port': {
        type: 'string',
        describe: 'Port of the administration; default any free one',
      },
      'code-rpc': {
        type: 'string',
        describe: 'JSON-RPC node that knows deployed code, to verify contracts against',
      },
      log: { type: 'string', describe: 'File for one JSON line an answer; - for stderr' },
    })
    .example('$0 serve --chain demo --no-auth', 'a simulated chain, without signatures')
    .example('$0 serve --data data --no-auth', 'what was exported, served again')
    .example('$0 serve --chain demo --no-auth --faults my.yaml --admin', 'with faults on demand')
    .example('$0 serve --records mine --port 0 --json', 'records of yours, on any free port');
}

export interface ServeArguments extends SourceArguments {
  readonly host: string;
  readonly port: string;
  readonly auth: boolean;
  readonly recordCap: string;
  readonly keys?: string | undefined;
  readonly faults?: string | undefined;
  readonly admin?: boolean | undefined;
  readonly adminPort?: string | undefined;
  readonly codeRpc?: string | undefined;
  readonly log?: string | undefined;
}

/** `windrow serve`: answers the interface until it is interrupted. */
export async function serveVerb(given: ServeArguments, output: Console): Promise<ExitCode> {
  const effects = systemEffects('warn');
  const port = wholeNumber('--port', given.port, 0, 65_535);
  const recordCap = wholeNumber('--record-cap', given.recordCap, 1, 1_000_000_000);
  const adminPort = adminPortOf(given);
  // A wrong path is reported before missing keys, and both before a large lake is opened.
  await checkSource(given);
  const credentials = await keysOf(given);
  const faults = await faultsIn(given.faults);
  const verifying = openVerification(given.codeRpc, effects);
  // Heard from now on, so that what is opened is closed again, whenever that is.
  const stop = interrupted();
  const slices = slicesUntil(effects, stop);
  const { source, nodes, code, close } = await openSource(given, effects, slices, stop);
  try {
    if (faults !== undefined) checkFaults(faults, given.faults ?? '', source);
    const log = given.log === undefined ? undefined : await answerLog(given.log, effects);
    const options = {
      source,
      effects,
      settings: { credentials, recordCap, ...(faults === undefined ? {} : { faults }) },
      answered: log?.add,
      memory,
      slices,
      verification: verifying.over(code),
      ...(nodes === undefined ? {} : { nodes }),
    };
    const ports = await openPorts(options, { host: given.host, port, adminPort });
    const growing = new AbortController();
    try {
      tellUrls(ports, source.head('primary'), output);
      for (const line of missingBlocks(source)) output.note(line);
      // A chain that should grow and cannot ends the service.
      await Promise.race([
        aborted(stop),
        ...(nodes === undefined ? [] : [nodes.run(growing.signal)]),
      ]);
    } finally {
      growing.abort();
      await ports.close();
    }
    await log?.close();
    return 0;
  } finally {
    await verifying.close();
    await close();
  }
}

interface Ports {
  readonly url: string;
  readonly adminUrl?: string;
  close(): Promise<void>;
}

/** Opens the port of a service, and one of its administration where it is to have one. */
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

function tellUrls({ url, adminUrl }: Ports, height: number, output: Console): void {
  if (output.isJson) {
    output.out(JSON.stringify({ url, adminUrl }));
    return;
  }
  output.out(`Serving at ${url} up to height ${height}.`);
  if (adminUrl !== undefined) output.out(`Administration at ${adminUrl}, for this machine alone.`);
}

function memory(): MemoryUse {
  const { rss, heapUsed } = process.memoryUsage();
  return { residentBytes: rss, heapUsedBytes: heapUsed };
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
  const onSignal = (): void => {
    const advice = 'Serve again whenever you like: a lake is only read.';
    stop.abort(new Fault('interrupted', 'Interrupted before anything was served.', { advice }));
  };
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  return stop.signal;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
