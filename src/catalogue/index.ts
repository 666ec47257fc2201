import type {
  Column,
  ColumnWord,
  Dataset,
  Endpoint,
  Field,
  KeyKind,
  Param,
  PendingState,
  Role,
} from './entry.ts';
import { columnsOf } from './entry.ts';
import { entriesUnder } from './entry-files.ts';
import { memoised } from './memoised.ts';

/**
 * The catalogue is built from the file tree: every file under `mainchain/`, `witness/` and
 * `datasets/` is an entry, so a new endpoint needs only one new file.
 */

export const datasets: readonly Dataset[] = await entriesUnder<Dataset>('datasets');
export const endpoints: readonly Endpoint[] = await entriesUnder<Endpoint>('mainchain');
/** Lists whose rows a node gives. No service has them, so they are never planned. */
export const nodeLists: readonly Endpoint[] = await entriesUnder<Endpoint>('witness');
export const allLists: readonly Endpoint[] = [...endpoints, ...nodeLists];

const endpointsByPath = new Map(allLists.map((entry) => [entry.path, entry]));
const datasetsByName = new Map(datasets.map((entry) => [entry.name, entry]));

/** The endpoint at `path` (`mainchain/address/...`), or undefined. */
export function findEndpoint(path: string): Endpoint | undefined {
  return endpointsByPath.get(path);
}

/** The dataset called `name`, or undefined. */
export function findDataset(name: string): Dataset | undefined {
  return datasetsByName.get(name);
}

/**
 * The entry for a path that the program itself wrote. Throws if the catalogue has no such entry.
 */
export function endpointAt(path: string): Endpoint {
  const entry = endpointsByPath.get(path);
  if (entry === undefined) throw new Error(`no endpoint ${path} in the catalogue`);
  return entry;
}

export function datasetNamed(name: string): Dataset {
  const entry = datasetsByName.get(name);
  if (entry === undefined) throw new Error(`no dataset ${name} in the catalogue`);
  return entry;
}

type ParamOf<R extends Role['role']> = Param & Extract<Role, { role: R }>;

/** The endpoint's parameter with this role, or undefined. */
export function paramOf<R extends Role['role']>(entry: Endpoint, role: R): ParamOf<R> | undefined {
  return entry.params.find((param) => param.role === role) as ParamOf<R> | undefined;
}

/** The kind of the keys in this column; undefined if no list takes its keys from it. */
export function kindOfKey(column: string): KeyKind | undefined {
  return kindsOfKeys.get(column);
}

const kindsOfKeys = new Map(
  endpoints.flatMap((entry) => {
    const keys = paramOf(entry, 'keys');
    return (keys?.columns ?? []).map((column) => [column, keys?.keyKind] as const);
  }),
);

/** The value in a list's filters for a request with optional keys. */
export const BY_KEY = '*';

/**
 * The columns in which a record holds the requested keys, under these filters: a list of the
 * records that addresses sent has only the sender. undefined for requests without keys.
 */
export function keyColumns(
  entry: Endpoint,
  filters: Readonly<Record<string, string>>,
): readonly string[] | undefined {
  const keys = paramOf(entry, 'keys');
  const side = paramOf(entry, 'side');
  if (keys?.required === false && filters[keys.name] !== BY_KEY) return undefined;
  const direction = side === undefined ? undefined : filters[side.name];
  if (keys === undefined || side === undefined || direction === undefined) return keys?.columns;
  const column = direction === 'from' ? side.from : side.to;
  return keys.columns.filter((name) => name === column);
}

/** All `equals` parameters of the endpoint, in order. */
export function equalsParams(entry: Endpoint): ParamOf<'equals'>[] {
  return entry.params.filter((param): param is ParamOf<'equals'> => param.role === 'equals');
}

/** The field that lands in the column, or undefined. */
export function fieldFor(entry: Endpoint, column: string): Field | undefined {
  return fieldsByColumn(entry).get(column);
}

/** The first field of each column. `fieldFor` is called for every record. */
const fieldsByColumn = memoised(({ fields }: Endpoint) => {
  return new Map(fields.toReversed().map((field) => [field.column, field]));
});

/** The parameter whose value selects the dataset of the records, or undefined. */
function selectorOf(entry: Endpoint): ParamOf<'equals'> | undefined {
  return equalsParams(entry).find((param) => param.datasets !== undefined);
}

/** The dataset of the endpoint's records under these filters. */
export function datasetOf(entry: Endpoint, filters: Readonly<Record<string, string>>): string {
  const selector = selectorOf(entry);
  const value = selector && (filters[selector.name] ?? selector.default);
  return (value === undefined ? undefined : selector?.datasets?.[value]) ?? entry.dataset;
}

/** Every dataset of the endpoint, each once. */
export function datasetsOf(entry: Endpoint): string[] {
  return [...new Set([entry.dataset, ...Object.values(selectorOf(entry)?.datasets ?? {})])];
}

/** The form of the dataset's pending records; undefined if it has none. */
export function pendingStateOf(dataset: string): PendingState | undefined {
  return endpoints.find(
    (entry) => entry.pending !== undefined && datasetsOf(entry).includes(dataset),
  )?.pending;
}

/** The columns that the walk fills in under these filters, with their values. */
export function filledBy(
  entry: Endpoint,
  filters: Readonly<Record<string, string>>,
): ReadonlyMap<ColumnWord, string> {
  const filled = new Map<ColumnWord, string>();
  for (const { name, column, fills } of equalsParams(entry)) {
    const value = filters[name];
    if (value === undefined || fills === undefined) continue;
    if (fills === true || fills.includes(value)) filled.set(column, value);
  }
  return filled;
}

/**
 * The columns an endpoint adds to a dataset: its fields, and the columns its parameters fill in.
 */
function wordsBrought(entry: Endpoint, dataset: string): ColumnWord[] {
  const filled = equalsParams(entry).filter(({ fills, datasets: selected }) => {
    if (fills === undefined || fills === true) return fills === true;
    return fills.some((value) => selected?.[value] === dataset);
  });
  return [
    ...entry.fields,
    ...filled.map((param) => param.column),
    ...entry.params.flatMap((param) =>
      param.role === 'body' && param.column !== undefined ? [param.column] : [],
    ),
    ...(entry.reply.shape === 'single' ? [entry.reply.column] : []),
  ];
}

/** The columns of a dataset: its own, then the union over its endpoints. */
export function wordsOfDataset(name: string): readonly ColumnWord[] {
  const words = wordsKnown.get(name) ?? wordsOf(name);
  wordsKnown.set(name, words);
  return words;
}

/** Cache of `wordsOf`, which every walk calls. */
const wordsKnown = new Map<string, readonly ColumnWord[]>();

function wordsOf(name: string): ColumnWord[] {
  const words = new Map<string, ColumnWord>();
  const brought = endpoints
    .filter((entry) => datasetsOf(entry).includes(name))
    .flatMap((entry) => wordsBrought(entry, name));
  for (const word of [...(datasetsByName.get(name)?.words ?? []), ...brought]) {
    if (!words.has(word.column)) words.set(word.column, word);
  }
  return [...words.values()];
}

/** The table columns of a dataset's records, without `extra` and the lineage. */
export function recordColumns(name: string): Column[] {
  return wordsOfDataset(name).flatMap(columnsOf);
}

/** The call for a job's result has the path of the submission and this segment. */
const RESULT_SEGMENT = 'check-verify-result';

/**
 * The operation that gives the result of a submission. The interface leaves it out, so it is not an
 * entry; this is its form in real deployments.
 */
export function resultOf(submission: Endpoint): Endpoint {
  const { path, params, contradictions: _, ...rest } = submission;
  return {
    ...rest,
    path: [...path.split('/').slice(0, -1), RESULT_SEGMENT].join('/'),
    summary: `Result of a ${submission.summary.toLowerCase()}`,
    params: [
      ...params.filter(({ role }) => role === 'chain'),
      {
        name: 'guid',
        type: 'String',
        required: true,
        meaning: 'job, as the submission answered it, with or without 0x',
        role: 'body',
      },
    ],
    contradictions: [
      'The interface leaves this call out: its form is that of real deployments.',
      'data holds one text: Pending, Success or Fail.',
    ],
  };
}

/** Whether the operation is the call for a result. */
export function isResult({ path }: Endpoint): boolean {
  return path.endsWith(`/${RESULT_SEGMENT}`);
}
