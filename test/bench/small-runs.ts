import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LakeSize, playOnce, playRuns, sizeOf } from '../model/small-runs.ts';

/**
 * Files and bytes that many small runs leave, against one run over the same blocks. Prints the most
 * files of a table, the bytes of data and logs, and the rows that merges copied; with `off`, also of
 * runs without maintenance.
 *
 *     node node_modules/.bench/test/bench/small-runs.js [runs] [off]
 */

const runs = Number(process.argv[2] ?? 400);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

function line(name: string, { live, onDisk, liveBytes, dataBytes, logBytes }: LakeSize): string {
  const most = Math.max(...live.values());
  const kib = (bytes: number): string => `${Math.round(bytes / 1024)} KiB`;
  return (
    `${name}: at most ${most} files of a table in its newest version, ${kib(liveBytes)}; ` +
    `${onDisk} files with those of the last 7 days, ${kib(dataBytes)}; ${kib(logBytes)} of logs`
  );
}

const folder = await mkdtemp(join(tmpdir(), 'windrow-small-runs-'));
try {
  const [many, one, off] = ['many', 'one', 'off'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const cpuOf = async <T>(work: () => Promise<T>): Promise<[T, string]> => {
    const before = process.cpuUsage();
    const result = await work();
    const { user, system } = process.cpuUsage(before);
    return [result, `${((user + system) / 1e6).toFixed(1)} CPU seconds`];
  };
  const [, once] = await cpuOf(() => playOnce(one, runs));
  const big = await sizeOf(one);
  say(`${line('one run', big)}; ${once}`);
  const [{ copied }, maintained] = await cpuOf(() => playRuns(many, runs));
  const small = await sizeOf(many);
  say(`${line(`${runs} runs`, small)}; ${maintained}, ${copied} rows copied`);
  const ratio = (bytes: number): string => (bytes / big.liveBytes).toFixed(2);
  say(
    `bytes: ${ratio(small.liveBytes)} x those of one run, ${ratio(small.dataBytes)} x with all files`,
  );
  if (process.argv[3] === 'off') {
    const [, without] = await cpuOf(() => playRuns(off, runs, 0));
    say(`${line(`${runs} runs without maintenance`, await sizeOf(off))}; ${without}`);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
