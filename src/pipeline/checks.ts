import type { Endpoint } from '../catalogue/entry.ts';
import {
  datasetNamed,
  datasetsOf,
  endpointAt,
  endpoints,
  fieldFor,
  findDataset,
  paramOf,
  recordColumns,
  wordsOfDataset,
} from '../catalogue/index.ts';
import type { Path } from '../config/located-yaml.ts';
import { suggestion } from '../config/nearest.ts';
import type { Finding } from '../config/schema-problems.ts';
import { listKey } from '../coverage/list.ts';
import {
  canonicalFilterValue,
  filtersOf,
  listsOf,
  missingFilters,
  requestSchema,
} from './requests.ts';
import { DEFAULT_RATE } from './source-settings.ts';

type Mapping = Readonly<Record<string, unknown>>;

function asMapping(value: unknown): Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Mapping)
    : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * What is wrong between the fields of a pipeline file. Looks at the raw value and passes over what
 * has the wrong shape, so that these problems are reported together with those of the schema.
 */
export function checkTogether(value: unknown): Finding[] {
  const file = asMapping(value);
  return [
    ...blockFindings(['blocks'], asMapping(file['blocks'])),
    ...blockFindings(['zoneBlocks'], asMapping(file['zoneBlocks'])),
    ...rateFindings(asMapping(asMapping(file['source'])['rate'])),
    ...keySetFindings(asMapping(file['keys'])),
    ...requestFindings(asMapping(file['datasets']), asMapping(file['keys'])),
  ];
}

function blockFindings(path: Path, { from = 0, to }: Mapping): Finding[] {
  if (typeof from !== 'number' || typeof to !== 'number' || from <= to) return [];
  const what = `is below ${String(path.at(-1))}.from, which is ${from}`;
  return [{ path: [...path, 'to'], what, advice: 'Give the lower height as from.' }];
}

function rateFindings(rate: Mapping): Finding[] {
  const { startPerSecond: start, maxPerSecond: max = DEFAULT_RATE.maxPerSecond } = rate;
  if (typeof start !== 'number' || typeof max !== 'number' || start <= max) return [];
  return [
    {
      path: ['source', 'rate', 'startPerSecond'],
      what: `is above maxPerSecond, which is ${max}`,
      advice: 'Lower it, or raise maxPerSecond.',
    },
  ];
}

/** Where the keys of a set come from: exactly one of these. */
const KEY_SOURCES = ['file', 'list', 'from'] as const;

function keySetFindings(keySets: Mapping): Finding[] {
  const findings: Finding[] = [];
  for (const [name, keySet] of Object.entries(keySets)) {
    if (typeof keySet !== 'object' || keySet === null || Array.isArray(keySet)) continue;
    const given = asMapping(keySet);
    const sources = KEY_SOURCES.filter((source) => given[source] !== undefined);
    if (sources.length !== 1) {
      findings.push({
        path: ['keys', name],
        isOfKey: true,
        what: sources.length === 0 ? 'says not where its keys are' : `has ${sources.join(' and ')}`,
        advice: 'Give it one of file, list and from, as in { file: addresses.csv }.',
      });
    }
    for (const narrowing of ['by', 'without', 'at']) {
      if (given[narrowing] === undefined || given['from'] !== undefined) continue;
      const what = 'has a meaning only beside from';
      const path = ['keys', name, narrowing];
      findings.push({ path, isOfKey: true, what, advice: 'Remove it.' });
    }
  }
  return findings;
}

function requestFindings(all: Mapping, keySets: Mapping): Finding[] {
  const findings: Finding[] = [];
  const asked = new Set<string>();
  for (const [dataset, requests] of Object.entries(all)) {
    for (const [i, request] of asList(requests).entries()) {
      const given = asMapping(request);
      const entry = endpoints.find((each) => each.path === given['endpoint']);
      const path = ['datasets', dataset, i];
      findings.push(...keysFindings(given, path, Object.keys(keySets)), ...clashes(given, path));
      if (entry === undefined || !datasetsOf(entry).includes(dataset)) continue;
      const of = { entry, dataset };
      findings.push(...blockFindings([...path, 'blocks'], asMapping(given['blocks'])));
      findings.push(...hashFindings(of, given, path, keySets));
      findings.push(...foundKeyFindings(of, given, path, keySets));
      findings.push(...finderFindings(of, given, path, all, keySets));
      findings.push(...filterFindings(of, given, path), ...repeatedValues(of, given, path));
      if (repeats(of, given, asked)) {
        findings.push({
          path: [...path, 'endpoint'],
          what: 'asks for what a request above asks already',
          advice: 'Remove one of the two, or filter them apart.',
        });
      }
    }
  }
  return findings;
}

/** An endpoint as it is asked for one of the datasets that it feeds. */
interface Asked {
  readonly entry: Endpoint;
  readonly dataset: string;
}

/** Datasets that the keys of a set are found in; none where the set itself is not yet right. */
function foundFrom(set: Mapping): string[] {
  if (KEY_SOURCES.filter((source) => set[source] !== undefined).length !== 1) return [];
  const names = asList(set['from']).map(String);
  return names.every((name) => findDataset(name) !== undefined) ? names : [];
}

/** Files and lists hold addresses, so hashes can only be found. */
function hashFindings({ entry, dataset }: Asked, given: Mapping, path: Path, keySets: Mapping) {
  const name = String(given['keys']);
  const set = asMapping(keySets[name]);
  const [column = ''] = paramOf(entry, 'keys')?.columns ?? [];
  const isGiven = set['file'] !== undefined || set['list'] !== undefined;
  if (!isGiven || fieldFor(entry, column)?.kind.name !== 'hash') return [];
  const advice =
    `Name a key set that finds hashes in what other requests land, ` +
    `as in found: { from: [${dataset}] }.`;
  const what = 'are addresses, and this endpoint is asked by hashes';
  return [{ path: [...path, 'keys'], what, advice }];
}

/** Keys that nobody lands are never found: somebody else in the pipeline has to ask for them. */
function finderFindings(
  { entry }: Asked,
  given: Mapping,
  path: Path,
  all: Mapping,
  keySets: Mapping,
): Finding[] {
  const name = String(given['keys']);
  const set = asMapping(keySets[name]);
  const { by } = set;
  const sources = foundFrom(set);
  if (sources.length === 0 || paramOf(entry, 'keys') === undefined) return [];
  const finders = sources.flatMap((dataset) => asList(all[dataset]).map(asMapping));
  const isFinder = (request: Mapping): boolean => {
    const { from: looked } = asMapping(keySets[String(request['keys'])]);
    const paths = [request['endpoint'], ...asList(request['alternatives'])];
    return (
      looked === undefined && (by === undefined || paths.some((one) => asList(by).includes(one)))
    );
  };
  if (finders.some(isFinder)) return [];
  const who = by === undefined ? '' : ` by ${asList(by).join(' or ')}`;
  return [
    {
      path: [...path, 'keys'],
      what: `are looked for in ${sources.join(' and ')}${who}, where no request lands any`,
      advice: 'Add a request that does, with keys that are given or with none.',
    },
  ];
}

/** Keys found in a dataset must stand there in the very column that the endpoint asks by. */
function foundKeyFindings(of: Asked, given: Mapping, path: Path, keySets: Mapping): Finding[] {
  const set = asMapping(keySets[String(given['keys'])]);
  const columns = paramOf(of.entry, 'keys')?.columns ?? [];
  const [column] = columns;
  const sources = foundFrom(set);
  if (column === undefined) return [];
  const wrong = sources.find(
    (name) =>
      columns.length > 1 ||
      datasetNamed(name).axis !== of.entry.axis ||
      !wordsOfDataset(name).some((word) => word.column === column),
  );
  const without = set['without'];
  const has = (name: string) => recordColumns(name).some((each) => each.name === without);
  const findings: Finding[] = [];
  if (wrong !== undefined) {
    findings.push({
      path: [...path, 'keys'],
      what: `are found in ${wrong}, where this endpoint cannot take them from`,
      advice: `It asks by ${columns.join(' or ')} on the ${of.entry.axis} axis.`,
    });
  } else if (sources.length > 0 && typeof without === 'string' && !sources.every(has)) {
    findings.push({
      path: ['keys', String(given['keys']), 'without'],
      what: 'is no column of the datasets it is looked for in',
      advice: `Name a column that ${sources.join(' and ')} have.`,
    });
  }
  return findings;
}

function keysFindings(request: Mapping, path: Path, keySets: readonly string[]): Finding[] {
  const { keys } = request;
  if (typeof keys !== 'string' || keySets.includes(keys)) return [];
  const advice =
    keySets.length === 0 ? `Add it: keys: { ${keys}: { file: ... } }.` : suggestion(keys, keySets);
  return [{ path: [...path, 'keys'], what: 'is not one of the key sets', advice }];
}

function clashes(request: Mapping, path: Path): Finding[] {
  const each = asMapping(request['each']);
  return Object.keys(asMapping(request['where']))
    .filter((name) => each[name] !== undefined)
    .map((name) => ({
      path: [...path, 'where', name],
      isOfKey: true,
      what: 'is under each as well',
      advice: 'Keep one of the two.',
    }));
}

function repeatedValues({ entry, dataset }: Asked, request: Mapping, path: Path): Finding[] {
  const each = asMapping(request['each']);
  return filtersOf(entry, dataset).flatMap((filter) => {
    const values = asList(each[filter.name]).map((value) =>
      canonicalFilterValue(filter, String(value)),
    );
    return values.flatMap((value, i): Finding[] => {
      if (values.indexOf(value) === i) return [];
      const advice = 'Remove it here; every value is walked once.';
      return [{ path: [...path, 'each', filter.name, i], what: 'is listed twice', advice }];
    });
  });
}

/** What the endpoint needs and the request does not give; public so that any entry can be tried. */
export function filterFindings(of: Asked, request: Mapping, path: Path): Finding[] {
  const given = {
    endpoint: of.entry.path,
    each: asMapping(request['each']) as Record<string, string[]>,
    where: asMapping(request['where']) as Record<string, string>,
  };
  return missingFilters(of.entry, of.dataset, given).map(({ name, values }) => ({
    path: [...path, 'endpoint'],
    what: `needs a value for ${name}`,
    advice:
      `Give one under where, or several under each.` +
      (values === undefined ? '' : ` Allowed: ${values.join(', ')}.`),
  }));
}

/** Adds the walks of a valid request to those asked; true when one of them was there already. */
function repeats({ entry, dataset }: Asked, request: Mapping, asked: Set<string>): boolean {
  const parsed = requestSchema(entry, dataset).safeParse(request);
  if (!parsed.success) return false;
  const { keys, alternatives = [] } = parsed.data;
  const ways = [...new Set([entry.path, ...alternatives])].map(endpointAt);
  const walks = ways.flatMap((way) =>
    listsOf(way, dataset, parsed.data).map((list) => JSON.stringify([listKey(list), keys])),
  );
  const isRepeated = walks.some((walk) => asked.has(walk));
  for (const walk of walks) asked.add(walk);
  return isRepeated;
}
