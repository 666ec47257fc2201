import type { Argv } from 'yargs';
import type { Effects } from '../effects.ts';
import { Fault } from '../fault.ts';
import { chainSource } from '../service/chain-source.ts';
import { lakeSource } from '../service/lake-source.ts';
import { listen } from '../service/listener.ts';
import type { MemoryUse } from '../service/metrics.ts';
import { recordsSource } from '../service/records-source.ts';
import { withRpc } from '../service/rpc.ts';
import { createService } from '../service/service.ts';
import type { Source } from '../service/source.ts';
import type { PublicNodes } from '../service/stream-nodes.ts';
import { publicNodes } from '../service/stream-nodes.ts';
import { simulatedChain } from '../simulated/chain.ts';
import { systemEffects } from '../system.ts';
import { answerLog } from './answer-log.ts';
import type { Console } from './console.ts';
import { environmentCredentials } from './credentials.ts';
import { wholeNumber, withExitCodes } from './options.ts';
import type { ExitCode } from './report.ts';

export function serveOptions(args: Argv) {
  return withExitCodes(args)
    .options({
      chain: { type: 'string', describe: 'Seed of a simulated chain' },
      records: { type: 'string', describe: 'Folder of NDJSON(.gz) records, a file a dataset' },
      data: { type: 'string', describe: 'Data root whose lake is served' },
      head: { type: 'string', default: '30000', describe: 'Head of the simulated chain' },
      'stream-speed': {
        type: 'string',
        describe: 'Blocks a second that the chain grows by, told in advance at /stream; else none',
      },
      host: { type: 'string', default: '127.0.0.1', describe: 'Address to listen on' },
      port: { type: 'string', default: '8080', describe: 'Port to listen on; 0: any free one' },
      auth: { type: 'boolean', default: true, describe: 'Check signatures (--no-auth: do not)' },
      log: { type: 'string', describe: 'File for one JSON line an answer; - for stderr' },
    })
    .example('$0 serve --chain demo --no-auth', 'a simulated chain, for everybody here')
    .example('$0 serve --data data --no-auth', 'what was exported, served again')
    .example('$0 serve --records mine --port 0 --json', 'records of yours, on any free port');
}

export interface ServeArguments {
  readonly chain?: string | undefined;
  readonly records?: string | undefined;
  readonly data?: string | undefined;
  readonly head: string;
  readonly streamSpeed?: string | undefined;
  readonly host: string;
  readonly port: string;
  readonly auth: boolean;
  readonly log?: string | undefined;
}

/** `windrow serve`: answers the interface until it is interrupted. */
export async function serveVerb(given: ServeArguments, output: Console): Promise<ExitCode> {
  const effects = systemEffects('warn');
  const port = wholeNumber('--port', given.port, 0, 65_535);
  // Without a key nothing is opened: a large lake takes a while.
  const credentials = given.auth ? environmentCredentials(process.env) : undefined;
  if (given.auth && credentials === undefined) {
    throw new Fault('configuration', 'The service has no key to check requests against.', {
      advice:
        'Set WINDROW_ACCESS_KEY, WINDROW_SECRET_KEY and WINDROW_PASSPHRASE, or serve everybody ' +
        'on this machine with --no-auth.',
    });
  }
  const settings = credentials === undefined ? {} : { credentials: [credentials] };
  const { source, nodes, close } = await opened(given, effects);
  try {
    const log = given.log === undefined ? undefined : await answerLog(given.log, effects);
    const asked = createService({ source, effects, settings, answered: log?.add, memory });
    const service = withRpc(asked, nodes?.rpcs ?? new Map());
    const { host } = given;
    const streams = nodes?.streams ?? new Map();
    const listener = await listen(service, { host, port, effects, streams });
    const growing = new AbortController();
    try {
      if (output.isJson) output.out(JSON.stringify({ url: listener.url }));
      else output.out(`Serving at ${listener.url} up to height ${source.head('primary')}.`);
      // A chain that should grow and cannot ends the service.
      await Promise.race([
        interrupted(),
        ...(nodes === undefined ? [] : [nodes.run(growing.signal)]),
      ]);
    } finally {
      growing.abort();
      await listener.close();
    }
    await log?.close();
    return 0;
  } finally {
    await close();
  }
}

function memory(): MemoryUse {
  const { rss, heapUsed } = process.memoryUsage();
  return { residentBytes: rss, heapUsedBytes: heapUsed };
}

interface Opened {
  readonly source: Source;
  /** Only a simulated chain has them. */
  readonly nodes?: PublicNodes;
  close(): Promise<void>;
}

/** The one source that was named. */
async function opened(given: ServeArguments, effects: Effects): Promise<Opened> {
  const { chain, records, data } = given;
  const nothing = async (): Promise<void> => {};
  if ([chain, records, data].filter((each) => each !== undefined).length !== 1) {
    throw new Fault('usage', 'Serve a simulated chain, records on disk, or a lake.', {
      advice: 'Give exactly one of --chain SEED, --records DIR and --data DIR.',
    });
  }
  if (given.streamSpeed !== undefined && chain === undefined) {
    throw new Fault('usage', 'Only a simulated chain can grow.', {
      advice: 'Leave --stream-speed out, or serve --chain SEED.',
    });
  }
  if (data !== undefined) {
    const source = await lakeSource({ root: data, effects });
    return { source, close: () => source.close() };
  }
  if (records !== undefined) return { source: await recordsSource(records), close: nothing };
  const head = wholeNumber('--head', given.head, 0, 1_000_000_000);
  const simulated = simulatedChain({ seed: chain ?? '', head });
  const source = chainSource(simulated);
  const speed = given.streamSpeed === undefined ? {} : { blocksPerSecond: speedOf(given) };
  return { source, nodes: publicNodes(simulated, source, { effects, ...speed }), close: nothing };
}

function speedOf({ streamSpeed = '' }: ServeArguments): number {
  const speed = Number(streamSpeed);
  if (/^[0-9]+(\.[0-9]+)?$/.test(streamSpeed) && speed >= 0.01 && speed <= 1000) return speed;
  throw new Fault('usage', `--stream-speed is no speed (${JSON.stringify(streamSpeed)}).`, {
    advice: 'Give a number of blocks a second from 0.01 to 1000; 0.0833 is real time.',
  });
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}
