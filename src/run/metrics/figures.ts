/** A run under way, or the last one. */
export interface RunFigures {
  readonly isUnderWay: boolean;
  readonly startedMs: number;
  /** Requests by outcome: `answered`, `rejected` by the rate limit, `failed`. */
  readonly requests: Readonly<Record<string, number>>;
  /** Retries by cause. */
  readonly retries: Readonly<Record<string, number>>;
  readonly bytes: number;
  readonly slicesPlanned: number | undefined;
  readonly slices: number;
  readonly failedSlices: number;
  readonly commits: number;
  readonly rows: number;
  readonly rowsReplaced: number;
  readonly quarantined: number;
  readonly ratePerSecond: number | undefined;
  /** The learned limit of the service; undefined before its first rejection. */
  readonly limitPerSecond: number | undefined;
}

/** The newest run that has ended. */
export interface EndedRun {
  readonly exitCode: number;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly checks: readonly {
    readonly check: string;
    readonly severity: string;
    readonly findings: number;
  }[];
}

export interface TableFigures {
  readonly chain: string;
  readonly dataset: string;
  readonly rows: number;
  readonly files: number;
  readonly bytes: number;
  /** Blocks times keys, by status. */
  readonly keyBlocks: Readonly<Record<string, number>>;
}

export interface HeadFigures {
  readonly head: number;
  readonly final: number;
  readonly lagBlocks: number | undefined;
  readonly atMs: number;
}

/** Everything that the metrics of a pipeline are made from. */
export interface PipelineFigures {
  readonly pipeline: string;
  readonly version: string;
  readonly run: RunFigures | undefined;
  readonly ended: EndedRun | undefined;
  readonly lastSuccessMs: number | undefined;
  /** Heads by axis. */
  readonly heads: Readonly<Record<string, HeadFigures>>;
  readonly tables: readonly TableFigures[];
  /** Records that wait in quarantine, by chain. */
  readonly quarantine: Readonly<Record<string, number>>;
}
