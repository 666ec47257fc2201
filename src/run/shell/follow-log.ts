import type { ClientStatistics } from '../../fetch/http/statistics.ts';
import type { CaptureCounts } from '../capture/capture.ts';
import type { FollowCycle } from '../follow.ts';
import { exitCodeOf } from './run-document.ts';

/** The runs of a follower in bounded memory, for its progress lines and its report. */
export class FollowLog {
  readonly #recent: CycleFigures[] = [];
  #runs = 0;
  #partial = 0;
  #failures = 0;
  readonly #counts = { commits: 0, slices: 0, rows: 0, rowsReplaced: 0, quarantined: 0 };
  #slowestMs = 0;
  #last: CycleFigures | undefined;
  #exitCode: 0 | 3 = 0;

  add(cycle: FollowCycle): CycleFigures {
    const figures = figuresOf(cycle);
    const counts = cycle.ran.committer.counts();
    this.#runs += 1;
    for (const name of COUNTS) this.#counts[name] += counts[name];
    this.#slowestMs = Math.max(this.#slowestMs, figures.tookMs);
    this.#exitCode = figures.isPartial ? 3 : 0;
    if (figures.isPartial) this.#partial += 1;
    this.#recent.push(figures);
    if (this.#recent.length > RECENT) this.#recent.shift();
    this.#last = figures;
    return figures;
  }

  failed(): void {
    this.#failures += 1;
  }

  /** Whether the last run left nothing incomplete below the safe height. */
  get exitCode(): 0 | 3 {
    return this.#exitCode;
  }

  /** Median time from the reading of the heads to the publication, of the latest 1,000 runs. */
  get medianMs(): number {
    const sorted = this.#recent.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? 0;
  }

  /** The part of the run report about following. */
  document(): Record<string, unknown> {
    return {
      runs: this.#runs,
      partialRuns: this.#partial,
      failures: this.#failures,
      lag: {
        medianSeconds: this.medianMs / 1000,
        largestSeconds: this.#slowestMs / 1000,
        blocks: this.#last?.behind ?? {},
      },
      shown: this.#last?.safe ?? {},
    };
  }

  actual(statistics: ClientStatistics): Record<string, unknown> {
    return { ...statistics, ...this.counts() };
  }

  counts() {
    return { ...this.#counts };
  }

  /** The heads of the last run, by axis. */
  heads(): Record<string, { readonly head: number; readonly safe: number }> {
    const { safe = {}, behind = {} } = this.#last ?? {};
    return Object.fromEntries(
      Object.entries(safe).map(([axis, height]) => {
        return [axis, { safe: height, head: height + (behind[axis] ?? 0) }];
      }),
    );
  }
}

const RECENT = 1_000;
const COUNTS = ['commits', 'slices', 'rows', 'rowsReplaced', 'quarantined'] as const;

/** Figures of one run. */
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

function figuresOf({ ran, heads, startedMs, endedMs }: FollowCycle): CycleFigures {
  const safe: Record<string, number> = {};
  const behind: Record<string, number> = {};
  for (const [axis, of] of Object.entries(heads)) {
    if (of === undefined) continue;
    safe[axis] = of.safe;
    behind[axis] = Math.max(0, of.head - of.safe);
  }
  const code = exitCodeOf(ran);
  return {
    tookMs: endedMs - startedMs,
    rows: ran.committer.counts().rows,
    captured: ran.captured,
    slices: ran.committer.counts().slices,
    isPartial: code !== 0 && code !== 130,
    safe,
    behind,
  };
}
