import { join } from 'node:path';
import type { CoverageGroup } from '../../coverage/coverage.ts';
import { grouped } from '../../coverage/grouped.ts';
import { blocksIn, normalise } from '../../coverage/ranges.ts';
import { tablesToCompute } from '../../curate/curate.ts';
import type { Effects } from '../../effects.ts';
import { totalOf } from '../../land/delta/fold.ts';
import { LOG } from '../../land/delta/log-files.ts';
import { type Chains, chainsIn, type Lake, withLake } from '../../land/lake.ts';
import { shortenedText } from '../../land/shortened-log.ts';
import { damagedFiles } from '../../land/storage/damage.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { layout } from '../../land/storage/layout.ts';
import { type QueryRow, query } from '../../load/query/query.ts';
import { EVIDENCE_SQL } from '../../load/query/reconciled.ts';
import { type CapturedSource, capturedSources } from './captured-sources.ts';

/** A raw table, with the coverage of its lists. */
export interface TableStatus {
  readonly chain: string;
  readonly dataset: string;
  readonly version: number;
  readonly files: number;
  readonly rows: number;
  readonly bytes: number;
  readonly coverage: readonly ListStatus[];
}

/** Coverage of a list: all keys with equal intervals, status and reason. */
export interface ListStatus {
  readonly endpoint: string;
  readonly variant: string;
  readonly status: string;
  readonly reason: string;
  readonly keys: number;
  /** A list of the whole chain, which takes no keys. */
  readonly isWholeChain: boolean;
  /** Blocks in coverage, summed over the keys. */
  readonly keyBlocks: number;
  readonly intervals: readonly { readonly from: number; readonly to: number }[];
}

/** The tables of a lake, and their state. */
export interface LakeStatus {
  readonly tables: readonly TableStatus[];
  /** Data files of another size than the log says, and logs without their end. */
  readonly damaged: readonly DamagedFile[];
  /** Names of curated tables that the next run or `windrow load` computes. */
  readonly behind: readonly string[];
  /** Captured sources with landed rows; none while files are damaged. */
  readonly captured: readonly CapturedSource[];
  /**
   * Blocks of the lists by address, summed over the addresses: `complete`, and of these
   * `complete_and_reconciled`. None without a reconciliation, or while the warehouse is not there.
   */
  readonly evidence: readonly QueryRow[];
}

/**
 * The tables of all chains under a data root; none where there is no lake. Reads no data file but
 * that of coverage, after a reconciliation.
 */
export async function lakeStatus(root: string, effects: Effects): Promise<LakeStatus> {
  const tables: TableStatus[] = [];
  const damaged: DamagedFile[] = [];
  const behind: string[] = [];
  const captured: CapturedSource[] = [];
  for (const chains of await chainsIn(root, localDisk)) {
    await withLake({ root, chains, run: 'status', effects }, async (lake) => {
      tables.push(...(await tablesOf(lake, chains)));
      const damage = await damageOf(lake);
      damaged.push(...damage);
      behind.push(...(await tablesToCompute(lake)));
      if (damage.length === 0) captured.push(...(await capturedSources(lake)));
    });
  }
  const isReconciled = tables.some(({ dataset }) => dataset === 'reconciliations');
  const evidence = isReconciled
    ? query(layout(root).warehouse, EVIDENCE_SQL, { root }).catch(() => ({ rows: [] }))
    : { rows: [] };
  return { tables, damaged, behind, captured, evidence: (await evidence).rows };
}

/** The tables of an open lake. */
export async function tablesOf(lake: Lake, chains: Chains): Promise<TableStatus[]> {
  const statuses: TableStatus[] = [];
  for (const table of [...(await lake.tables()), ...lake.captured.values()]) {
    const { version, files } = await table.stored.snapshot();
    if (version < 0) continue;
    const { name } = table.stored.shape;
    const isList = 'dataset' in table;
    statuses.push({
      chain: isList ? lake.chainOf(name) : chains.primary,
      dataset: name,
      version,
      ...totalOf(files.values()),
      coverage: isList ? listsOf((await table.snapshot()).coverage.groups()) : [],
    });
  }
  return statuses;
}

/** One entry for all keys of a list with equal intervals, status and reason. */
function listsOf(groups: Iterable<CoverageGroup>): ListStatus[] {
  const alike = new Map<string, ListStatus>();
  for (const { endpoint, variant, keys, parts } of groups) {
    const states = grouped(parts, ({ status, reason }) => JSON.stringify([status, reason]));
    for (const group of states.values()) {
      const [{ status, reason } = { status: '', reason: '' }] = group;
      const intervals = normalise(group);
      const id = JSON.stringify([endpoint, variant, status, reason, intervals]);
      const total = alike.get(id) ?? { keys: 0, keyBlocks: 0 };
      const blocks = group.reduce((sum, part) => sum + blocksIn(part), 0);
      const list = { endpoint, variant, status, reason, intervals, isWholeChain: keys[0] === '' };
      const keyBlocks = total.keyBlocks + blocks * keys.length;
      alike.set(id, { ...list, keys: total.keys + keys.length, keyBlocks });
    }
  }
  return [...alike.values()];
}

/** A data file that is missing or has another size than the log says, or a log without its end. */
interface DamagedFile {
  readonly path: string;
  readonly finding: string;
}

/**
 * Damage of raw tables that needs no file to be read: data files of another size, and log entries
 * that are gone. `windrow verify` reads the bytes.
 */
export async function damageOf(lake: Lake): Promise<DamagedFile[]> {
  const damages: DamagedFile[] = [];
  for (const { folder, newest, version } of await lake.shortenedLogs()) {
    damages.push({ path: join(folder, LOG), finding: shortenedText({ newest, version }) });
  }
  for (const table of await lake.storedTables()) {
    const { files } = await table.snapshot();
    for (const { path, what } of await damagedFiles(table.folder, files.values(), 'sizes')) {
      damages.push({ path, finding: `The data file ${what}.` });
    }
  }
  return damages;
}
