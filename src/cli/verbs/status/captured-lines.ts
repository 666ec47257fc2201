import { durationText, momentText } from '../../../pipeline/syntax/duration.ts';
import type { CapturedSource } from '../../../run/lake/captured-sources.ts';
import { counted, many } from '../../terminal/console.ts';

/** The age, gaps and waiting bytes of each source. */
export function capturedLines(sources: readonly CapturedSource[], nowMs: number): string[] {
  const ago = (at: string): string => {
    const ms = Date.parse(at);
    return `${momentText(ms)}, ${durationText(Math.max(0, nowMs - ms))} ago`;
  };
  return sources.map(({ name, newestAt, block, gaps, newestGapAt, newestGapReason, ...source }) => {
    const row = name === 'pending' ? 'reading' : 'message';
    const height = block === null ? '' : ` (block ${counted(block)})`;
    const gap =
      newestGapAt === null ? '' : `, the last one ${ago(newestGapAt)} (${newestGapReason})`;
    const gapText = name === 'pending' ? '' : `; ${many(gaps, 'gap')}${gap}`;
    const kib = counted(Math.ceil(source.waitingBytes / 1024));
    const wait = source.waitingBytes === 0 ? '' : `; ${kib} KiB of its journal have not landed`;
    return `${name}: last ${row} ${ago(newestAt)}${height}${gapText}${wait}.`;
  });
}
