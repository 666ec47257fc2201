import { grouped } from '../../coverage/grouped.ts';
import { listKey } from '../../coverage/list.ts';
import type { DataFile } from '../../land/delta/actions.ts';
import type { FileCopy } from '../../land/delta/prepared-commit.ts';
import { isWorthCopying } from '../../land/storage/file-growth.ts';
import type { FileTarget } from '../../pipeline/maintenance.ts';

/** So many small files of a list are left alone: a commit for them costs more than they do. */
const FEW_FILES = 3;
/** Unless the table has more small files than this: it may have many lists. */
const MANY_FILES = 20;
/**
 * A file is large if it has at least this share of the rows of a full one: a commit of a first
 * export writes such files.
 */
const LARGE_SHARE = 0.1;
/** This many large files per list are left alone: reading them costs less than copying them. */
const FEW_LARGE_FILES = 10;
/** Files of one merge at most: each of them is open while it is read. */
const MAX_FILES = 500;

/** A data file whose rows are counted and whose list is known. */
interface CountedFile extends DataFile {
  readonly rows: number;
}

/**
 * The merges of small files that a table needs, the smallest first. A merge takes files of one
 * list, and none that `isProvisional` names: the next run replaces those anyway. It takes the
 * smallest files while each is worth copying with those before it. So a list keeps a few files of
 * each order of magnitude, and a few more of large ones, and a row is copied only a logarithmic
 * number of times.
 */
export function planMerges(
  files: Iterable<DataFile>,
  isProvisional: (file: DataFile) => boolean,
  target: FileTarget,
): FileCopy[] {
  const counted = [...files].filter((file) => isSmall(file, target));
  const lists = grouped(counted, ({ source }) => source && listKey(source));
  const all = [...lists.values()];
  const isCrowded = all.reduce((sum, small) => sum + small.length, 0) > MANY_FILES;
  return all.flatMap((small) => {
    if (small.length < 2) return [];
    const settled = small.filter((file) => !isProvisional(file));
    return groupsOf(
      isCrowded ? settled : withoutFewLarge(settled, target),
      target,
      isCrowded ? 1 : FEW_FILES,
    ).map((group) => ({ files: group, source: group[0]?.source }));
  });
}

function isSmall(file: DataFile, target: FileTarget): file is CountedFile {
  const { rows, sizeBytes } = file;
  return rows !== undefined && rows < target.rows && sizeBytes < target.bytes;
}

function withoutFewLarge(files: readonly CountedFile[], target: FileTarget): CountedFile[] {
  const isLarge = ({ rows }: CountedFile): boolean => rows >= LARGE_SHARE * target.rows;
  const isFew = files.filter(isLarge).length <= FEW_LARGE_FILES;
  return files.filter((file) => !isFew || !isLarge(file));
}

/** Groups of more than `few` files, or of two that fill a file. */
function groupsOf(files: readonly CountedFile[], target: FileTarget, few: number): CountedFile[][] {
  const groups: CountedFile[][] = [];
  let group: CountedFile[] = [];
  let [rows, bytes] = [0, 0];
  const close = (isFull: boolean): void => {
    if (group.length > (isFull ? 1 : few)) groups.push(group);
    group = [];
    [rows, bytes] = [0, 0];
  };
  // Files of one size in the order of their heights, so that merged files have few heights.
  const startOf = ({ heights }: CountedFile) => heights?.from ?? 0;
  for (const file of [...files].sort((a, b) => a.rows - b.rows || startOf(a) - startOf(b))) {
    const fits = rows + file.rows <= target.rows && bytes + file.sizeBytes <= target.bytes;
    if (!fits || group.length >= MAX_FILES) close(true);
    else if (!isWorthCopying(file.rows, rows)) close(false);
    group.push(file);
    rows += file.rows;
    bytes += file.sizeBytes;
  }
  close(false);
  return groups;
}
