import { openLake } from '../../src/land/lake.ts';
import { contentDigest } from '../../src/land/rows/digest.ts';
import { localDisk } from '../../src/land/storage/disk.ts';
import { lakeSource } from '../../src/service/lake/lake-source.ts';
import { chainSource } from '../../src/service/memory/chain-source.ts';
import { simulatedChain } from '../../src/simulated/chain.ts';
import { systemEffects } from '../../src/system.ts';
import { exportLake, serve, temporaryRoot } from '../e2e/harness.ts';
import { CHAINS } from '../fixtures/chains.ts';

/**
 * Whether an export of many blocks, served from its lake and exported from there, is the same to
 * the digest. All lists of addresses, the look-ups of transactions and of every block, and all of
 * the zone chain span all blocks, as many of them on either chain; what is asked block by block in
 * six kinds, or hash by hash, spans the newest blocks alone, as it says. Prints a Markdown table;
 * `!` marks a dataset that is not the same.
 *
 *     npx tsc -p tsconfig.json --noEmit false --outDir node_modules/.bench &&
 *       cp -r sql node_modules/.bench &&
 *       node node_modules/.bench/test/bench/round-trip.js [blocks] [addresses] [whole blocks]
 */

const [blocks = 50_000, addressCount = 200, wholeBlocks = 300] = process.argv.slice(2).map(Number);
const HEAD = blocks - 1;
/** The list of blocks reaches the latest 10,000. */
const LISTED_FROM = Math.max(0, blocks - 10_000);
const WHOLE_FROM = Math.max(0, blocks - wholeBlocks);
/** The zone makes 120 blocks while the primary chain makes one. */
const ZONE_BLOCKS_PER_BLOCK = 120;
const ZONE_START = HEAD - Math.ceil(blocks / ZONE_BLOCKS_PER_BLOCK);
/** Of both sorts, with fewer transfers than the record cap shows. */
const tokensOf = <T>(tokens: readonly T[]): readonly T[] => tokens.slice(5, 9);

const chain = simulatedChain({ seed: 'aftermath', head: HEAD, zoneStart: ZONE_START });
const zoneFrom = Math.max(0, chain.zone.head - wholeBlocks * 10);

const PIPELINE = `version: 1
name: round-trip
source:
  url: http://127.0.0.1:1
  chain: MAINCHAIN
  credentials: none
  finalityLagBlocks: 0
  finalityLagZoneBlocks: 0
  rate: { startPerSecond: 5000, maxPerSecond: 5000 }
keys:
  addresses: { list: ["0x0000000000000000000000000000000000000000"] }
  tokens: { list: ["0x0000000000000000000000000000000000000000"] }
  activity:
    from: [transactions, internal_transactions]
    by:
      - mainchain/address/normal-transaction-list-multi
      - mainchain/address/internal-transaction-list-multi
  calls:
    from: [internal_transactions]
    by: [mainchain/address/internal-transaction-list-multi]
  transfers: { from: [token_transfers], by: [mainchain/address/token-transaction-list] }
  actions: { from: [zone_transactions], by: [mainchain/zone/block/transaction-list-multi] }
  crossings: { from: [cross_chain_transfers], by: [mainchain/zone/cross/transaction-list] }
blocks: { to: head }
zoneBlocks: { to: head }
commit: { rows: 200000, slices: 5000, seconds: 60 }
datasets:
  blocks:
    - { endpoint: mainchain/block/block-list, blocks: { from: ${LISTED_FROM}, to: head } }
    - { endpoint: mainchain/block/block-fills }
  transactions:
    - { endpoint: mainchain/address/normal-transaction-list-multi, keys: addresses }
    - { endpoint: mainchain/address/normal-transaction-list, keys: addresses }
    - { endpoint: mainchain/transaction/transaction-multi, keys: activity }
    - { endpoint: mainchain/block/transaction-list, blocks: { from: ${WHOLE_FROM}, to: head } }
  internal_transactions:
    - { endpoint: mainchain/address/internal-transaction-list-multi, keys: addresses }
    - { endpoint: mainchain/block/transaction-list, blocks: { from: ${WHOLE_FROM}, to: head } }
    - endpoint: mainchain/transaction/internal-transaction-detail
      keys: calls
      blocks: { from: ${WHOLE_FROM}, to: head }
  token_transfers:
    - endpoint: mainchain/address/token-transaction-list
      keys: addresses
      each: { protocolType: [token_20, token_721, token_1155, token_10] }
    - { endpoint: mainchain/token/transaction-list, keys: tokens }
    - endpoint: mainchain/block/transaction-list
      blocks: { from: ${WHOLE_FROM}, to: head }
      each: { protocolType: [token_20, token_721, token_1155, token_10] }
    - endpoint: mainchain/transaction/token-transfer-multi
      keys: transfers
      blocks: { from: ${WHOLE_FROM}, to: head }
      each: { protocolType: [token_20, token_721, token_1155, token_10] }
  native_holders:
    - { endpoint: mainchain/address/native-token-position-list }
  zone_blocks:
    - { endpoint: mainchain/zone/block/block-list }
  zone_transactions:
    - { endpoint: mainchain/zone/block/transaction-list-multi }
    - { endpoint: mainchain/zone/address/transaction-list, keys: addresses }
    - endpoint: mainchain/zone/transaction/transaction-fills
      keys: actions
      blocks: { from: ${zoneFrom}, to: head }
  cross_chain_transfers:
    - { endpoint: mainchain/zone/cross/transaction-list }
    - { endpoint: mainchain/zone/cross/transaction-list, keys: addresses }
    - { endpoint: mainchain/zone/cross/transaction-multi, keys: crossings }
`;

interface Exported {
  readonly root: string;
  readonly requests: number;
  readonly seconds: number;
}

const cleanups: (() => Promise<void>)[] = [];

async function exported(source: Parameters<typeof serve>[0]): Promise<Exported> {
  const startedMs = performance.now();
  const served = await serve(source);
  const { root, remove } = await temporaryRoot();
  cleanups.push(remove);
  const ran = await exportLake({
    url: served.url,
    root,
    addresses: chain.addresses(addressCount),
    keys: { tokens: tokensOf(chain.tokens).map(({ address }) => address) },
    text: PIPELINE,
  });
  await served.close();
  const { failed, short, left } = ran.execution;
  if (failed.length + short + left > 0) {
    const counts = `${failed.length} slices failed, ${short} are not whole, ${left} are left`;
    throw new Error(`${counts}: ${JSON.stringify(failed[0])}`);
  }
  return {
    root,
    requests: served.targets.length,
    seconds: (performance.now() - startedMs) / 1000,
  };
}

async function digestsIn(root: string) {
  const effects = systemEffects('warn');
  const lake = await openLake({ root, chains: CHAINS, run: 'bench', effects, disk: localDisk });
  try {
    const digests = new Map<string, Awaited<ReturnType<typeof contentDigest>>>();
    for (const table of await lake.tables()) {
      digests.set(table.dataset.name, await contentDigest(table));
    }
    return digests;
  } finally {
    lake.close();
  }
}

const print = (cells: readonly string[]): void => {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
};
const told = ({ requests, seconds }: Exported): string =>
  `${requests} requests in ${seconds.toFixed(0)} s`;

try {
  const first = await exported(chainSource(chain));
  const openedMs = performance.now();
  const lake = await lakeSource({ root: first.root, effects: systemEffects('warn') });
  cleanups.push(() => lake.close());
  const openSeconds = (performance.now() - openedMs) / 1000;
  const second = await exported(lake);
  const [before, after] = [await digestsIn(first.root), await digestsIn(second.root)];
  process.stdout.write(
    `\n${blocks} blocks of the primary chain and ${chain.zone.head + 1} of the zone chain, ` +
      `${addressCount} addresses; block by block from ${WHOLE_FROM}.\n` +
      `From the chain: ${told(first)}. The lake opened in ${openSeconds.toFixed(1)} s. ` +
      `From the lake: ${told(second)}.\n\n`,
  );
  print(['dataset', 'rows', 'digest 1', 'digest 2', 'equal']);
  print(Array.from({ length: 5 }, () => '---'));
  for (const name of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const [one, two] = [before.get(name), after.get(name)];
    const isEqual = one !== undefined && one.sha256 === two?.sha256;
    if (!isEqual) process.exitCode = 1;
    const rows = one?.rows === two?.rows ? `${one?.rows}` : `${one?.rows} and ${two?.rows}`;
    const short = (digest: typeof one): string => digest?.sha256.slice(0, 16) ?? 'none';
    print([name, rows, short(one), short(two), isEqual ? 'yes' : 'no !']);
  }
} finally {
  for (const cleanup of cleanups.reverse()) await cleanup();
}
