import type { Effects } from '../../../effects.ts';
import type { Lake } from '../../../land/lake.ts';
import type { Pipeline } from '../../../pipeline/pipeline.ts';
import type { Capture } from '../../../run/capture/capture.ts';

/** The captures of a pipeline, which its runs start. */
export function capturesOf(_: {
  readonly pipeline: Pipeline;
  readonly lake: Lake;
  readonly effects: Effects;
}): readonly Capture[] {
  return [];
}
