import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Effects } from '../../effects.ts';
import type { Disk } from './published-files.ts';

/** Data files that were used within this time are kept: another process may be reading them. */
const IN_USE_MS = 3_600_000;

/**
 * Copies of objects on this machine, each at the path of its file below the data root. Objects of
 * tables never change, so a copy stays right. The least recently used data files give way to new
 * ones; copies of logs, which are small, stay.
 */
export class LocalCopies {
  readonly #folder: string;
  readonly #disk: Disk;
  readonly #maxBytes: number;
  readonly #effects: Pick<Effects, 'now'>;
  /** Bytes of all data files here; unknown until one is added. */
  #bytes: number | undefined;

  constructor(folder: string, disk: Disk, maxBytes: number, effects: Pick<Effects, 'now'>) {
    this.#folder = folder;
    this.#disk = disk;
    this.#maxBytes = maxBytes;
    this.#effects = effects;
  }

  /** Whether the whole file is here. It then counts as used now. */
  async use(path: string, bytes?: number): Promise<boolean> {
    const facts = await this.#disk.stat(path);
    if (facts === undefined || (bytes !== undefined && facts.bytes !== bytes)) return false;
    await this.#disk.touch(path, this.#effects.now(), facts.modifiedMs);
    return true;
  }

  /** Keeps a copy of bytes, as of the time of their object. */
  async keep(path: string, content: Buffer, modifiedMs?: number): Promise<void> {
    const aside = join(dirname(path), `.${randomUUID()}.copy`);
    await this.#disk.makeFolder(dirname(path));
    try {
      await this.#disk.write(aside, content);
      const nowMs = this.#effects.now();
      await this.#disk.touch(aside, nowMs, modifiedMs ?? nowMs);
      await this.#disk.rename(aside, path);
    } catch (error) {
      await this.#disk.remove(aside);
      throw error;
    }
    await this.#added(path, content.length);
  }

  /** Keeps a finished file under its path. */
  async adopt(staged: string, path: string, bytes: number): Promise<void> {
    await this.#disk.makeFolder(dirname(path));
    await this.#disk.rename(staged, path);
    await this.#added(path, bytes);
  }

  async #added(path: string, bytes: number): Promise<void> {
    if (!path.endsWith('.parquet')) return;
    if (this.#bytes !== undefined) this.#bytes += bytes;
    if ((this.#bytes ?? Number.POSITIVE_INFINITY) > this.#maxBytes) await this.#makeRoom(path);
  }

  /** Removes data files until a tenth of the room is free, but none in use. */
  async #makeRoom(newest: string): Promise<void> {
    const files: { path: string; bytes: number; usedMs: number }[] = [];
    for (const name of ['lake', 'curated']) {
      const folder = join(this.#folder, name);
      for (const file of await this.#disk.files(folder)) {
        if (!file.endsWith('.parquet')) continue;
        const path = join(folder, file);
        const facts = await this.#disk.stat(path);
        if (facts !== undefined) files.push({ path, bytes: facts.bytes, usedMs: facts.usedMs });
      }
    }
    let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const inUseMs = this.#effects.now() - IN_USE_MS;
    const old = files.filter(({ path, usedMs }) => path !== newest && usedMs < inUseMs);
    for (const file of bytes <= this.#maxBytes ? [] : old.sort((a, b) => a.usedMs - b.usedMs)) {
      if (bytes <= this.#maxBytes * 0.9) break;
      await this.#disk.remove(file.path);
      bytes -= file.bytes;
    }
    this.#bytes = bytes;
  }
}
