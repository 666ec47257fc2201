import { ENTRY_FOLDER, NARROW, READ_BY_SERVICE, ROOM_TABLE } from './doors.ts';
import { codeOf, cycleIn, importsOf, packageOf, type SourceTree } from './source-tree.ts';

/**
 * The rules of ARCHITECTURE.md, each as a function from sources to findings: none where it holds.
 */

const FLOOR = ['src/effects.ts', 'src/fault.ts', 'src/json-in.ts'];
const SYSTEM = 'src/system.ts';
/** The library uses all rooms and the real world, as the command line does. */
const LIBRARY = 'src/index.ts';
const CLI = 'src/cli/';
const RUN = 'src/run/';
/** Verbs of the service open its sources and ports. */
const SERVICE_VERBS = 'service/src/verb/';

const FS = ['node:fs', 'node:fs/promises'];
const DUCKDB = ['@duckdb/node-api'];
const DISK = [...FS, ...DUCKDB];
const NETWORK = ['undici', 'node:http', 'node:https', 'node:http2', 'node:net', 'node:tls', 'ws'];
const PROCESSES = ['node:child_process', 'node:worker_threads', 'node:cluster'];

/** What a stage or a file may touch of the outside world; what is not named here, nothing. */
const MAY_TOUCH: readonly (readonly [place: string, modules: readonly string[]])[] = [
  // The catalogue is read off the tree.
  ['src/catalogue/entry-files.ts', FS],
  ['src/fetch/', NETWORK],
  ['src/fetch/rate/cell/file-cell.ts', FS],
  ['src/land/storage/', DISK],
  // It reads the state of processes, without waiting for it.
  ['src/land/lock/holder.ts', FS],
  ['src/land/', DUCKDB],
  ['src/run/shared-key/', FS],
  ['src/run/lake/captured-sources.ts', DUCKDB],
  ['src/run/found/', DUCKDB],
  // A command may print the credentials.
  ['src/run/job/secret-command.ts', PROCESSES],
  ['src/run/metrics/metrics-port.ts', NETWORK],
  ['src/curate/', DUCKDB],
  ['src/run/maintain/', DUCKDB],
  ['src/load/', DUCKDB],
  ['src/export/', DUCKDB],
  ['service/src/explorer/facts/', DISK],
  ['src/run/alerts/deliver/command.ts', PROCESSES],
  ['src/export/notebook/run-notebook.ts', PROCESSES],
  ['service/src/server/listener.ts', NETWORK],
  ['service/src/stream/stream-server.ts', ['ws']],
  ['service/src/memory/records-source.ts', DISK],
  ['service/src/lake/store.ts', DISK],
  ['service/src/verification/compiler.ts', PROCESSES],
  ['service/src/verification/vyper.ts', PROCESSES],
  // It runs in the compiler's own process.
  ['service/src/verification/program.ts', [...DISK, ...PROCESSES]],
  // Lines of a log are written without waiting, also while the process ends.
  ['src/cli/log/log-file.ts', FS],
  [CLI, [...DUCKDB, ...NETWORK, ...PROCESSES]],
  [SERVICE_VERBS, [...DISK, ...PROCESSES]],
];

/** Clock, chance and environment come in as arguments. */
const AMBIENT =
  /\b(Date\.now|new Date(?=\(\))|Math\.random|setTimeout|setInterval|process(?=\.[a-z]))\b/g;
const MAY_BE_AMBIENT: readonly (readonly [place: string, words: readonly string[] | 'all'])[] = [
  [SYSTEM, 'all'],
  [CLI, 'all'],
  [LIBRARY, 'all'],
  [SERVICE_VERBS, 'all'],
  // The time limits of a whole request and of a query must end real ones.
  ['src/fetch/transport/transport.ts', ['setTimeout']],
  ['src/load/query/time-limit.ts', ['setTimeout']],
  // What watches a compile runs in the process of the compile.
  ['service/src/verification/program.ts', ['setInterval']],
  // A command that prints credentials is ended with its children.
  ['src/run/job/secret-command.ts', ['process', 'setTimeout']],
  // A lock is held by this very process.
  ['src/land/lock/holder.ts', ['process']],
];

const EXPORTED =
  /^export (?:async |abstract )?(?:const|function\*?|class|interface|type|enum) (\w+)/gm;
/** A call, or the function handed on; an import ends in a comma, a brace or a space. */
const LOOK_UP = /\bendpointAt(?=[()])/g;

const MAX_LINES = 300;
const MAX_COLUMNS = 100;
const FORBIDDEN_NAMES = ['utils', 'util', 'helpers', 'helper', 'common', 'types', 'misc', 'shared'];
const MAX_FILES = 16;

/** The folder of a file below src; '' for src itself. Folders of the service begin with `service`. */
function folderOf(file: string): string {
  const [, root = '', path = ''] = /^(service\/)?src\/(?:(.*)\/)?/.exec(file) ?? [];
  return (root + path).replace(/\/$/, '');
}

/** The room of a folder, and the folder inside it: `.` for the room itself. */
function placeOf(folder: string): readonly [room: string, inside: string] {
  const [, room = '', inside = '.'] = /^([^/]*)(?:\/(.*))?$/.exec(folder) ?? [];
  return [room, inside];
}

/** Files whose folder is not in the table of rooms. */
export function homeless(tree: SourceTree): string[] {
  return [...tree.keys()].filter((file) => {
    const folder = folderOf(file);
    if (folder === '') return ![SYSTEM, LIBRARY, ...FLOOR].includes(file);
    const [room, inside] = placeOf(folder);
    return !ROOM_TABLE.get(room)?.folders.includes(inside) && !ENTRY_FOLDER.test(folder);
  });
}

/** Imports where the table has no door, or of the real world. */
export function throughWalls(tree: SourceTree): string[] {
  return importsOf(tree)
    .filter(({ isRelative, from, to }) => isRelative && !mayImport(from, to))
    .map(({ from, to }) => `${from} -> ${to}`);
}

function mayImport(from: string, to: string): boolean {
  if (FLOOR.includes(to)) return true;
  if (from === LIBRARY) return !isOfService(to);
  if (to === LIBRARY) return false;
  if (FLOOR.includes(from) || from === SYSTEM) return false;
  if (to === SYSTEM) return from.startsWith(CLI) || from.startsWith(SERVICE_VERBS);
  const [folder, other] = [folderOf(from), folderOf(to)];
  if (folder === other) return true;
  if (ENTRY_FOLDER.test(folder)) return other === 'catalogue';
  const narrow = NARROW.get(folder);
  if (narrow !== undefined) return narrow.includes(other);
  const [[room, inside], [otherRoom, otherInside]] = [placeOf(folder), placeOf(other)];
  const { doors = [], folders = [] } = ROOM_TABLE.get(room) ?? {};
  if (room !== otherRoom) return doors.includes(otherRoom);
  return folders.indexOf(otherInside) < folders.indexOf(inside);
}

/** Imports of the service by the pipeline, and of rooms by the service that it has no need of. */
export function besideService(tree: SourceTree): string[] {
  const wrong = importsOf(tree).filter(({ isRelative, from, to }) => {
    if (!isRelative || isOfService(from) === isOfService(to)) return false;
    return isOfService(to) || !READ_BY_SERVICE.some((place) => to.startsWith(place));
  });
  const ofVerbs = (file: string) => /^service\/src\/(verb\/|[^/]*$)/.test(file);
  return wrong
    .filter(
      ({ from, to }) =>
        !(ofVerbs(from) && (to.startsWith(CLI) || to.startsWith(RUN) || to === SYSTEM)),
    )
    .map(({ from, to }) => `${from} -> ${to}`);
}

function isOfService(file: string): boolean {
  return file.startsWith('service/');
}

/** Lines of the files whose path begins so. */
export function linesBelow(tree: SourceTree, place: string): number {
  const texts = [...tree].filter(([file]) => file.startsWith(place)).map(([, text]) => text);
  return texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0);
}

/** Words of a page outside its code blocks: texts between blanks that have a letter. */
export function wordsOfProse(page: string): number {
  const text = page.replace(/^```[\s\S]*?^```$/gm, '');
  return text.split(/\s+/).filter((word) => /[A-Za-z]/.test(word)).length;
}

/** Folders at the top of src. */
export function topFolders(tree: SourceTree): string[] {
  const names = [...tree.keys()].map((file) => /^src\/([^/]+)\//.exec(file)?.[1]);
  return [...new Set(names)].filter((name) => name !== undefined);
}

/** Files of src that use the disk by themselves. */
export function diskUsers(tree: SourceTree): string[] {
  const users = importsOf(tree).filter(
    ({ from, to }) => from.startsWith('src/') && FS.includes(to),
  );
  return [...new Set(users.map(({ from }) => from))];
}

/** Doors of the table that no import goes through, and folders without a file. */
export function needlessDoors(tree: SourceTree): string[] {
  const between = importsOf(tree).map(({ from, to }) => [folderOf(from), folderOf(to)] as const);
  const used = new Set(between.map(([from, to]) => `${placeOf(from)[0]} -> ${placeOf(to)[0]}`));
  const usedByFolders = new Set(between.map(([from, to]) => `${from} -> ${to}`));
  const narrow = doorsOf(NARROW).filter((door) => !usedByFolders.has(door));
  const there = new Set([...tree.keys()].map(folderOf));
  const empty = [...ROOM_TABLE].flatMap(([room, { folders }]) =>
    folders.map((folder) => (folder === '.' ? room : `${room}/${folder}`)),
  );
  const doors = doorsOf().filter((door) => !used.has(door));
  return [...doors, ...narrow, ...empty.filter((folder) => !there.has(folder))];
}

/** Doors of the table that lead to a room further down. */
export function doorsDown(
  doors: ReadonlyMap<string, readonly string[]> = doorsOfRooms(),
): string[] {
  const order = [...doors.keys()];
  return doorsOf(doors).filter((door) => {
    const [from = '', to = ''] = door.split(' -> ');
    return order.indexOf(to) < 0 || order.indexOf(to) >= order.indexOf(from);
  });
}

function doorsOfRooms(): ReadonlyMap<string, readonly string[]> {
  return new Map([...ROOM_TABLE].map(([room, { doors }]) => [room, doors]));
}

export function doorsOf(doors: ReadonlyMap<string, readonly string[]> = doorsOfRooms()): string[] {
  return [...doors].flatMap(([room, others]) => others.map((other) => `${room} -> ${other}`));
}

/** A way over folders from one back to itself, or undefined when there is none. */
export function cycleOfRooms(tree: SourceTree): string[] | undefined {
  const between = importsOf(tree).filter(
    ({ isRelative, from, to }) => isRelative && from !== LIBRARY && folderOf(from) !== folderOf(to),
  );
  return cycleIn(
    between.map((one) => ({ ...one, from: folderOf(one.from), to: folderOf(one.to) })),
  );
}

/** Folders with too many files. */
export function crowdedRooms(tree: SourceTree): string[] {
  const counts = new Map<string, number>();
  for (const file of tree.keys()) counts.set(folderOf(file), (counts.get(folderOf(file)) ?? 0) + 1);
  return [...counts].flatMap(([room, files]) =>
    files > MAX_FILES ? [`${room}: ${files} files`] : [],
  );
}

/** Imports of the outside world where a stage may not touch it. */
export function touchesWorld(tree: SourceTree): string[] {
  const world = [...DISK, ...NETWORK, ...PROCESSES];
  return importsOf(tree)
    .filter(({ to }) => world.includes(to))
    .filter(({ from, to }) => {
      const allowed = MAY_TOUCH.filter(([place]) => from.startsWith(place));
      return !allowed.some(([, modules]) => modules.includes(to));
    })
    .map(({ from, to }) => `${from} -> ${to}`);
}

/** Files that ask the clock, chance or the process themselves. */
export function isAmbient(tree: SourceTree): string[] {
  return [...tree].flatMap(([file, text]) => {
    const allowed = MAY_BE_AMBIENT.filter(([place]) => file.startsWith(place));
    const words = [...codeOf(text).matchAll(AMBIENT)].map(([word]) => word);
    const wrong = words.filter(
      (word) => !allowed.some(([, these]) => these === 'all' || these.includes(word)),
    );
    return wrong.length > 0 ? [file] : [];
  });
}

/** Files whose code, without its comments, matches. */
export function matching(tree: SourceTree, pattern: RegExp): string[] {
  return [...tree].flatMap(([file, text]) => (pattern.test(codeOf(text)) ? [file] : []));
}

/** Files that declare how coverage is written, as JSON or as a table. */
export function coverageForms(tree: SourceTree): string[] {
  return matching(tree, /z\.enum\(STATUSES\)|\bCOVERAGE_COLUMNS =/);
}

/** Exported names that several files have, entries of the catalogue aside. */
export function sharedNames(tree: SourceTree): string[] {
  const homes = new Map<string, string[]>();
  for (const [file, text] of tree) {
    if (ENTRY_FOLDER.test(folderOf(file))) continue;
    for (const [, name = ''] of codeOf(text).matchAll(EXPORTED)) {
      homes.set(name, [...(homes.get(name) ?? []), file]);
    }
  }
  return [...homes].flatMap(([name, files]) =>
    files.length > 1 ? [`${name}: ${files.join(', ')}`] : [],
  );
}

/** How often code outside the catalogue looks an endpoint up by its path. */
export function lookUps(tree: SourceTree): number {
  return [...tree]
    .filter(([file]) => !file.startsWith('src/catalogue/'))
    .reduce((sum, [, text]) => sum + [...codeOf(text).matchAll(LOOK_UP)].length, 0);
}

/** Files with too many lines, and lines with too many columns. */
export function tooLong(tree: SourceTree): string[] {
  return [...tree].flatMap(([file, text]) => {
    const lines = text.trimEnd().split('\n');
    // The formatter leaves an import of one name on its line.
    const wide = lines.flatMap((line, i) =>
      line.length > MAX_COLUMNS && !/^import .* from '.*';$/.test(line) ? [`${file}:${i + 1}`] : [],
    );
    return lines.length > MAX_LINES ? [`${file}: ${lines.length} lines`, ...wide] : wide;
  });
}

/** Files and folders whose name says nothing of what is in them. */
export function vaguelyNamed(tree: SourceTree): string[] {
  return [...tree.keys()].filter((file) =>
    file.split('/').some((part) => FORBIDDEN_NAMES.includes(part.replace(/\.ts$/, ''))),
  );
}

/** Packages imported anywhere. */
export function packagesIn(tree: SourceTree): Set<string> {
  const bare = importsOf(tree).filter(
    ({ isRelative, to }) => !isRelative && !to.startsWith('node:'),
  );
  return new Set(bare.map(({ to }) => packageOf(to)));
}

/** Files that import a part of Node by its bare name. */
export function withoutPrefix(tree: SourceTree): string[] {
  const builtins = ['fs', 'path', 'http', 'os', 'crypto', 'url', 'util', 'child_process'];
  return importsOf(tree)
    .filter(({ to }) => builtins.includes(packageOf(to)))
    .map(({ from }) => from);
}
