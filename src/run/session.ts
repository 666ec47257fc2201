import type { HeadMemory } from '../fetch/chain/head-memory.ts';
import type { Suspicion } from '../fetch/corroborate/empty-part.ts';
import type { KeyDensity } from '../fetch/corroborate/key-density.ts';

/** Knowledge of earlier runs over the same connection. */
export interface Session {
  readonly heads: HeadMemory;
  readonly density: KeyDensity;
  /** Absent where the process is alone. */
  readonly suspicion?: Suspicion;
  /** Whether this run maintains the files of the lake. */
  readonly isUpkeepDue: boolean;
}
