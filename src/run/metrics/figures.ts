import type { RunHistory } from '../../land/reports/run-history.ts';
import type { RunReport } from '../../land/reports/run-reports.ts';

export interface TableFigures {
  readonly chain: string;
  readonly dataset: string;
  readonly rows: number;
  readonly files: number;
  readonly bytes: number;
  /** Blocks times keys, by status. */
  readonly keyBlocks: Readonly<Record<string, number>>;
}

/** The parts of a report with figures of its run. */
export type RunFigures = Pick<RunReport, 'planned' | 'actual' | 'pace' | 'failed'>;

/** Everything that the metrics of a pipeline are made from. */
export interface PipelineFigures {
  readonly pipeline: string;
  readonly version: string;
  /** The run under way, as its report will state it, or else the last one. */
  readonly run: RunFigures | undefined;
  readonly isUnderWay: boolean;
  readonly history: Pick<RunHistory, 'last' | 'lastSuccessMs' | 'heads'>;
  readonly tables: readonly TableFigures[];
  /** Records that wait in quarantine, by chain. */
  readonly quarantine: Readonly<Record<string, number>>;
}
