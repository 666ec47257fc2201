import { join } from 'node:path';
import { Redis } from 'ioredis';
import { openLake } from '../../src/land/lake.ts';
import { mountRoot } from '../../src/land/places/mount-root.ts';
import { localDisk, machineDisk } from '../../src/land/storage/disk.ts';
import { redisTurn } from '../../src/run/queue/redis-turn.ts';
import { systemEffects } from '../../src/system.ts';
import { CHAINS } from '../fixtures/chains.ts';
import { listNamed } from '../fixtures/lists.ts';

/**
 * Writers that commit claims of 20 keys to six tables in a store, and count lost races:
 *
 *     node race-process.mjs REDIS ADDRESS FOLDER SECONDS WRITERS [turns]
 */

const [redis = '', address = '', folder = '', seconds, writers, turns] = process.argv.slice(2);
const LISTS = [
  'mainchain/address/normal-transaction-list-multi',
  'mainchain/address/internal-transaction-list-multi',
  'mainchain/address/token-transaction-list',
  'mainchain/block/block-fills',
  'mainchain/zone/block/block-list',
  'mainchain/zone/address/transaction-list',
].map((path) => listNamed(path));
/** A worker commits to one of its tables this often, in the mean. */
const PAUSE_MS = 5000;

const client = new Redis(redis);
const server = {
  run: (script: string, keys: readonly string[], args: readonly (string | number)[]) =>
    client.eval(script, keys.length, ...keys, ...args),
};
const effects = systemEffects('warn');
const endMs = performance.now() + 1000 * Number(seconds);
const interval = { from: 0, to: 9999 };
const read = { status: 'complete', reason: '', head: 20_000, readAtMs: 0, generation: 0 } as const;
let [commits, lost] = [0, 0];

const open = (writer: string) => {
  const log = (_: string, text: string): void => {
    if (/was taken by another writer/.test(text)) lost += 1;
  };
  const logger = { ...effects, log };
  const root = mountRoot(address, { dir: join(folder, writer) }, process.env, machineDisk, logger);
  const turn = turns === undefined ? undefined : redisTurn(server, writer, effects);
  return openLake({ root, chains: CHAINS, run: writer, disk: localDisk, effects: logger, turn });
};

const claims = new Map(LISTS.map((list) => [list, new Set<string>()]));
const work = async (_: unknown, number: number): Promise<void> => {
  const lake = await open(`20260101T000000Z-${String(number).padStart(6, '0')}`);
  for (let at = 0; ; at += 1) {
    await effects.sleep(2 * PAUSE_MS * effects.random());
    if (performance.now() > endMs) break;
    const list = LISTS[(number + at) % LISTS.length] ?? LISTS[0];
    if (list === undefined) break;
    const keys = Array.from({ length: 20 }, (__, i) => `0x${number}${'f'.repeat(9)}${at}e${i}`);
    const claim = { list, keys, interval, ...read };
    await lake.table(list.dataset.name).commit([{ claim, records: [], slice: 'x', requests: 1 }]);
    commits += 1;
    for (const key of keys) claims.get(list)?.add(key);
  }
  lake.close();
};
await Promise.all(Array.from({ length: Number(writers) }, work));
const lake = await open('20260101T000000Z-ffffff');
const coverage = await lake.coverage();
const missing = LISTS.flatMap((list) => {
  return [...(claims.get(list) ?? [])].filter((key) => !coverage.isKnown(list, key, interval));
});
lake.close();
client.disconnect();
process.stdout.write(`${JSON.stringify({ commits, lost, missing: missing.length })}\n`);
