/**
 * The rooms of src in the order of the stages, then the service, and the doors between them: a file
 * imports files of its own room, of the rooms named behind its room, and src/effects.ts and
 * src/fault.ts. Every door leads to a room further up, so src never imports the service. Rooms of
 * the command line may import src/system.ts, too. The folders of a room stand below it, `.` for its
 * own files: inside a room, imports lead to folders further left.
 */
const ROOMS = `
catalogue:
    . rpc rpc/methods stream
coverage: catalogue
pipeline: catalogue coverage
    syntax captures csv .
plan: catalogue coverage pipeline
fetch: catalogue coverage pipeline plan
    limits transport rate/cell rate http rpc witness walk walk/heights walk/positions . chain corroborate
    price stream
land: catalogue coverage pipeline
    places storage rule delta quarantine rows . lock reports stream verify
curate: catalogue coverage land
    heights rule evidence .
load: catalogue land curate
    query tables . checks engines
export: land load
    html formats . notebook report certificate
run: catalogue coverage pipeline plan fetch land curate load export
    capture submit found maintain . reconcile alerts/rules alerts/deliver alerts pending shared-key job
    lake metrics certificate shell queue workers
cli: coverage pipeline plan fetch land curate load export run
    terminal log job verbs/init verbs/queue verbs/doctor verbs verbs/follow
    verbs/contract verbs/schedule verbs/query/shell verbs/query verbs/notebook verbs/status
    verbs/quarantine verbs/maintain verbs/certify .
service: catalogue coverage pipeline fetch land curate load export run cli
    protocol simulated/primitives settings answer faults simulated/primary simulated/bridge
    simulated node memory stream openapi verification server explorer/facts explorer/pages explorer
    lake verb .
`;

interface Room {
  /** The rooms that it may import. */
  readonly doors: readonly string[];
  readonly folders: readonly string[];
}

const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== '');

/** The rooms by name, in their order. */
export const ROOM_TABLE: ReadonlyMap<string, Room> = new Map(
  ROOMS.trim()
    .split(/\n(?! )/)
    .map((entry) => {
      const [, room = '', doors = '', folders = '.'] =
        /^(\w+):((?: \S+)*)(?:\n([\s\S]*))?$/.exec(entry) ?? [];
      return [room, { doors: wordsOf(doors), folders: wordsOf(folders) }];
    }),
);

/** Folders that import less than their room: rules without effects, and parts that others share. */
export const NARROW: ReadonlyMap<string, readonly string[]> = new Map([
  ['fetch/rate/cell', []],
  ['fetch/rate', ['fetch/rate/cell']],
  ['fetch/transport', []],
  ['land/rule', ['coverage']],
  ['curate/heights', ['coverage', 'land/storage']],
  ['export/html', []],
  ['service/protocol', ['catalogue', 'coverage']],
]);

/** Places in src that the service reads with: declarations, ranges, and an exported lake. */
export const READ_BY_SERVICE = [
  'src/catalogue/',
  'src/coverage/',
  'src/pipeline/',
  'src/curate/',
  'src/land/',
  'src/load/query/',
  'src/effects.ts',
  'src/fault.ts',
  'src/json-in.ts',
  // Exceptions: it checks the signatures that fetch writes, asks a node through the transport of
  // fetch, stores pending records as walks read them, and shares the style of other pages.
  'src/fetch/http/signature.ts',
  'src/fetch/transport/',
  'src/fetch/walk/pending-records.ts',
  'src/export/html/',
];

/** Folders below the catalogue with one entry per file. They import the catalogue alone. */
export const ENTRY_FOLDER = /^catalogue\/(datasets|mainchain|witness)(\/|$)/;
