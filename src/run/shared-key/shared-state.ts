import type { PaceCell } from '../../fetch/rate/cell/pace-cell.ts';
import type { PaceRecord } from '../../fetch/rate/pace-record.ts';
import type { CommitTurn } from '../../land/delta/stored-table.ts';
import type { DailyQuota, KeyQuota } from './daily-quota.ts';
import type { KeyOwner } from './key-folder.ts';

/** The state that workers on several hosts share, beside the lake. */
export interface SharedState {
  /** The pace of a key. */
  pace(owner: KeyOwner): Promise<PaceCell<PaceRecord>>;
  /** The daily quota of a key, of which `local` counts the requests of this machine. */
  quota(owner: KeyOwner, local: DailyQuota): KeyQuota;
  /** Orders the commits to a table, so that fewer of them lose a race. */
  readonly turn: CommitTurn;
}
