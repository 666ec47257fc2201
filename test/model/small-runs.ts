import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { WireRecord } from '../../src/catalogue/record.ts';
import { curate } from '../../src/curate/curate.ts';
import { MAINTENANCE_RULES } from '../../src/pipeline/maintenance.ts';
import { maintainedTables } from '../../src/run/maintain/tables.ts';
import { showTidied } from '../../src/run/upkeep.ts';
import {
  internal,
  LIST,
  SmallLake,
  TOKEN_20,
  transaction,
  transfer,
} from '../fixtures/load-lake.ts';
import { quietEffects } from '../fixtures/quiet-effects.ts';
import { FAST_DISK, openTestLake } from './curate/history.ts';

/**
 * A job that runs for months: each run lands some blocks of a few lists, of which the newest are
 * provisional until the next run, looks up the hashes that it has found, and maintains the lake.
 */

const BLOCKS = 100;
/** The newest blocks of a run, which the next one reads again. */
const OPEN = 10;
const RECORDS = 60;
const START_MS = 1_700_000_000_000;
/** Four runs a day. */
const PAUSE_MS = 6 * 3_600_000;
const KEY = '0xa';

/** Records of blocks from `from` to `to`, by a formula over their heights. */
function recordsOf(from: number, to: number): { height: number; id: string; at: number }[] {
  const all: { height: number; id: string; at: number }[] = [];
  for (let height = from; height <= to; height += 1) {
    const first = Math.ceil((height * RECORDS) / BLOCKS);
    for (let at = first; at < Math.ceil(((height + 1) * RECORDS) / BLOCKS); at += 1) {
      all.push({ height, at, id: `0x${(BigInt(at + 1) * 0x9e3779b97f4a7c15n).toString(16)}` });
    }
  }
  return all;
}

function wires(rows: readonly { height: number; id: string; at: number }[]): WireRecord[] {
  return rows.map(({ height, id, at }) => {
    const to = `0x${((at % 97) + 16).toString(16)}`;
    return transaction({ txId: id, height: `${height}`, to, nonce: `${at}`, amount: `${at}.5` });
  });
}

async function land(small: SmallLake, from: number, to: number, final: number): Promise<void> {
  const parts = [
    { from, to: final, status: 'complete' as const },
    { from: final + 1, to, status: 'provisional' as const },
  ].filter((part) => part.from <= part.to);
  const walks = (records: (part: { from: number; to: number }) => WireRecord[], params = {}) =>
    parts.map((part) => ({ keys: [KEY], params, ...part, records: records(part) }));
  const some = ({ from: first, to: last }: { from: number; to: number }, step: number) =>
    recordsOf(first, last).filter(({ at }) => at % step === 0);
  const all = ({ from: first, to: last }: { from: number; to: number }) => recordsOf(first, last);
  await small.land(LIST.transactions, ...walks((part) => wires(all(part))));
  await small.land(
    LIST.internal,
    ...walks((part) =>
      some(part, 2).map(({ height, id }) => internal({ txId: id, height: `${height}` })),
    ),
  );
  await small.land(
    LIST.tokens,
    ...walks(
      (part) => some(part, 3).map(({ height, id }) => transfer({ txId: id, height: `${height}` })),
      TOKEN_20,
    ),
  );
  const rows = recordsOf(from, final);
  await small.land(
    LIST.transactionsByHash,
    ...rows.map((row) => ({ keys: [row.id], from, to: final, records: wires([row]) })),
  );
}

/** Files and bytes of a lake. */
export interface LakeSize {
  /** Data files of the newest version of every table. */
  readonly live: ReadonlyMap<string, number>;
  /** Most data files in the folder of one table. */
  readonly onDisk: number;
  /** Bytes of the data files of the newest versions, and of all data files. */
  readonly liveBytes: number;
  readonly dataBytes: number;
  readonly logBytes: number;
}

/** Plays runs one after the other in one process each, as far as the lake can tell. */
export async function playRuns(
  root: string,
  runs: number,
  seconds = 10,
): Promise<{ readonly copied: number }> {
  let copied = 0;
  for (let run = 0; run < runs; run += 1) {
    const effects = quietEffects({ now: () => START_MS + run * PAUSE_MS });
    const lake = await openTestLake(root, FAST_DISK, effects);
    const small = SmallLake.over(lake);
    const to = (run + 1) * BLOCKS - 1;
    await land(small, Math.max(0, run * BLOCKS - OPEN), to, to - OPEN);
    const maintenance = { seconds, rules: MAINTENANCE_RULES };
    const job = { pipeline: { maintenance }, lake, disk: FAST_DISK, effects };
    const upkeep = await showTidied(job, async () => {
      await lake.indexCoverage();
      await curate({ lake, effects, disk: FAST_DISK });
    });
    copied += upkeep?.merges.rows ?? 0;
    lake.close();
  }
  return { copied };
}

/** One run over all blocks of that many small runs. */
export async function playOnce(root: string, runs: number): Promise<void> {
  const lake = await openTestLake(root, FAST_DISK);
  const to = runs * BLOCKS - 1;
  await land(SmallLake.over(lake), 0, to, to - OPEN);
  await lake.indexCoverage();
  await curate({ lake, effects: quietEffects(), disk: FAST_DISK });
  lake.close();
}

export async function sizeOf(root: string): Promise<LakeSize> {
  const lake = await openTestLake(root, FAST_DISK);
  const live = new Map<string, number>();
  let [onDisk, liveBytes, dataBytes, logBytes] = [0, 0, 0, 0];
  for (const { name, stored } of await maintainedTables(lake)) {
    const snapshot = await stored.snapshot();
    live.set(name, snapshot.files.size);
    for (const { sizeBytes } of snapshot.files.values()) liveBytes += sizeBytes;
    let files = 0;
    for (const file of await readdir(stored.folder, { recursive: true })) {
      const { size } = await stat(join(stored.folder, file));
      const isLog = file.startsWith('_delta_log');
      if (isLog) logBytes += size;
      if (isLog || !file.endsWith('.parquet')) continue;
      dataBytes += size;
      files += 1;
    }
    onDisk = Math.max(onDisk, files);
  }
  lake.close();
  return { live, onDisk, liveBytes, dataBytes, logBytes };
}
