import { expect, it } from 'vitest';
import { parsePipeline } from '../../../src/pipeline/read-pipeline.ts';
import { refusal, SMALL } from '../../fixtures/pipeline-small.ts';

const withLimits = (limits: string): string => [...SMALL, `limits: ${limits}`].join('\n');
const parsed = (text: string) => parsePipeline({ text, file: 'p.yaml' });

it('limits of a pipeline are numbers and durations', () => {
  const limited = parsed(
    withLimits('{ maxRequests: 5000, for: 45m, maxWait: 15m, stopWithin: 5s }'),
  );
  expect(limited.limits).toEqual({
    maxRequests: 5000,
    forMs: 2_700_000,
    maxWaitMs: 900_000,
    stopWithinMs: 5_000,
    priority: 5,
    onLocked: 'fail',
  });
});

it.each([
  ['{ maxRequests: 5 }', 'is not a whole number from 20 to 1000000000'],
  ['{ for: 45 }', 'is not a duration'],
  ['{ maxWait: 1w }', 'is not a duration'],
])('%s is refused', (limits, problem) => {
  expect(refusal(withLimits(limits))).toContain(problem);
});
