import { readFileSync } from 'node:fs';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { type SimulatedChain, simulatedChain } from '../../service/src/simulated/chain.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import { exportLake, priceLake, serve, temporaryRoot } from '../e2e/harness.ts';

/**
 * What a first run sends against what its plan says, without and with `--probe`, for the shipped
 * pipelines over chains of several seeds. Prints a table; the ratio is planned / sent.
 *
 *     npx tsc -p tsconfig.json --noEmit false --outDir node_modules/.bench &&
 *       cp -r sql node_modules/.bench &&
 *       node node_modules/.bench/test/bench/probe-price.js [pipeline] [seed]
 */

const FOLDER = new URL('../../../../pipelines/', import.meta.url);

interface Case {
  readonly file: string;
  readonly seed: string;
  readonly head: number;
  readonly addresses: number;
  readonly part: Partial<Pipeline>;
}

const SMALL = { head: 4_000, addresses: 20, part: {} };
const SOME_BLOCKS = { blocks: { from: 1_000, to: 1_149 } };
const WHOLE = {
  file: 'address-activity.yaml',
  seed: 'demo',
  head: 30_000,
  addresses: 45,
  part: {},
};
const SMALL_CASES: readonly Case[] = ['demo', 'prices', 'other'].flatMap((seed) => [
  { ...SMALL, file: 'address-activity.yaml', seed },
  { ...SMALL, file: 'chain-blocks.yaml', seed, part: SOME_BLOCKS },
  { ...SMALL, file: 'token-transfers.yaml', seed },
  { ...SMALL, file: 'zone-activity.yaml', seed },
  { ...SMALL, file: 'cross-chain.yaml', seed },
]);
const CASES: readonly Case[] = [WHOLE, ...SMALL_CASES];

/** Tokens that moved in some blocks. */
function tokensOf(chain: SimulatedChain): string[] {
  const transfers = Array.from({ length: 50 }, (_, i) => chain.recordsAt(3_000 + i)).flatMap(
    (records) => records.token_transfers,
  );
  return [...new Set(transfers.map((each) => String(each['token_address'])))].slice(0, 6);
}

const print = (cells: readonly (string | number)[]): void => {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
};

async function measure({ file, seed, head, addresses, part }: Case): Promise<void> {
  const chain = simulatedChain({ seed, head, ...(head < 30_000 ? { zoneStart: head - 80 } : {}) });
  const served = await serve(chainSource(chain));
  const { root, remove } = await temporaryRoot();
  const options = {
    url: served.url,
    root,
    addresses: chain.addresses(addresses),
    keys: { tokens: tokensOf(chain) },
    text: readFileSync(new URL(file, FOLDER), 'utf8'),
    change: (pipeline: Pipeline): Pipeline => ({
      ...pipeline,
      ...part,
      source: {
        ...pipeline.source,
        credentials: { kind: 'none' },
        rate: { startPerSecond: 5_000, maxPerSecond: 5_000 },
      },
    }),
  };
  try {
    const plain = (await priceLake(options)).estimate.total.requests;
    const { estimate } = await priceLake(options, 'bench');
    served.targets.length = 0;
    await exportLake(options);
    const sent = served.targets.length;
    const planned = estimate.total.requests;
    const ratio = (planned / sent).toFixed(3);
    print([file, seed, plain, estimate.probed?.requests ?? 0, planned, sent, ratio]);
    if (process.env['DETAILS'] === undefined) return;
    for (const {
      list: { endpoint, variant, filters },
      price,
    } of estimate.requests) {
      const type = filters['protocolType'];
      const own = served.targets.filter((target) => {
        const { pathname, searchParams } = new URL(target, 'http://x');
        const isType = type === undefined || searchParams.get('protocolType') === type;
        return pathname.endsWith(endpoint) && isType;
      });
      print(['', endpoint, variant, price.rows ?? '', price.requests, own.length, '']);
    }
  } finally {
    await served.close();
    await remove();
  }
}

const [onlyFile = '', onlySeed = ''] = process.argv.slice(2);
print(['pipeline', 'seed', 'plan', 'probes', 'plan --probe', 'sent', 'ratio']);
print(Array.from({ length: 7 }, () => '---'));
for (const each of CASES) {
  if (each.file.startsWith(onlyFile) && each.seed.startsWith(onlySeed)) await measure(each);
}
