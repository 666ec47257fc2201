import type { ScriptServer } from '../../fetch/rate/cell/redis-cell.ts';
import type { CommitTurn } from '../../land/delta/stored-table.ts';

/** The state that workers on several hosts share, beside the lake. */
export interface SharedState {
  /** Holds the pace and the quota of a key. */
  readonly server: ScriptServer;
  /** Orders the commits to a table, so that fewer of them lose a race. */
  readonly turn: CommitTurn;
}

/** The name of a key of Redis. The braces keep all of them on one node of a cluster. */
export function sharedKey(kind: string, name: string): string {
  return `{windrow}:${kind}:${name}`;
}
