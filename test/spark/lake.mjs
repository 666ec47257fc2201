import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { cli, serve, writePipeline } from '../interop/windrow.mjs';

/**
 * A lake of many small commits: two releases of windrow follow a chain that grows, one after the
 * other. They land a few blocks at a time, write checkpoints and merge files by their own rules.
 */

const FIRST_HEAD = 29_003;
/** A block or two in each round: more would make the tables large. */
const BLOCKS_PER_SECOND = '0.6';
const EVERY = '2s';
const ADDRESSES = 8;

/** Rounds of the older release, of the newer one up to the second moment, and from there on. */
const ROUNDS = [90, 55, 60];

/** The zone chain, born with block 29,000, has about 120 blocks to every block of the primary. */
const PIPELINE = `version: 1
name: spark
source:
  url: http://127.0.0.1:8080
  chain: MAINCHAIN
  zoneChain: ZONECHAIN
  credentials: none
  finalityLagBlocks: 3
  finalityLagZoneBlocks: 100
  rate: { startPerSecond: 500, maxPerSecond: 5000 }
keys:
  addresses: { file: addresses.csv }
  listed: { from: [transactions], by: [mainchain/address/normal-transaction-list-multi] }
  crossings: { from: [cross_chain_transfers] }
blocks: { from: 28000, to: head }
zoneBlocks: { from: 100, to: head }
datasets:
  blocks:
    - endpoint: mainchain/block/block-list
  transactions:
    - endpoint: mainchain/address/normal-transaction-list-multi
      keys: addresses
    - endpoint: mainchain/transaction/transaction-multi
      keys: listed
  internal_transactions:
    - endpoint: mainchain/address/internal-transaction-list-multi
      keys: addresses
  token_transfers:
    - endpoint: mainchain/address/token-transaction-list
      keys: addresses
      each: { protocolType: [token_20, token_721] }
  native_holders: # 9,000 rows a reading
    - endpoint: mainchain/address/native-token-position-list
      maxAgeMinutes: 2
  zone_blocks:
    - endpoint: mainchain/zone/block/block-list
  zone_transactions:
    - endpoint: mainchain/zone/block/transaction-list-multi
  cross_chain_transfers:
    - endpoint: mainchain/zone/cross/transaction-list
    - endpoint: mainchain/zone/cross/transaction-multi
      keys: crossings
`;

/**
 * Fills the lake `root`. Returns its pipeline, the head of the chain, and two moments in ISO 8601:
 * when the older release ended, and a later one.
 */
export async function makeLake(folder, root, olderCli) {
  const pipeline = await writePipeline(folder, PIPELINE, ADDRESSES);
  const service = await serve(FIRST_HEAD, '--stream-speed', BLOCKS_PER_SECOND);
  const follow = (program, rounds) => followFor(program, pipeline, root, service.url, rounds);
  try {
    const [older, ...newer] = ROUNDS;
    const first = await follow(olderCli, older);
    const second = await follow(cli, newer[0]);
    const { head } = await follow(cli, newer[1]);
    return { pipeline, head, moments: [first.at, second.at] };
  } finally {
    service.stop();
  }
}

/** Follows for so many rounds that landed rows; returns when the last one ended, and its head. */
async function followFor(program, pipeline, root, url, rounds) {
  const flags = ['--data', root, '--source-url', url, '--every', EVERY, '--json', '--quiet'];
  const child = spawn(process.execPath, [program, 'follow', pipeline, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let landed = 0;
  let last;
  for await (const line of createInterface({ input: child.stdout })) {
    last = JSON.parse(line);
    if (last.rows > 0) landed += 1;
    if (landed === rounds) child.kill('SIGINT');
  }
  const code = await ended;
  if (landed < rounds) throw new Error(`windrow follow ended with code ${code}`);
  return { at: last.at, head: last.safe.primary + last.behind.primary };
}
