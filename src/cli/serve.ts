import type { Argv } from 'yargs';
import { Fault } from '../fault.ts';
import { chainSource } from '../service/chain-source.ts';
import { listen } from '../service/listener.ts';
import { recordsSource } from '../service/records-source.ts';
import { createService } from '../service/service.ts';
import { simulatedChain } from '../simulated/chain.ts';
import { systemEffects } from '../system.ts';
import type { Console } from './console.ts';
import { environmentCredentials } from './credentials.ts';
import { wholeNumber, withExitCodes } from './options.ts';
import type { ExitCode } from './report.ts';

export function serveOptions(args: Argv) {
  return withExitCodes(args)
    .options({
      chain: { type: 'string', describe: 'Seed of a simulated chain' },
      records: { type: 'string', describe: 'Folder of NDJSON(.gz) records, a file a dataset' },
      head: { type: 'string', default: '30000', describe: 'Head of the simulated chain' },
      host: { type: 'string', default: '127.0.0.1', describe: 'Address to listen on' },
      port: { type: 'string', default: '8080', describe: 'Port to listen on; 0: any free one' },
      auth: { type: 'boolean', default: true, describe: 'Check signatures (--no-auth: do not)' },
    })
    .example('$0 serve --chain demo --no-auth', 'a simulated chain, for everybody here')
    .example('$0 serve --records mine --port 0 --json', 'records of yours, on any free port');
}

export interface ServeArguments {
  readonly chain?: string | undefined;
  readonly records?: string | undefined;
  readonly head: string;
  readonly host: string;
  readonly port: string;
  readonly auth: boolean;
}

/** `windrow serve`: answers the interface until it is interrupted. */
export async function serveVerb(given: ServeArguments, output: Console): Promise<ExitCode> {
  const effects = systemEffects('warn');
  const port = wholeNumber('--port', given.port, 0, 65_535);
  const source = await sourceOf(given);
  const credentials = given.auth ? environmentCredentials(process.env) : undefined;
  if (given.auth && credentials === undefined) {
    throw new Fault('configuration', 'The service has no key to check requests against.', {
      advice:
        'Set WINDROW_ACCESS_KEY, WINDROW_SECRET_KEY and WINDROW_PASSPHRASE, or serve everybody ' +
        'on this machine with --no-auth.',
    });
  }
  const settings = credentials === undefined ? {} : { credentials: [credentials] };
  const service = createService({ source, effects, settings });
  const listener = await listen(service, { host: given.host, port, effects });
  if (output.isJson) output.out(JSON.stringify({ url: listener.url }));
  else output.out(`Serving at ${listener.url} up to height ${source.head('primary')}.`);
  await interrupted();
  await listener.close();
  return 0;
}

async function sourceOf(given: ServeArguments) {
  if ((given.chain === undefined) === (given.records === undefined)) {
    throw new Fault('usage', 'Serve either a simulated chain or records on disk.', {
      advice: 'Give one of --chain SEED and --records DIR.',
    });
  }
  if (given.records !== undefined) return recordsSource(given.records);
  const head = wholeNumber('--head', given.head, 0, 1_000_000_000);
  return chainSource(simulatedChain({ seed: given.chain ?? '', head }));
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}
