import type { Effects } from '../../../effects.ts';
import type { Lake } from '../../../land/lake.ts';
import type { Pipeline } from '../../../pipeline/pipeline.ts';
import type { Capture } from '../../../run/capture/capture.ts';
import { StreamCapture } from '../../../run/capture/stream-capture.ts';

/** The captures of a pipeline, which its runs start. */
export function capturesOf({
  pipeline: { stream },
  lake,
  effects,
}: {
  readonly pipeline: Pipeline;
  readonly lake: Lake;
  readonly effects: Effects;
}): readonly Capture[] {
  return stream === undefined ? [] : [new StreamCapture(stream, lake, effects)];
}
