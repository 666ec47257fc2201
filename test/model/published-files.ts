import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PublishedFiles } from '../../src/land/storage/disk.ts';

/** A place for a lake, as a contract tries it. */
export interface PlaceToTry {
  readonly name: string;
  readonly files: PublishedFiles;
  /** The same place for a process that is killed at its n-th operation, with this error. */
  dying(killAt: number, error: Error): PublishedFiles;
  /** Makes an empty folder; returns its path. */
  folder(): Promise<string>;
}

/** Registers the tests that every place for a lake must pass. */
export function publishedFilesContract({ name, files, dying, folder }: PlaceToTry): void {
  let local = '';
  let at = '';
  beforeEach(async () => {
    local = await mkdtemp(join(tmpdir(), 'windrow-staged-'));
    at = await folder();
  });
  afterEach(() => rm(local, { recursive: true }));

  const staged = async (text: string): Promise<string> => {
    const path = join(local, `${Math.abs(text.length)}-${text.slice(0, 20)}`);
    await writeFile(path, text);
    return path;
  };

  /** Does the work once for each operation at which it can be killed, and looks after each. */
  const killedAnywhere = async (
    work: (files: PublishedFiles) => Promise<unknown>,
    look: () => Promise<void>,
  ): Promise<number> => {
    const killed = new Error('killed');
    for (let killAt = 1; ; killAt += 1) {
      const isDone = await work(dying(killAt, killed)).then(
        () => true,
        (error: unknown) => {
          if (error !== killed) throw error;
          return false;
        },
      );
      await look();
      if (isDone) return killAt - 1;
    }
  };

  describe(`files that are published in ${name}`, () => {
    it('have one winner of 32 that race for a path, with all bytes of the winner', async () => {
      const texts = Array.from({ length: 32 }, (_, i) => `entry ${i} `.repeat(500 + i));
      const path = join(at, 'entry');
      const all = await Promise.all(
        texts.map(async (text) => files.publishIfAbsent(await staged(text), path)),
      );
      expect(all.filter((isOurs) => isOurs)).toHaveLength(1);
      expect(await files.read(path)).toBe(texts[all.indexOf(true)]);
    });

    it('are ours if the answer of the call that published them was lost', async () => {
      const path = join(at, 'entry');
      expect(await files.publishIfAbsent(await staged('ours'), path)).toBe(true);
      expect(await files.publishIfAbsent(await staged('ours'), path)).toBe(true);
      expect(await files.publishIfAbsent(await staged('other'), path)).toBe(false);
      expect(await files.read(path)).toBe('ours');
    });

    it('are whole or absent after a kill, and old or new if they replace others', async () => {
      const [first, second] = ['a'.repeat(100_000), 'b'.repeat(90_000)];
      const [entry, state, data] = [join(at, 'entry'), join(at, 'state'), join(at, 'data')];
      const textOf = (path: string) => files.read(path).catch(() => undefined);
      const kills = await killedAnywhere(
        async (mortal) => mortal.publishIfAbsent(await staged(first), entry),
        async () => expect([undefined, first]).toContain(await textOf(entry)),
      );
      await files.put(state, first);
      const later = await killedAnywhere(
        async (mortal) => {
          await mortal.put(state, second);
          await mortal.publish([await staged(first), data], [await staged(second), state]);
        },
        async () => {
          expect([first, second]).toContain(await textOf(state));
          expect([undefined, first]).toContain(await textOf(data));
        },
      );
      expect(Math.min(kills, later)).toBeGreaterThan(0);
      expect(await textOf(state)).toBe(second);
    });

    it('are listed, measured and read in ranges at once, and are gone once removed', async () => {
      const path = join(at, 'table', 'part');
      expect(await files.list(join(at, 'table'))).toEqual([]);
      expect(await files.stat(path)).toBeUndefined();
      await expect(files.read(path)).rejects.toMatchObject({ code: 'ENOENT' });
      await files.put(join(at, 'b'), new Uint8Array([1, 2, 3]));
      await files.put(join(at, 'a'), ['0123', Buffer.from('456'), '789']);
      expect((await files.list(at)).sort()).toEqual(['a', 'b']);
      expect(await files.files(at)).toEqual(['a', 'b']);
      expect(await files.stat(join(at, 'a'))).toMatchObject({ kind: 'file', bytes: 10 });
      expect(await files.readBytes(join(at, 'b'))).toEqual(Buffer.from([1, 2, 3]));
      const partsOf = async (range?: { from: number; to: number }): Promise<string> => {
        let text = '';
        for await (const part of files.parts(join(at, 'a'), range)) text += part;
        return text;
      };
      expect(await partsOf()).toBe('0123456789');
      expect(await partsOf({ from: 3, to: 6 })).toBe('3456');
      await files.remove(join(at, 'a'));
      await files.remove(join(at, 'a'));
      expect(await files.list(at)).toEqual(['b']);
    });
  });
}
