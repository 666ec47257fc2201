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
import { listKey } from '../coverage/list.ts';
import { suggestion } from '../fault.ts';
import { asList, asMapping, isMapping, type Mapping } from '../json-in.ts';
import { pendingFindings } from './captures/pending-settings.ts';
import { withoutRowsFindings } from './captures/sources-of-rows.ts';
import { checkAlerts } from './check-alerts.ts';
import {
  canonicalFilterValue,
  filtersOf,
  listsOf,
  missingFilters,
  requestSchema,
} from './requests.ts';
import { DEFAULT_RATE } from './source-settings.ts';
import type { Path } from './syntax/located-yaml.ts';
import type { Finding } from './syntax/schema-problems.ts';

const LISTED_DATASETS = [
  ...new Set(endpoints.filter(({ list }) => list !== 'submission').flatMap(datasetsOf)),
].sort();

/**
 * Checks that span several fields of a pipeline file. They take the raw value and skip fields of
 * the wrong type, so that a report holds these findings together with those of the schema.
 */
export function checkTogether(value: unknown): Finding[] {
  const file = asMapping(value);
  return [
    ...blockFindings(['blocks'], asMapping(file['blocks'])),
    ...blockFindings(['zoneBlocks'], asMapping(file['zoneBlocks'])),
    ...checkAlerts(file['alerts']),
    ...rateFindings(asMapping(asMapping(file['source'])['rate'])),
    ...keySetFindings(asMapping(file['keys'])),
    ...pendingFindings(asMapping(file['pending']), asMapping(file['keys'])),
    ...withoutRowsFindings(value, LISTED_DATASETS),
    ...requestFindings(asMapping(file['datasets']), asMapping(file['keys'])),
  ];
}

function blockFindings(path: Path, { from = 0, to }: Mapping): Finding[] {
  if (typeof from !== 'number' || typeof to !== 'number' || from <= to) return [];
  const message = `is below ${String(path.at(-1))}.from, which is ${from}`;
  return [{ path: [...path, 'to'], message, advice: 'Give the lower height as from.' }];
}

function rateFindings(rate: Mapping): Finding[] {
  const { startPerSecond: start, maxPerSecond: max = DEFAULT_RATE.maxPerSecond } = rate;
  if (typeof start !== 'number' || typeof max !== 'number' || start <= max) return [];
  return [
    {
      path: ['source', 'rate', 'startPerSecond'],
      message: `is above maxPerSecond, which is ${max}`,
      advice: 'Lower it, or raise maxPerSecond.',
    },
  ];
}

/** The sources of keys. A key set has exactly one of them. */
const KEY_SOURCES = ['file', 'list', 'from'] as const;

function keySetFindings(keySets: Mapping): Finding[] {
  const findings: Finding[] = [];
  for (const [name, keySet] of Object.entries(keySets)) {
    if (!isMapping(keySet)) continue;
    const sources = KEY_SOURCES.filter((source) => keySet[source] !== undefined);
    if (sources.length !== 1) {
      findings.push({
        path: ['keys', name],
        isOfKey: true,
        message: sources.length === 0 ? 'has no keys' : `has ${sources.join(' and ')}`,
        advice: 'Give it one of file, list and from, as in { file: addresses.csv }.',
      });
    }
    for (const narrowing of ['by', 'without', 'at']) {
      if (keySet[narrowing] === undefined || keySet['from'] !== undefined) continue;
      const message = 'needs from in the same key set';
      const path = ['keys', name, narrowing];
      findings.push({ path, isOfKey: true, message, advice: 'Remove it.' });
    }
  }
  return findings;
}

function requestFindings(all: Mapping, keySets: Mapping): Finding[] {
  const findings: Finding[] = [];
  const walks = new Set<string>();
  for (const [dataset, requests] of Object.entries(all)) {
    for (const [i, request] of asList(requests).entries()) {
      const source = asMapping(request);
      const entry = endpoints.find((entry) => entry.path === source['endpoint']);
      const path = ['datasets', dataset, i];
      findings.push(...keysFindings(source, path, Object.keys(keySets)), ...clashes(source, path));
      if (entry === undefined || !datasetsOf(entry).includes(dataset)) continue;
      const use = { entry, dataset, set: asMapping(keySets[String(source['keys'])]) };
      findings.push(...blockFindings([...path, 'blocks'], asMapping(source['blocks'])));
      findings.push(...hashFindings(use, path));
      findings.push(...foundKeyFindings(use, source, path));
      findings.push(...finderFindings(use, path, all, keySets));
      findings.push(...filterFindings(use, source, path), ...repeatedValues(use, source, path));
      if (repeats(use, source, walks)) {
        findings.push({
          path: [...path, 'endpoint'],
          message: 'requests the same records as a request above',
          advice: 'Remove one of the two, or give them different filters.',
        });
      }
    }
  }
  return findings;
}

/** An endpoint with the dataset that a request lands its records in, and its key set. */
interface EndpointUse {
  readonly entry: Endpoint;
  readonly dataset: string;
  readonly set: Mapping;
}

/** The datasets in `from` of a key set; empty if the key set has a finding. */
function foundFrom(set: Mapping): string[] {
  if (KEY_SOURCES.filter((source) => set[source] !== undefined).length !== 1) return [];
  const names = asList(set['from']).map(String);
  return names.every((name) => findDataset(name) !== undefined) ? names : [];
}

/** Look-ups by hash need a key set with `from`, because files and lists hold addresses. */
function hashFindings({ entry, dataset, set }: EndpointUse, path: Path): Finding[] {
  const [column = ''] = paramOf(entry, 'keys')?.columns ?? [];
  const isGiven = set['file'] !== undefined || set['list'] !== undefined;
  if (!isGiven || fieldFor(entry, column)?.kind.name !== 'hash') return [];
  const advice =
    `Name a key set that takes hashes from rows of other requests, ` +
    `as in found: { from: [${dataset}] }.`;
  const message = 'are addresses, but this endpoint takes hashes';
  return [{ path: [...path, 'keys'], message, advice }];
}

/** Keys in rows need another request of the pipeline that lands such rows. */
function finderFindings(
  { entry, set }: EndpointUse,
  path: Path,
  all: Mapping,
  keySets: Mapping,
): Finding[] {
  const { by } = set;
  const sources = foundFrom(set);
  if (sources.length === 0 || paramOf(entry, 'keys') === undefined) return [];
  const finders = sources.flatMap((dataset) => asList(all[dataset]).map(asMapping));
  const isFinder = (request: Mapping): boolean => {
    const { from } = asMapping(keySets[String(request['keys'])]);
    const paths = [request['endpoint'], ...asList(request['alternatives'])];
    return (
      from === undefined && (by === undefined || paths.some((one) => asList(by).includes(one)))
    );
  };
  if (finders.some(isFinder)) return [];
  const lister = by === undefined ? '' : ` of ${asList(by).join(' or ')}`;
  const origin = `${sources.join(' and ')}${lister}`;
  return [
    {
      path: [...path, 'keys'],
      message: `come from rows of ${origin}, but no request lands such rows`,
      advice: 'Add such a request, with keys from a file or a list, or without keys.',
    },
  ];
}

/** Datasets in `from` must have the column that the endpoint takes its keys from. */
function foundKeyFindings({ entry, set }: EndpointUse, request: Mapping, path: Path): Finding[] {
  const columns = paramOf(entry, 'keys')?.columns ?? [];
  const [column] = columns;
  const sources = foundFrom(set);
  if (column === undefined) return [];
  const wrong = sources.find(
    (name) =>
      columns.length > 1 ||
      datasetNamed(name).axis !== entry.axis ||
      !wordsOfDataset(name).some((word) => word.column === column),
  );
  const without = set['without'];
  const has = (name: string) => recordColumns(name).some((column) => column.name === without);
  const findings: Finding[] = [];
  if (wrong !== undefined) {
    findings.push({
      path: [...path, 'keys'],
      message: `come from ${wrong}, which does not have the keys of this endpoint`,
      advice: `The endpoint takes ${columns.join(' or ')} of the ${entry.axis} chain.`,
    });
  } else if (sources.length > 0 && typeof without === 'string' && !sources.every(has)) {
    findings.push({
      path: ['keys', String(request['keys']), 'without'],
      message: 'is not a column of the datasets in from',
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
  return [{ path: [...path, 'keys'], message: 'is not one of the key sets', advice }];
}

function clashes(request: Mapping, path: Path): Finding[] {
  const each = asMapping(request['each']);
  return Object.keys(asMapping(request['where']))
    .filter((name) => each[name] !== undefined)
    .map((name) => ({
      path: [...path, 'where', name],
      isOfKey: true,
      message: 'is also under each',
      advice: 'Keep one of the two.',
    }));
}

function repeatedValues({ entry, dataset }: EndpointUse, request: Mapping, path: Path): Finding[] {
  const each = asMapping(request['each']);
  return filtersOf(entry, dataset).flatMap((filter) => {
    const values = asList(each[filter.name]).map((value) =>
      canonicalFilterValue(filter, String(value)),
    );
    return values.flatMap((value, i): Finding[] => {
      if (values.indexOf(value) === i) return [];
      const advice = 'Remove it here; windrow walks the list of each value once.';
      return [{ path: [...path, 'each', filter.name, i], message: 'is listed twice', advice }];
    });
  });
}

/** Required filters that the request lacks. Exported so that tests can try every entry. */
export function filterFindings(
  use: Omit<EndpointUse, 'set'>,
  request: Mapping,
  path: Path,
): Finding[] {
  const source = {
    endpoint: use.entry.path,
    each: asMapping(request['each']) as Record<string, string[]>,
    where: asMapping(request['where']) as Record<string, string>,
  };
  return missingFilters(use.entry, use.dataset, source).map(({ name, values }) => ({
    path: [...path, 'endpoint'],
    message: `needs a value for ${name}`,
    advice:
      `Give one under where, or several under each.` +
      (values === undefined ? '' : ` Allowed: ${values.join(', ')}.`),
  }));
}

/** Adds the lists of a valid request to `history`; true if one of them was already there. */
function repeats({ entry, dataset }: EndpointUse, request: Mapping, history: Set<string>): boolean {
  const parsed = requestSchema(entry, dataset).safeParse(request);
  if (!parsed.success) return false;
  const { keys, alternatives = [] } = parsed.data;
  const ways = [...new Set([entry.path, ...alternatives])].map(endpointAt);
  const walks = ways.flatMap((way) =>
    listsOf(way, dataset, parsed.data).map((list) => JSON.stringify([listKey(list), keys])),
  );
  const isRepeated = walks.some((walk) => history.has(walk));
  for (const walk of walks) history.add(walk);
  return isRepeated;
}
