import type { Axis } from '../catalogue/entry.ts';
import type { CheckpointsByAxis } from '../coverage/checkpoints.ts';
import type { ChunkEngine } from '../curate/chunk-job.ts';
import type { Effects } from '../effects.ts';
import type { BlockHashes } from '../fetch/chain/checkpoints.ts';
import type { HeadMemory } from '../fetch/chain/head-memory.ts';
import type { Connection } from '../fetch/connect.ts';
import type { Suspicion } from '../fetch/corroborate/empty-part.ts';
import type { KeyDensity } from '../fetch/corroborate/key-density.ts';
import type { Committer } from '../land/committer.ts';
import type { Lake } from '../land/lake.ts';
import type { Names } from '../land/names.ts';
import type { Disk } from '../land/storage/disk.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { Estimate } from '../plan/estimate.ts';
import type { Plan, PlannedRequest } from '../plan/plan.ts';
import type { Capture } from './capture/capture.ts';
import type { StoppableJob } from './interruption.ts';

/** Everything a run needs, opened by its caller and closed by its caller. */
export interface Job extends StoppableJob {
  readonly pipeline: Pipeline;
  readonly keys: Readonly<Record<string, readonly string[]>>;
  /** Labels and names to keep for the warehouse; '' removes a label. */
  readonly names?: Names;
  readonly connection: Connection;
  /** Captures beside the lists. A follower continues them over all of its runs. */
  readonly captures?: readonly Capture[];
  /** Captures end after this time, and the lists go on. Default: `limits.for`, or one reading. */
  readonly captureMs?: number | undefined;
  readonly lake: Lake;
  readonly disk: Disk;
  readonly effects: Effects;
  readonly run: string;
  /** Version of windrow, for the data root's marker. */
  readonly version: string;
  /** False with --no-lock: two runs at once are safe, but fetch the same data twice. */
  readonly isLocked?: boolean | undefined;
  /** A part of a run of several processes: the run that follows compares, shows and maintains. */
  readonly isPart?: boolean;
  /** Computes curated tables elsewhere; default: this process does. */
  readonly engine?: ((lake: Lake) => ChunkEngine) | undefined;
  readonly watches?: readonly Watch[];
  /** Set for the runs of `follow`, which share a connection and a lake. */
  readonly session?: Session;
  /** Default: all requests of the pipeline, without the ranges that are complete. */
  readonly intent?: Intent | undefined;
}

/** Selects the requests of a run. */
export interface Intent {
  /** Complete ranges are fetched again, and their rows replaced. */
  readonly isAgain: boolean;
  /** Whether the run includes the request. */
  wants(planned: PlannedRequest): boolean;
}

/** Progress events of a run. */
export interface Watch {
  planned?(priced: PricedPlan): void;
  /** The plan of look-ups for keys in landed rows, once the other slices have ended. */
  lookUpsPlanned?(plan: Pick<Plan, 'requests'>): void;
  /** A slice has ended, after these requests. */
  progressed?(committer: Pick<Committer, 'counts'>, entry: PlannedRequest, requests: number): void;
  loading?(): void;
}

export interface PricedPlan {
  readonly plan: Plan;
  readonly estimate: Estimate;
  readonly chainCheck: ChainCheck;
}

/** Result of comparing the chains with the checkpoints of the lake. */
export interface ChainCheck {
  /** The lowest height of each dataset that may have changed since its table was landed. */
  readonly changed: ReadonlyMap<string, number>;
  /** Checkpoints that still match, in order of height. */
  readonly checkpoints: CheckpointsByAxis;
  readonly hashes: Readonly<Partial<Record<Axis, BlockHashes>>>;
}

/** Knowledge of earlier runs over the same connection. */
export interface Session {
  readonly heads: HeadMemory;
  readonly density: KeyDensity;
  /** Absent where the process is alone. */
  readonly suspicion?: Suspicion;
  /** Whether this run maintains the files of the lake. */
  readonly isUpkeepDue: boolean;
}
