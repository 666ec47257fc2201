import { describe, expect, it } from 'vitest';
import type { QuotaUse } from '../../../../../src/cli/terminal/quota-text.ts';
import { nextStep, type StepFacts } from '../../../../../src/cli/verbs/status/next-step.ts';
import {
  headDocument,
  headLines,
  pipelineStatus,
  staleLines,
} from '../../../../../src/cli/verbs/status/status-head.ts';
import type { RunReport } from '../../../../../src/land/reports/run-reports.ts';

const NOW = Date.parse('2026-01-02T06:00:00.000Z');

function report(hour: number, more: Partial<RunReport> = {}): RunReport {
  const time = `2026-01-02T0${hour}:00:00.000Z`;
  return {
    run: `run ${hour}`,
    pipeline: 'nightly',
    pipelineFile: 'my exports/nightly.yaml',
    startedAt: time,
    endedAt: time,
    exitCode: 0,
    planned: { heads: { primary: { head: 1_000, safe: 936 } } },
    actual: {},
    failed: [],
    left: 0,
    ...more,
  };
}

function facts(more: Partial<StepFacts> = {}): StepFacts {
  return {
    root: 'data',
    isUnderWay: false,
    isDamaged: false,
    isBehind: false,
    isWaiting: false,
    last: report(5),
    state: 'ended',
    isPartOnly: false,
    ...more,
  };
}

describe('the age of the last success', () => {
  const HOUR_MS = 3_600_000;
  const stale = (reports: readonly RunReport[], hours: number) => {
    const status = pipelineStatus(reports, () => ({ command: null, reason: '' }));
    return staleLines(status === undefined ? [] : [status], NOW, hours * HOUR_MS);
  };

  it('may be the given one, and not more', () => {
    expect(stale([report(5), report(3)], 1)).toEqual([]);
    const failed = report(5, { exitCode: 3 });
    expect(stale([failed, report(3)], 3)).toEqual([]);
    expect(stale([failed, report(3)], 2)).toEqual([
      'TOO OLD: the last success of nightly was 3 h ago, more than 2 h.',
    ]);
  });

  it('is missing without a run of all blocks', () => {
    expect(stale([report(5, { isWhole: false })], 24)).toEqual([
      'TOO OLD: nightly has no success yet.',
    ]);
    expect(stale([], 24)).toEqual(['TOO OLD: no run has left a report here.']);
  });
});

describe('the head of status', () => {
  it('has the last success, the lag, what is incomplete and the next command', () => {
    const reports = [
      report(5, { exitCode: 1, error: { kind: 'refused', message: 'Refused.', advice: '' } }),
      report(3),
    ];
    const status = pipelineStatus(reports, ({ newest: last, state }) =>
      nextStep(facts({ last, state })),
    );
    if (status === undefined) throw new Error('there are reports');
    const incomplete = { truncated: { lists: 2, keyBlocks: 5_000 } };
    expect(headLines([status], incomplete, NOW)).toEqual([
      'nightly: last success 2026-01-02 03:00:00 UTC, 3 h ago.',
      '  the last run ended with exit code 1, 1 h ago: Refused.',
      '  primary chain: 65 blocks behind (head 1,000, final below 936)',
      'Incomplete: truncated in 2 lists (5,000 blocks times keys); see below.',
      "Next: windrow doctor 'my exports/nightly.yaml' (the last run failed)",
    ]);
    expect(headDocument([status], incomplete)).toEqual({
      incomplete,
      pipelines: [
        {
          pipeline: 'nightly',
          lastSuccessAt: '2026-01-02T03:00:00.000Z',
          laterPartAt: null,
          lastRun: {
            run: 'run 5',
            state: 'ended',
            startedAt: '2026-01-02T05:00:00.000Z',
            endedAt: '2026-01-02T05:00:00.000Z',
            exitCode: 1,
          },
          heads: {
            primary: { head: 1_000, safe: 936, lagBlocks: 65, readAt: '2026-01-02T05:00:00.000Z' },
          },
          next: {
            command: "windrow doctor 'my exports/nightly.yaml'",
            reason: 'the last run failed',
          },
          quota: null,
        },
      ],
    });
  });

  it('has one block as one', () => {
    const [, line] = headLines([], { truncated: { lists: 1, keyBlocks: 1 } }, NOW);
    expect(line).toBe('Incomplete: truncated in 1 list (1 block times keys); see below.');
  });

  it('says that a run was killed, or is under way', () => {
    const { endedAt: _, exitCode: __, ...open } = report(5);
    const lines = (entry: RunReport) => {
      const status = pipelineStatus([entry], ({ newest: last, state }) =>
        nextStep(facts({ last, state })),
      );
      return status === undefined ? [] : headLines([status], {}, NOW);
    };
    expect(lines(open)).toEqual([
      'nightly: no run has ended with exit code 0 yet.',
      '  the last run, of 2026-01-02 05:00:00 UTC, was killed or crashed',
      'Incomplete: nothing that was read.',
      "Next: windrow run 'my exports/nightly.yaml' (the last run was killed)",
    ]);
  });
});

describe('a run of blocks that its command line names', () => {
  const statusOf = (...reports: RunReport[]) => {
    const status = pipelineStatus(reports, ({ newest: last, state }) =>
      nextStep(facts({ last, state })),
    );
    if (status === undefined) throw new Error('there are reports');
    return status;
  };
  const part = report(5, { isWhole: false });
  const line =
    '  the last run with exit code 0, 1 h ago, read only blocks that its command line named';

  it('is a success of these alone where no run of all blocks has succeeded', () => {
    expect(headLines([statusOf(part)], {}, NOW).slice(0, 3)).toEqual([
      'nightly: no run of all its blocks has ended with exit code 0 yet.',
      line,
      '  primary chain: no run has read it to its end (head 1,000, final below 936)',
    ]);
    expect(headDocument([statusOf(part)], {}).pipelines[0]).toMatchObject({
      lastSuccessAt: null,
      laterPartAt: '2026-01-02T05:00:00.000Z',
    });
  });

  it('stands beside the success of an earlier run of all blocks, and not of a later one', () => {
    expect(headLines([statusOf(part, report(3))], {}, NOW).slice(0, 2)).toEqual([
      'nightly: last success 2026-01-02 03:00:00 UTC, 3 h ago.',
      line,
    ]);
    const later = statusOf(report(5), { ...part, endedAt: '2026-01-02T04:00:00.000Z' });
    expect(headLines([later], {}, NOW).join()).not.toContain('command line');
    expect(headDocument([later], {}).pipelines[0]).toMatchObject({ laterPartAt: null });
  });
});

describe('a quota that is used up', () => {
  const usedUpUntilMs = Date.parse('2026-01-03T00:00:00Z');
  const use: QuotaUse = { perDay: 5_000, usedToday: 5_000, usedUpUntilMs };
  const quota = { key: 'a1', perDay: 5_000 };
  const limit = { message: 'the daily quota was used up' };
  const partial = report(5, { exitCode: 3, quota, limit, left: 7 });
  const statusOf = (
    reports: readonly RunReport[],
    uses: ReadonlyMap<string, QuotaUse> = new Map([['a1', use]]),
  ) => {
    const nextOf: Parameters<typeof pipelineStatus>[1] = ({ newest: last, state, quota: usage }) =>
      nextStep(facts({ last, state, usedUpUntilMs: usage?.usedUpUntilMs }));
    const status = pipelineStatus(reports, nextOf, uses);
    if (status === undefined) throw new Error('there are reports');
    return status;
  };

  it('has the reason of the first slice that failed', () => {
    const failed = [{ reason: 'refused (50044)' }, { reason: 'other' }];
    const [, line] = headLines([statusOf([report(5, { exitCode: 3, failed })])], {}, NOW);
    expect(line).toMatch(/exit code 3, 1 h ago: refused \(50044\) \(and 1 more failed slice\)$/);
  });

  it('stands in the head with the time of the next request, and no run is advised before', () => {
    const status = statusOf([partial]);
    expect(headLines([status], {}, NOW)).toEqual([
      'nightly: no run has ended with exit code 0 yet.',
      '  the last run ended with exit code 3, 1 h ago, partial because the daily ' +
        'quota was used up, with 7 slices left',
      '  the daily quota of its key (5,000 requests) is used up: requests are possible ' +
        'again at 2026-01-03 00:00:00 UTC, in 18 h',
      '  primary chain: no run has read it to its end (head 1,000, final below 936)',
      'Incomplete: nothing that was read.',
      'Next: nothing to do: the daily quota is used up until 2026-01-03 00:00:00 UTC; ' +
        "windrow run 'my exports/nightly.yaml' continues then.",
    ]);
    expect(headDocument([status], {}).pipelines[0]).toMatchObject({
      quota: { perDay: 5_000, usedToday: 5_000, usedUpUntil: '2026-01-03T00:00:00.000Z' },
      next: { command: null },
    });
  });

  it('is that of the run before while a run waits for the next day', () => {
    const { endedAt: _, exitCode: __, quota: ___, ...open } = partial;
    const lines = headLines([statusOf([open, partial])], {}, NOW);
    expect(lines.filter((line) => line.includes('is used up:'))).toHaveLength(1);
  });

  it('is not mentioned while requests are left, or where another key has used its own', () => {
    const { usedUpUntilMs: _, ...some } = use;
    for (const uses of [new Map([['a1', some]]), new Map([['b2', use]])]) {
      const lines = headLines([statusOf([partial], uses)], {}, NOW);
      expect(lines.join()).not.toContain('quota of its key');
      expect(lines.at(-1)).toMatch(/^Next: windrow run /);
    }
  });
});

describe('the next step', () => {
  const commandOf = (more: Partial<StepFacts>): string | null => nextStep(facts(more)).command;
  const ended = (exitCode: number, more: Partial<RunReport> = {}): Partial<StepFacts> => ({
    last: report(5, { pipelineFile: 'my.yaml', exitCode, ...more }),
  });

  it('follows from the exit code of the last run', () => {
    expect(commandOf(ended(0))).toBeNull();
    expect(commandOf(ended(1))).toBe('windrow doctor my.yaml');
    expect(commandOf(ended(2))).toBe('windrow doctor my.yaml');
    expect(commandOf(ended(3))).toBe('windrow run my.yaml');
    expect(commandOf({ ...ended(3), isWaiting: true })).toBe('windrow quarantine list');
    expect(commandOf({ ...ended(3, { failed: [{}] }), isWaiting: true })).toBe(
      'windrow run my.yaml',
    );
    expect(commandOf(ended(4))).toBe('windrow check');
    expect(commandOf(ended(130))).toBe('windrow run my.yaml');
  });

  it('is a run of all blocks while only runs of other blocks have succeeded', () => {
    expect(commandOf({ ...ended(0), isPartOnly: true })).toBe('windrow run my.yaml');
    expect(commandOf({ ...ended(0), isPartOnly: true, isBehind: true })).toBe('windrow load');
    expect(commandOf({ ...ended(4), isPartOnly: true })).toBe('windrow check');
  });

  it('puts damage first, leaves a run alone, and names the data root', () => {
    const root = '/srv/my data';
    expect(commandOf({ ...ended(1), isDamaged: true, root })).toBe(
      "windrow verify --data '/srv/my data'",
    );
    expect(commandOf({ ...ended(1), isUnderWay: true })).toBeNull();
    expect(commandOf({ ...ended(0), isBehind: true })).toBe('windrow load');
    expect(commandOf({ last: undefined })).toBe('windrow run FILE');
  });

  it('repeats the options for the source and the keys, and the demo', () => {
    const command = 'run my.yaml --source-url http://a --addresses mine.csv';
    expect(commandOf(ended(130, { command }))).toBe(`windrow ${command}`);
    expect(commandOf(ended(1, { command }))).toBe(`windrow ${command.replace('run', 'doctor')}`);
    expect(commandOf(ended(130, { command: 'demo' }))).toBe('windrow demo --data data');
    expect(nextStep(facts(ended(0, { command: 'demo' }))).reason).toContain(
      'windrow demo --data data reads newer blocks',
    );
  });
});
