import parse from 'parse-prometheus-text-format';
import { describe, expect, it } from 'vitest';
import { exposition, FAMILIES } from '../../../../src/run/metrics/families.ts';
import { figures } from '../../../fixtures/pipeline-figures.ts';

async function parsed(facts = figures()) {
  const families = parse(await exposition(facts));
  return new Map(families.map((family) => [family.name, family]));
}

describe('the metrics of a pipeline', () => {
  it('have a value for every family, as another reader of the format sees them', async () => {
    const families = await parsed();
    expect([...families.keys()]).toEqual(FAMILIES.map(({ name }) => name));
    for (const { type, help, metrics } of families.values()) {
      expect(type).toBe('GAUGE');
      expect(help).not.toBe('');
      for (const { labels } of metrics) expect(labels?.['pipeline']).toBe('nightly');
    }
    expect(families.get('windrow_last_success_timestamp_seconds')?.metrics).toEqual([
      { value: '1690000000', labels: { pipeline: 'nightly' } },
    ]);
    expect(families.get('windrow_run_requests')?.metrics).toEqual([
      { value: '90', labels: { pipeline: 'nightly', outcome: 'answered' } },
      { value: '8', labels: { pipeline: 'nightly', outcome: 'rejected' } },
      { value: '2', labels: { pipeline: 'nightly', outcome: 'failed' } },
    ]);
    expect(families.get('windrow_coverage_key_blocks')?.metrics).toContainEqual({
      value: '10',
      labels: {
        pipeline: 'nightly',
        chain: 'MAINCHAIN',
        dataset: 'transactions',
        status: 'truncated',
      },
    });
  });

  it('leave out figures that are not known, instead of showing 0', async () => {
    const { pipeline, version } = figures();
    const families = await parsed({
      pipeline,
      version,
      run: undefined,
      isUnderWay: false,
      history: { last: undefined, lastSuccessMs: undefined, heads: {} },
      tables: [],
      quarantine: {},
    });
    expect([...families.keys()]).toEqual(['windrow_build_info']);
  });

  it('escape names that would break a line', async () => {
    const name = 'a"b\\c\nd';
    const { version } = figures(name);
    const text = await exposition({ ...figures(name), version });
    expect(text).toContain('pipeline="a\\"b\\\\c\\nd"');
    expect(text.split('\n').every((line) => /^(#|windrow_|$)/.test(line))).toBe(true);
  });

  it('have names and units as Prometheus advises', () => {
    const names = FAMILIES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^windrow_[a-z]+(_[a-z]+)*$/);
  });
});
