import type { Coverage, CoverageEntry } from '../coverage/coverage.ts';
import type { Snapshot } from './delta/fold.ts';
import type { DeltaTable } from './rows/table.ts';
import { literal } from './storage/sql-text.ts';

/** Entries of one dataset in the coverage table that replace older ones. */
export interface CoverageChange {
  readonly dataset: string;
  /** The rows that they replace, as an SQL condition. */
  readonly stale: string;
  readonly entries: readonly CoverageEntry[];
}

/** The newest version of a table with coverage. */
export interface CoveredTable {
  readonly name: string;
  /** Version of the table, and the name of its folder's content: another one if fetched again. */
  readonly version: number;
  readonly key: string;
  readonly coverage: Coverage;
}

export async function statesOf(tables: readonly DeltaTable[]): Promise<CoveredTable[]> {
  const states: CoveredTable[] = [];
  for (const table of tables) {
    const { name } = table.dataset;
    const { version, tableId, coverage } = await table.snapshot();
    states.push({ name, version, key: `${name}/${tableId ?? ''}`, coverage });
  }
  return states;
}

/** The versions that the table is made from. Those of tables that were moved away are -1. */
export function versionsIn(states: readonly CoveredTable[], newest: Snapshot): Map<string, number> {
  const versions = new Map([...newest.transactions.keys()].map((name) => [name, -1]));
  for (const { name, key, version } of states) versions.set(name, version).set(key, version);
  return versions;
}

/** All entries of the datasets whose tables have changed since the snapshot was made from them. */
export async function changesSince(
  { transactions }: Snapshot,
  states: readonly CoveredTable[],
): Promise<CoverageChange[]> {
  const changes: CoverageChange[] = [];
  for (const { name, key, version, coverage } of states) {
    const former = transactions.get(key) ?? -1;
    if (former === version && transactions.get(name) === version) continue;
    changes.push(wholeCoverage(name, coverage));
  }
  for (const [name, version] of transactions) {
    const hasGone = !name.includes('/') && !states.some((state) => state.name === name);
    if (hasGone && version >= 0) changes.push(wholeCoverage(name, undefined));
  }
  return changes;
}

/** Every entry of the dataset; `coverage` is undefined if its table has gone. */
export function wholeCoverage(dataset: string, coverage: Coverage | undefined): CoverageChange {
  const entries = coverage === undefined ? [] : allEntries(coverage);
  return { dataset, stale: ofDataset(dataset), entries };
}

function ofDataset(dataset: string): string {
  return `dataset = ${literal(dataset)}`;
}

function allEntries(coverage: Coverage): CoverageEntry[] {
  const entries: CoverageEntry[] = [];
  for (const { keys, parts, ...list } of coverage.groups()) {
    for (const key of keys) for (const part of parts) entries.push({ ...list, key, ...part });
  }
  return entries;
}
