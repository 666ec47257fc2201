import type { Dataset, Endpoint, Param } from '../../src/catalogue/entry.ts';
import { fieldFor } from '../../src/catalogue/index.ts';
import type { Facts } from './stated-facts.ts';
import { NONE } from './stated-facts.ts';

/** Entries are values, and one of them is compared in many catalogues. */
const factsByDatasets = new WeakMap<readonly Dataset[], WeakMap<Endpoint, Facts>>();

/** What an entry of the catalogue says of its operation, in the words of the stated facts. */
export function catalogueFacts(entry: Endpoint, datasets: readonly Dataset[]): Facts {
  const cached = factsByDatasets.get(datasets) ?? new WeakMap<Endpoint, Facts>();
  factsByDatasets.set(datasets, cached);
  const facts = cached.get(entry) ?? factsOf(entry, datasets);
  cached.set(entry, facts);
  return facts;
}

function factsOf(entry: Endpoint, datasets: readonly Dataset[]): Facts {
  const { params, fields, limits, reply, axis } = entry;
  const dataset = datasets.find(({ name }) => name === entry.dataset);
  const { pageSize } = limits;
  return new Map([
    ['path', entry.path],
    ['method', entry.method],
    ['axis', axis],
    ['parameters', params.map(({ name }) => name).join(', ')],
    ...params.flatMap((param) => paramFacts(entry, param)),
    ['reply', reply.shape],
    ...(reply.shape === 'paged' ? pagedFacts(reply) : []),
    ['page size', pageSize === undefined ? NONE : `${pageSize.max} / ${pageSize.default}`],
    ['block span', String(limits.blockSpan ?? NONE)],
    ['depth in blocks', String(limits.depthBlocks ?? NONE)],
    ['depth in records', String(limits.depthRecords ?? NONE)],
    ['depth in years', String(limits.depthYears ?? NONE)],
    ['kind of list', entry.list],
    ['tells the head', entry.servesHead === true ? 'yes' : 'no'],
    ['dataset', entry.dataset],
    ['axis of the dataset', dataset?.axis ?? NONE],
    ['datasets by value', selectedDatasets(entry)],
    ['fields', fields.map(({ wire }) => wire).join(', ')],
    ...fields.flatMap(({ wire, kind, unit, aliases }): [string, string][] => [
      [`type of the field ${wire}`, kind.wire === 'boolean' ? 'Boolean' : 'String'],
      [`other spellings of ${wire}`, listed(aliases)],
      [`kind of ${wire}`, kind.name],
      [`unit of ${wire}`, unit ?? NONE],
    ]),
    ['height', fieldFor(entry, dataset?.heightColumn ?? '')?.wire ?? NONE],
  ]);
}

function pagedFacts(reply: Extract<Endpoint['reply'], { shape: 'paged' }>): [string, string][] {
  return [
    ['list', reply.list],
    ['list in samples', listed(reply.listAliases ?? [])],
    ['extras', (reply.extras ?? []).join(', ')],
    ['total', reply.total ?? NONE],
  ];
}

function paramFacts(entry: Endpoint, param: Param): [string, string][] {
  const { name, type, required, requiredUnless, values, role } = param;
  const unless = requiredUnless && `unless ${requiredUnless.name} is ${requiredUnless.is}`;
  const isRequired = required ? 'yes' : (unless ?? 'no');
  const items = role === 'keys' || role === 'body' ? param.max : undefined;
  return [
    [`type of ${name}`, type],
    [`${name} is required`, isRequired],
    [`role of ${name}`, role],
    [`values of ${name}`, listed(values ?? [])],
    [`default of ${name}`, param.default ?? NONE],
    [`most items of ${name}`, String(items ?? 'any')],
    [`fields that ${name} speaks of`, fieldsSpokenOf(entry, param)],
    [`${name} is filled in`, fillingOf(param)],
  ];
}

function fieldsSpokenOf(entry: Endpoint, param: Param): string {
  const wires = columnsOf(param).map((column) => fieldFor(entry, column)?.wire ?? NONE);
  return listed(wires);
}

function fillingOf(param: Param): string {
  const fills = param.role === 'equals' ? param.fills : undefined;
  if (fills === undefined) return 'for no value';
  return fills === true ? 'for every value' : `for ${fills.join(', ')}`;
}

function columnsOf(param: Param): readonly string[] {
  switch (param.role) {
    case 'keys':
      return param.columns;
    case 'side':
      return [param.from, param.to];
    case 'names':
      return param.columns.map(({ column }) => column);
    case 'equals':
      return param.fills === undefined ? [param.column.column] : [];
    case 'at-least':
    case 'at-most':
      return [param.column.column];
    default:
      return [];
  }
}

function selectedDatasets({ params }: Endpoint): string {
  const selected = params.flatMap((param) =>
    param.role === 'equals' ? Object.entries(param.datasets ?? {}) : [],
  );
  return listed(selected.map(([value, dataset]) => `${value}: ${dataset}`));
}

function listed(parts: readonly string[]): string {
  return parts.length === 0 ? NONE : parts.join(', ');
}
