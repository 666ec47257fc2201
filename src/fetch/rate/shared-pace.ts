import type { CommonPace } from './rate-share.ts';

/** The share of a process, and the pace of the others; undefined if it is alone. */
export interface ShareOfPace {
  readonly share: number;
  readonly isLeader: boolean;
  readonly others: CommonPace | undefined;
}

/** The common pace of all processes with one key. */
export interface SharedPace {
  /** Whether the share should be renewed before a request. */
  isDue(nowMs: number): boolean;
  /** The share that may be used at this time; 0 if it must be renewed first. */
  shareAt(nowMs: number): number;
  /** Renews the share; `wanted` is the share that the process would use. */
  renew(common: CommonPace, wanted: number): Promise<ShareOfPace>;
  close(): Promise<void>;
}
