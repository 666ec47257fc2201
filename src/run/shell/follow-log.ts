import type { HeadsByAxis } from '../../plan/plan.ts';
import type { CaptureCounts } from '../capture/capture.ts';
import type { FollowCycle } from '../follow.ts';
import { exitCodeOf } from './run-document.ts';

/** Figures of one run of a follower. */
export interface CycleFigures {
  /** From the reading of the heads to the publication. */
  readonly tookMs: number;
  /** Rows of lists. */
  readonly rows: number;
  /** Since the follower began. */
  readonly captured: readonly CaptureCounts[];
  /** Each needs at least one request. */
  readonly slices: number;
  readonly isPartial: boolean;
  /** First height that is not final, by axis. */
  readonly safe: Readonly<Record<string, number>>;
  /** Blocks from there to the head, by axis. */
  readonly behind: Readonly<Record<string, number>>;
}

const RECENT = 1_000;
const COUNTS = ['commits', 'slices', 'rows', 'rowsReplaced', 'quarantined'] as const;

/** The runs of a follower in bounded memory, for its report and its metrics. */
export class FollowLog {
  readonly #recentMs: number[] = [];
  readonly #counts = { commits: 0, slices: 0, rows: 0, rowsReplaced: 0, quarantined: 0 };
  #runs = 0;
  #partialRuns = 0;
  #failures = 0;
  #slowestMs = 0;
  #last: CycleFigures | undefined;
  #heads: HeadsByAxis = {};

  add({ ran, startedMs, endedMs }: FollowCycle): CycleFigures {
    const counts = ran.committer.counts();
    for (const name of COUNTS) this.#counts[name] += counts[name];
    const { rows, slices } = counts;
    this.#heads = ran.plan.heads;
    const heads = Object.entries(this.#heads).filter(([, head]) => head !== undefined);
    const code = exitCodeOf(ran);
    const figures = {
      tookMs: endedMs - startedMs,
      rows,
      captured: ran.captured,
      slices,
      isPartial: code !== 0 && code !== 130,
      safe: Object.fromEntries(heads.map(([axis, { safe }]) => [axis, safe])),
      behind: Object.fromEntries(
        heads.map(([axis, { head, safe }]) => [axis, Math.max(0, head - safe)]),
      ),
    };
    this.#runs += 1;
    if (figures.isPartial) this.#partialRuns += 1;
    this.#slowestMs = Math.max(this.#slowestMs, figures.tookMs);
    this.#recentMs.push(figures.tookMs);
    if (this.#recentMs.length > RECENT) this.#recentMs.shift();
    this.#last = figures;
    return figures;
  }

  failed(): void {
    this.#failures += 1;
  }

  /** Whether the last run left nothing incomplete below the safe height. */
  get exitCode(): 0 | 3 {
    return this.#last?.isPartial === true ? 3 : 0;
  }

  /** Counts of all runs. */
  counts() {
    return { ...this.#counts };
  }

  /** The parts of the report about all runs. The median time is that of the latest 1,000. */
  document() {
    const sorted = this.#recentMs.toSorted((a, b) => a - b);
    const follow = {
      runs: this.#runs,
      partialRuns: this.#partialRuns,
      failures: this.#failures,
      lag: {
        medianSeconds: (sorted[sorted.length >> 1] ?? 0) / 1000,
        largestSeconds: this.#slowestMs / 1000,
        blocks: this.#last?.behind ?? {},
      },
      shown: this.#last?.safe ?? {},
    };
    return { planned: { heads: this.#heads }, follow };
  }
}
