import type { Operator } from 'opendal';
import { Listings } from '../../src/land/places/listings.ts';
import { LocalCopies } from '../../src/land/places/local-copies.ts';
import { ObjectFiles } from '../../src/land/places/object-files.ts';
import type { ObjectStore } from '../../src/land/places/object-store.ts';
import { opendalStore } from '../../src/land/places/opendal-store.ts';
import { machineDisk } from '../../src/land/storage/disk.ts';

/** Effects whose clock moves only in sleeps, which end at once. */
export function virtualEffects() {
  const log: string[] = [];
  let nowMs = 1_800_000_000_000;
  return {
    log: (_level: string, message: string) => void log.push(message),
    random: () => 0.5,
    now: () => nowMs,
    sleep: async (delayMs: number) => {
      nowMs += delayMs;
    },
    messages: log,
  };
}

/** A store through this operator. */
export function storeOf(operator: Operator, effects = virtualEffects()): ObjectStore {
  return opendalStore(async () => operator, 's3://bucket/lake', effects);
}

/** The published files of a data root in this store, with copies in a folder. */
export function objectFiles(
  folder: string,
  store: ObjectStore,
  { maxBytes = 1e9, effects = virtualEffects() } = {},
): ObjectFiles {
  const copies = new LocalCopies(folder, machineDisk, maxBytes, effects);
  const parts = { store, disk: machineDisk, copies, listings: new Listings(store, effects) };
  return new ObjectFiles({ folder, address: 's3://bucket/lake' }, parts);
}

/** Fails once and for all at the n-th request, as if the process were killed before it. */
export function dyingStore(store: ObjectStore, killAt: number, error: Error): ObjectStore {
  let count = 0;
  const alive = (): void => {
    count += 1;
    if (count >= killAt) throw error;
  };
  return {
    putIfAbsent: async (key, body) => {
      alive();
      return store.putIfAbsent(key, body);
    },
    put: async (key, body) => {
      alive();
      await store.put(key, body);
    },
    get: async (key, range) => {
      alive();
      return store.get(key, range);
    },
    facts: async (key) => {
      alive();
      return store.facts(key);
    },
    list: async (folder, depth) => {
      alive();
      return store.list(folder, depth);
    },
    delete: async (key) => {
      alive();
      await store.delete(key);
    },
  };
}
