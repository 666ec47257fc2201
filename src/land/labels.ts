import { z } from 'zod';
import { mergeNameFile, type NameFile, readNameFile } from './name-file.ts';
import type { Disk } from './storage/disk.ts';
import type { Layout } from './storage/layout.ts';

/** Labels of addresses from the `label` column of address files, stored beside the lake. */

function fileOf({ labels: path }: Layout): NameFile<string> {
  return {
    path,
    value: z.string(),
    noun: 'labels of addresses',
    origin: 'the column `label` of their address files',
    isEmpty: (label) => label === '',
  };
}

/** Labels by lower-case address. Throws Fault('lake') if the file cannot be parsed. */
export function readLabels(layout: Layout, disk: Disk): Promise<ReadonlyMap<string, string>> {
  return readNameFile(fileOf(layout), disk);
}

/** Merges labels into the stored ones; '' removes a label. */
export function keepLabels(
  layout: Layout,
  given: ReadonlyMap<string, string>,
  disk: Disk,
): Promise<void> {
  return mergeNameFile(fileOf(layout), given, disk);
}
