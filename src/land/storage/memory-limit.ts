import { totalmem } from 'node:os';
import { Fault } from '../../fault.ts';

const UNITS = { MB: 1e6, MiB: 2 ** 20, GB: 1e9, GiB: 2 ** 30 } as const;

/** DuckDB cannot work with much less. */
const LEAST_BYTES = 256 * 2 ** 20;

let limitBytes: number | undefined;

/**
 * Sets the memory limit of every DuckDB that this process opens from now on: a size such as
 * `800MiB` or `4GB`; without a text it is a quarter of the machine, and at least 512 MiB. Throws
 * Fault('configuration') for a text that is not a size of at least 256 MiB.
 */
export function limitMemory(text = ''): void {
  if (text === '') {
    limitBytes = undefined;
    return;
  }
  const [, number, unit] = /^(\d+(?:\.\d+)?) ?(MB|MiB|GB|GiB)$/.exec(text) ?? [];
  const bytes = Math.floor(Number(number) * UNITS[(unit ?? 'MB') as keyof typeof UNITS]);
  if (!Number.isSafeInteger(bytes) || bytes < LEAST_BYTES) {
    throw new Fault('configuration', `WINDROW_MEMORY_LIMIT is ${JSON.stringify(text)}.`, {
      advice: 'Set it to a size of at least 256MiB, for instance 800MiB or 4GB, or leave it unset.',
    });
  }
  limitBytes = bytes;
}

/** Memory that one DuckDB may take before it spills to disk, in bytes. */
export function memoryLimitBytes(): number {
  return limitBytes ?? Math.max(512 * 2 ** 20, Math.floor(totalmem() / 4));
}
