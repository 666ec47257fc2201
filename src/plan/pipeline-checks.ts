import type { Endpoint } from '../catalogue/entry.ts';
import { endpoints } from '../catalogue/index.ts';
import type { Path } from './located-yaml.ts';
import { suggestion } from './nearest.ts';
import {
  canonicalValue,
  filtersOf,
  missingFilters,
  requestSchema,
  variantsOf,
} from './pipeline-requests.ts';
import { DEFAULT_RATE } from './pipeline-source.ts';

/** Something wrong with the value at a path of a pipeline file. */
export interface Finding {
  readonly path: Path;
  /** The key is what is wrong, or what stands for the whole value. */
  readonly isOfKey?: true;
  /** A clause. Those of `checkTogether` begin after the name of the value. */
  readonly what: string;
  readonly advice: string;
}

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
    ...blockFindings(asMapping(file['blocks'])),
    ...rateFindings(asMapping(asMapping(file['source'])['rate'])),
    ...keySetFindings(asMapping(file['keys'])),
    ...requestFindings(asMapping(file['datasets']), Object.keys(asMapping(file['keys']))),
  ];
}

function blockFindings({ from = 0, to }: Mapping): Finding[] {
  if (typeof from !== 'number' || typeof to !== 'number' || from <= to) return [];
  const what = `is below blocks.from, which is ${from}`;
  return [{ path: ['blocks', 'to'], what, advice: 'Give the lower height as from.' }];
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

function keySetFindings(keySets: Mapping): Finding[] {
  const findings: Finding[] = [];
  for (const [name, keySet] of Object.entries(keySets)) {
    const isMapping = typeof keySet === 'object' && keySet !== null && !Array.isArray(keySet);
    const hasFile = asMapping(keySet)['file'] !== undefined;
    const hasList = asMapping(keySet)['list'] !== undefined;
    if (!isMapping || hasFile !== hasList) continue;
    findings.push({
      path: ['keys', name],
      isOfKey: true,
      what: hasFile ? 'has a file and a list' : 'has neither a file nor a list',
      advice: 'Give it one of the two, as in { file: addresses.csv }.',
    });
  }
  return findings;
}

function requestFindings(datasets: Mapping, keySets: readonly string[]): Finding[] {
  const findings: Finding[] = [];
  const asked = new Set<string>();
  for (const [dataset, requests] of Object.entries(datasets)) {
    for (const [i, request] of asList(requests).entries()) {
      const given = asMapping(request);
      const entry = endpoints.find((each) => each.path === given['endpoint']);
      const path = ['datasets', dataset, i];
      findings.push(...keysFindings(given, path, keySets), ...clashes(given, path));
      if (entry === undefined) continue;
      findings.push(...positionFindings(entry, path));
      findings.push(...filterFindings(entry, given, path), ...repeatedValues(entry, given, path));
      if (repeats(entry, given, asked)) {
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

/** A list whose places move while it is read cannot be proven complete by the walks there are. */
function positionFindings(entry: Endpoint, path: Path): Finding[] {
  if (entry.list !== 'positional') return [];
  const others = endpoints.filter(
    ({ dataset, list }) => dataset === entry.dataset && list !== 'positional',
  );
  const advice =
    others.length === 0
      ? 'Remove the request.'
      : `Ask ${others.map(({ path: other }) => other).join(' or ')} in its place.`;
  const what = 'is a list that moves while it is read, so no walk of it can be proven';
  return [{ path: [...path, 'endpoint'], what, advice }];
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

function repeatedValues(entry: Endpoint, request: Mapping, path: Path): Finding[] {
  const each = asMapping(request['each']);
  return filtersOf(entry).flatMap((filter) => {
    const values = asList(each[filter.name]).map((value) => canonicalValue(filter, String(value)));
    return values.flatMap((value, i): Finding[] => {
      if (values.indexOf(value) === i) return [];
      const advice = 'Remove it here; every value is walked once.';
      return [{ path: [...path, 'each', filter.name, i], what: 'is listed twice', advice }];
    });
  });
}

/** What the endpoint needs and the request does not give; public so that any entry can be tried. */
export function filterFindings(entry: Endpoint, request: Mapping, path: Path): Finding[] {
  const given = {
    endpoint: entry.path,
    each: asMapping(request['each']) as Record<string, string[]>,
    where: asMapping(request['where']) as Record<string, string>,
  };
  return missingFilters(entry, given).map(({ name, values }) => ({
    path: [...path, 'endpoint'],
    what: `needs a value for ${name}`,
    advice:
      `Give one under where, or several under each.` +
      (values === undefined ? '' : ` Allowed: ${values.join(', ')}.`),
  }));
}

/** Adds the walks of a valid request to those asked; true when one of them was there already. */
function repeats(entry: Endpoint, request: Mapping, asked: Set<string>): boolean {
  const parsed = requestSchema(entry).safeParse(request);
  if (!parsed.success) return false;
  const { keys } = parsed.data;
  const walks = variantsOf(entry, parsed.data).map(({ id }) =>
    JSON.stringify([entry.path, keys, id]),
  );
  const isRepeated = walks.some((walk) => asked.has(walk));
  for (const walk of walks) asked.add(walk);
  return isRepeated;
}
