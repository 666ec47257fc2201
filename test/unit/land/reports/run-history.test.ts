import { describe, expect, it } from 'vitest';
import { historyOf, isKnown } from '../../../../src/land/reports/run-history.ts';
import type { RunReport } from '../../../../src/land/reports/run-reports.ts';

const HEADS = { primary: { head: 1_000, safe: 936 } };

function report(hour: number, more: Partial<RunReport> = {}): RunReport {
  const time = `2026-01-02T0${hour}:00:00.000Z`;
  return {
    run: `run ${hour}`,
    pipeline: 'nightly',
    startedAt: time,
    endedAt: time,
    exitCode: 0,
    planned: { heads: HEADS },
    actual: { requests: 1 },
    failed: [],
    left: 0,
    ...more,
  };
}

const at = (hour: number): number => Date.parse(`2026-01-02T0${hour}:00:00.000Z`);

describe('the history of runs', () => {
  it('has the last run, the last success, and the lag behind the head', () => {
    const history = historyOf([report(5)]);
    expect(history.last?.run).toBe('run 5');
    expect(history.lastSuccessMs).toBe(at(5));
    expect(history.heads).toEqual({
      primary: { head: 1_000, safe: 936, lagBlocks: 65, atMs: at(5) },
    });
    expect(isKnown(history)).toBe(true);
  });

  it('counts the lag from the last run that read everything to the newest head', () => {
    const newest = { planned: { heads: { primary: { head: 2_000, safe: 1_936 } } } };
    const failed = report(6, { ...newest, exitCode: 3, failed: [{}] });
    expect(historyOf([failed]).heads['primary']?.lagBlocks).toBeUndefined();
    expect(isKnown(historyOf([failed]))).toBe(false);
    const history = historyOf([failed, report(5)]);
    expect(history.heads['primary']).toMatchObject({ head: 2_000, lagBlocks: 1_065 });
    expect(history.lastSuccessMs).toBe(at(5));
  });

  it('passes over interrupted runs, runs of other blocks, and runs without a head', () => {
    const { planned: _, actual: __, ...down } = report(8, { exitCode: 1 });
    const history = historyOf([
      down,
      report(7, { left: 3, exitCode: 130 }),
      report(6, { isWhole: false }),
      report(5),
    ]);
    expect(history.last?.run).toBe('run 8');
    expect(history.lastSuccessMs).toBe(at(5));
    expect(history.heads['primary']).toMatchObject({ lagBlocks: 65, atMs: at(7) });
  });

  it('has a success of other blocks only while no later run of all blocks has succeeded', () => {
    const part = report(6, { isWhole: false });
    expect(historyOf([part, report(5)])).toMatchObject({
      lastSuccessMs: at(5),
      laterPartMs: at(6),
    });
    expect(historyOf([report(7, { exitCode: 1 }), part]).laterPartMs).toBe(at(6));
    expect(historyOf([part]).lastSuccessMs).toBeUndefined();
    expect(historyOf([report(7), part]).laterPartMs).toBeUndefined();
    expect(historyOf([report(7, { exitCode: 3, isWhole: false })]).laterPartMs).toBeUndefined();
  });

  it('leaves out runs that are under way or were killed', () => {
    const { endedAt: _, ...open } = report(6);
    expect(historyOf([open]).last).toBeUndefined();
    expect(historyOf([open, report(5)]).last?.run).toBe('run 5');
  });

  it('believes a follower, whose report lists no slices, by its exit code', () => {
    const { failed: _, left: __, ...follower } = report(5);
    expect(historyOf([follower]).heads['primary']?.lagBlocks).toBe(65);
    expect(historyOf([{ ...follower, exitCode: 3 }]).heads['primary']?.lagBlocks).toBeUndefined();
  });
});
