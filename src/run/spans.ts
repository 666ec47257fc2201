import type { Slice } from '../coverage/slice.ts';
import { type Effects, type SpanAttributes, traced } from '../effects.ts';

/** Adds attributes to the span of a slice. */
export type AddToSpan = (attributes: SpanAttributes) => void;

/** Does the work of a run in a trace of its own. */
export function tracedRun<T>(
  { traces }: Effects,
  pipeline: string,
  run: string,
  work: () => Promise<T>,
): Promise<T> {
  if (traces === undefined) return work();
  return traces.run({ 'windrow.pipeline': pipeline, 'windrow.run': run }, work);
}

/** Fetches a slice in a span of its own. Keys are only counted: they may be private addresses. */
export function tracedSlice<T>(
  effects: Effects,
  { list, keys, interval }: Slice,
  work: (add: AddToSpan) => Promise<T>,
): Promise<T> {
  const attributes = {
    'windrow.dataset': list.dataset.name,
    'windrow.endpoint': list.endpoint,
    'windrow.variant': list.variant,
    'windrow.keys': keys.length,
    'windrow.from_block': interval.from,
    'windrow.to_block': interval.to,
  };
  return traced(effects, 'slice', attributes, work);
}
