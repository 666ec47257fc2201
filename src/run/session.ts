import type { HeadMemory } from '../fetch/chain/head-memory.ts';
import type { KeyDensity } from '../fetch/corroborate/key-density.ts';

/** Knowledge of earlier runs over the same connection. */
export interface Session {
  readonly heads: HeadMemory;
  readonly density: KeyDensity;
  /** Whether this run maintains the files of the lake. */
  readonly isUpkeepDue: boolean;
}
