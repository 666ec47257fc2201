import { Presets, SingleBar } from 'cli-progress';
import type { Effects } from '../effects.ts';
import type { Connection } from '../fetch/connect.ts';
import type { Watch } from '../run.ts';
import type { Console } from './console.ts';
import { counted, many } from './console.ts';
import { planText } from './plan-text.ts';

/** Without a terminal, a line at most this often. */
const LINE_EVERY_MS = 5_000;

/** Tells of a run on stderr: a bar with rate and rows on a terminal, plain lines elsewhere. */
export function runWatch(output: Console, connection: Connection, effects: Effects): Watch {
  let bar: SingleBar | undefined;
  let total = 0;
  let done = 0;
  let lastLineMs = effects.now();
  const startedMs = effects.now();
  const figures = (rows: number) => {
    const { requests } = connection.statistics();
    const seconds = Math.max(0.001, (effects.now() - startedMs) / 1000);
    return {
      requests: counted(requests),
      rate: (requests / seconds).toFixed(1),
      rows: counted(rows),
    };
  };
  const stop = (): void => {
    bar?.stop();
    bar = undefined;
  };
  return {
    planned(priced) {
      for (const line of planText(priced)) output.note(line);
      total = priced.plan.slices.length;
      if (!output.isTerminal || total === 0) return;
      bar = new SingleBar(
        {
          format:
            '{bar} {value}/{total} slices | {rate} requests/s | {rows} rows | ETA {eta_formatted}',
          stream: process.stderr,
          hideCursor: true,
        },
        Presets.shades_classic,
      );
      bar.start(total, 0, figures(0));
    },
    found(slices) {
      total += slices;
      bar?.setTotal(total);
      if (slices > 0) output.note(`Looking up what was found: ${many(slices, 'more slice')} ...`);
    },
    progressed(committer) {
      done += 1;
      const now = figures(committer.counts().rows);
      bar?.update(done, now);
      if (bar !== undefined || effects.now() - lastLineMs < LINE_EVERY_MS) return;
      lastLineMs = effects.now();
      const left = Math.ceil((((effects.now() - startedMs) / done) * (total - done)) / 1000);
      // The first slices say little of the others.
      const eta = done < total / 20 ? '' : `, ${counted(left)} s left`;
      output.note(
        `${counted(done)}/${counted(total)} slices, ${now.requests} requests at ${now.rate}/s, ` +
          `${now.rows} rows${eta}`,
      );
    },
    loading() {
      stop();
      output.note('Publishing the warehouse ...');
    },
  };
}
