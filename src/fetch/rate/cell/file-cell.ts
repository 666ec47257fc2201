import {
  accessSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Effects } from '../../../effects.ts';
import type { PaceCell } from './pace-cell.ts';

export interface FileCellOptions<Value> {
  readonly folder: string;
  /** Reads a value from JSON; throws if it is damaged. */
  readonly read: (json: unknown) => Value;
  readonly effects: Pick<Effects, 'random' | 'log'>;
}

const VISIT_MS = 50;
/** Versions that stay after newer ones are published. */
const KEPT_VERSIONS = 4;
const MOST_TRIES = 1000;

/**
 * The newest of the numbered files in a folder on a local disk. A version is written aside and
 * published by link(2), which fails if the version exists. So no process waits for another one, a
 * process that published the newest version does not read it again, and a killed one leaves at most
 * a file that later visits remove. Versions are not synced: a power cut may lose the last ones.
 *
 * Where the folder cannot be written, the value is that of this process alone, and a warning is
 * logged once.
 */
export function fileCell<Value>({
  folder,
  read,
  effects,
}: FileCellOptions<Value>): PaceCell<Value> {
  const name = Math.floor(effects.random() * 2 ** 48).toString(16);
  let alone: Value | undefined;
  /** The version that this process published last; others may have published newer ones. */
  let last: { readonly version: number; readonly value: Value } | undefined;
  let hasFailed = false;

  const pathOf = (version: number): string => join(folder, String(version));

  const readVersion = (version: number): Value | undefined => {
    if (version === 0) return undefined;
    const text = readFileSync(pathOf(version), 'utf8');
    try {
      return read(JSON.parse(text));
    } catch {
      effects.log('warn', `The rate in ${pathOf(version)} is damaged and is replaced.`);
      return undefined;
    }
  };

  /** Throws EEXIST or ENOENT if another process was faster. */
  const publishNext = (change: (value: Value | undefined) => Value): Value => {
    const latest = last;
    last = undefined;
    const files =
      latest === undefined ? readdirSync(folder) : [String(latest.version - KEPT_VERSIONS)];
    const newest = latest?.version ?? Math.max(0, ...files.map(versionOf).filter(Number.isInteger));
    const value = change(latest === undefined ? readVersion(newest) : latest.value);
    const aside = `${pathOf(newest + 1)}.${name}`;
    writeFileSync(aside, JSON.stringify(value), { mode: 0o600 });
    try {
      linkSync(aside, pathOf(newest + 1));
    } finally {
      rmSync(aside, { force: true });
    }
    // Its number is also free if it was removed after many newer ones; then this one is gone, too.
    if (newest > 0) accessSync(pathOf(newest));
    for (const file of files) {
      if (Number.parseInt(file, 10) <= newest - KEPT_VERSIONS) {
        rmSync(join(folder, file), { force: true });
      }
    }
    last = { version: newest + 1, value };
    return value;
  };

  const publish = (change: (value: Value | undefined) => Value): Value => {
    for (let tries = 1; ; tries += 1) {
      try {
        if (last === undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
        return publishNext(change);
      } catch (error) {
        if (!wasOvertaken(error) || tries === MOST_TRIES) throw error;
      }
    }
  };

  return {
    visitMs: VISIT_MS,
    where: folder,
    update: async (change) => {
      try {
        alone = publish(change);
        hasFailed = false;
      } catch (error) {
        const level = hasFailed ? 'debug' : 'warn';
        effects.log(level, `The rate is not shared with other runs: ${String(error)}`);
        hasFailed = true;
        alone = change(alone);
      }
    },
  };
}

/** NaN for a version that is being written, and for other files. */
function versionOf(file: string): number {
  return /^\d{1,15}$/.test(file) ? Number(file) : Number.NaN;
}

function wasOvertaken(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && ['EEXIST', 'ENOENT'].includes(`${error.code}`)
  );
}
