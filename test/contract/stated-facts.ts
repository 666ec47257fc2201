import type {
  DocumentedField,
  DocumentedOperation,
  DocumentedParam,
  DocumentedRecord,
  InterfaceDocument,
} from './interface-document.ts';
import { itemsIn, statedLimits } from './stated-limits.ts';

/** What is said of one operation: each fact has a name, and a value as text. */
export type Facts = ReadonlyMap<string, string>;

export const NONE = 'none';

/** The record that an operation's response names; undefined where it answers with none. */
export function recordOf(
  document: InterfaceDocument,
  { id, response }: DocumentedOperation,
): DocumentedRecord | undefined {
  const named = /(?:array|list) of (.+? record(?:,? \(?[a-z -]+\)?)?)(?:\)| directly|\.)/.exec(
    response,
  );
  const title = plainTitle(named?.[1] ?? '');
  const record = document.records.find((entry) => plainTitle(entry.title) === title);
  if (record === undefined && title !== '') throw new Error(`${id}: there is no ${title}`);
  return record;
}

function plainTitle(title: string): string {
  return title
    .toLowerCase()
    .replace(/[(),]/g, '')
    .replace(/ (directly|by hash\.)$/, '')
    .trim();
}

/** All that the document says of an operation and a catalogue can say as well. */
export function statedFacts(document: InterfaceDocument, operation: DocumentedOperation): Facts {
  const { params, axis } = operation;
  const limits = statedLimits(document, operation);
  const record = recordOf(document, operation);
  const fields = record?.fields ?? [];
  const replies = statedReply(operation);
  const hasBlocks = params.some(({ name }) => name === 'startBlockHeight');
  return new Map([
    ['path', operation.path],
    ['method', operation.method],
    ['axis', axis],
    ['parameters', params.map(({ name }) => name).join(', ')],
    ...params.flatMap((param) => paramFacts(document, operation, param, fields)),
    ...replies,
    ...limits,
    ['kind of list', hasBlocks ? 'ranged' : kindOfList(operation, limits)],
    ['tells the head', /\bblock list$/i.test(operation.title) ? 'yes' : 'no'],
    ...datasetFacts(operation, record),
    ['fields', fields.map(({ name }) => name).join(', ')],
    ...fields.flatMap((field) => fieldFacts(field, record?.notes ?? [])),
    ['height', heightIn(fields)],
  ]);
}

function paramFacts(
  document: InterfaceDocument,
  operation: DocumentedOperation,
  param: DocumentedParam,
  fields: readonly DocumentedField[],
): [string, string][] {
  const { name, meaning } = param;
  const role = roleOf(operation, param);
  const { type, isRequired } = typeAndNeed(document, operation, param);
  const spared = /optional when (\w+) is `([^`]+)`, otherwise required/.exec(meaning);
  const items = itemsIn(meaning) ?? (role === 'keys' ? 1 : undefined);
  const values = valuesOf(operation, param);
  return [
    [`type of ${name}`, type],
    [`${name} is required`, spared ? `unless ${spared[1]} is ${spared[2]}` : isRequired],
    [`role of ${name}`, role],
    [`values of ${name}`, values.length === 0 ? NONE : values.join(', ')],
    [`default of ${name}`, defaultOf(document, operation, param)],
    [`most items of ${name}`, String(items ?? 'any')],
    [`fields that ${name} speaks of`, fieldsSpokenOf(param, role, fields)],
    [`${name} is filled in`, fillingOf(param, role, values, fields)],
  ];
}

/** Where an operation is silent, sentences that hold for all lists of its axis speak for it. */
function typeAndNeed(
  { conventions }: InterfaceDocument,
  { axis }: DocumentedOperation,
  { name, type, required }: DocumentedParam,
): { type: string; isRequired: string } {
  if (!conventions.includes('All scalar values are JSON strings unless stated.')) {
    throw new Error('the document does not say what type parameters have by default');
  }
  const paging = conventions.match(
    axis === 'zone'
      ? /every zone list endpoint, `limit` is an (optional) (Integer) .* `page` is an \1 \2/
      : /every primary-chain list endpoint, `page` and `limit` are (optional) (String)s\./,
  );
  const isPaging = name === 'page' || name === 'limit';
  if (isPaging && paging === null) throw new Error('the document does not say what pages are');
  return {
    type: type ?? (isPaging ? (paging?.[2] ?? '') : 'String'),
    isRequired: required === 'conditional' ? 'no' : (required ?? 'no'),
  };
}

function valuesOf({ params }: DocumentedOperation, param: DocumentedParam): string[] {
  const said = param.meaning
    .replace(/optional when .* otherwise required/, '')
    .replace(/(documented )?default `[^`]+`/, '')
    .replace(/\([^)]*\)/g, '');
  const values = [...said.matchAll(/`([^`]+)`/g)].map(([, value = '']) => value);
  return values.filter((value) => params.every(({ name }) => name !== value));
}

function defaultOf(
  { conventions }: InterfaceDocument,
  { axis }: DocumentedOperation,
  { name, meaning }: DocumentedParam,
): string {
  // The default of a page size is a limit, and stands with its maximum.
  if (name === 'limit') return NONE;
  const word = /\bdefault `?(\w+)`?$/.exec(meaning)?.[1];
  if (name !== 'page' || axis !== 'zone') return word ?? NONE;
  const ofAll = /`page` is an optional Integer \(default (\d+)\)/.exec(conventions)?.[1];
  return word ?? ofAll ?? NONE;
}

const ROLES: Readonly<Record<string, string>> = {
  chainShortName: 'chain',
  page: 'page',
  limit: 'limit',
  height: 'height',
  startBlockHeight: 'from-block',
  endBlockHeight: 'to-block',
  isFromOrTo: 'side',
  address: 'keys',
  txid: 'names',
};

/** What a parameter is for, by its name, its meaning, and whether there is a list without it. */
function roleOf({ method }: DocumentedOperation, param: DocumentedParam): string {
  const { name, meaning, required } = param;
  if (method === 'POST' && name !== 'chainShortName') return 'body';
  if (/^(upper|lower) bound/.test(meaning)) return /^upper/.test(meaning) ? 'at-most' : 'at-least';
  const isKey = /^(txId|txid|tokenContractAddress)$/.test(name);
  if (isKey && required === 'yes') return 'keys';
  return ROLES[name] ?? 'equals';
}

const PARTIES = ['from', 'to', 'sourceAddress', 'targetAddress'];
const HASHES = ['txId', 'txid', 'hash', 'zoneTxHash'];

/** The fields a record must have the value in; `NONE` where the record does not carry it. */
function fieldsSpokenOf(
  { name }: DocumentedParam,
  role: string,
  fields: readonly DocumentedField[],
): string {
  const among = (names: readonly string[]): string => {
    const matches = names.filter((text) => fields.some((field) => field.name === text));
    return matches.length === 0 ? NONE : matches.join(', ');
  };
  if (role === 'side') return among(['from', 'to']);
  if (role === 'at-least' || role === 'at-most') return among(['amount']);
  if (role === 'names') return among(['zoneTxHash', 'mainTxHash']);
  if (role === 'keys' && name === 'address') return among(PARTIES);
  if (role === 'keys' && /^tx/.test(name)) return among(HASHES);
  return role === 'keys' || role === 'equals' ? among([name]) : NONE;
}

/** For which values records get what was asked for from the question, as they do not carry it. */
function fillingOf(
  { name }: DocumentedParam,
  role: string,
  values: readonly string[],
  fields: readonly DocumentedField[],
): string {
  if (role !== 'equals' || fields.some((field) => field.name === name)) return 'for no value';
  const tokens = values.filter((value) => value.startsWith('token_'));
  return tokens.length === values.length ? 'for every value' : `for ${tokens.join(', ')}`;
}

function statedReply({ id, response }: DocumentedOperation): [string, string][] {
  if (/`data` an array holding one string/.test(response)) return [['reply', 'single']];
  if (/^Response: `data` is an array of /.test(response)) return [['reply', 'bare']];
  const said = /^Response `data\[0\]`: (.+)$/.exec(response)?.[1];
  if (said === undefined) throw new Error(`${id}: what is its reply?`);
  const named = /names the list `(\w+)`, but the sample response names it `(\w+)`/.exec(said);
  const list = named?.[1] ?? /`(\w+)` \(array of /.exec(said)?.[1];
  if (list === undefined) throw new Error(`${id}: what is its list?`);
  const beside = said.split(/`\w+` \(array of|and the list of/)[0] ?? '';
  const names = beside
    .replace(/\([^)]*\)/g, '')
    .split(/[, ]+|\band\b/)
    .filter((name) => name !== '');
  if (names.slice(0, 3).join() !== 'page,limit,totalPage') throw new Error(`${id}: which pages?`);
  const extras = names.slice(3);
  return [
    ['reply', 'paged'],
    ['list', list],
    ['list in samples', named?.[2] ?? NONE],
    ['extras', extras.join(', ')],
    ['total', extras.find((name) => name.startsWith('total')) ?? NONE],
  ];
}

function kindOfList({ method, params }: DocumentedOperation, limits: Facts): string {
  if (method === 'POST') return 'submission';
  if (limits.get('depth in records') !== NONE) return 'snapshot';
  const isByKey = params.some(({ name, required }) => {
    return /^(txId|txid|height)$/.test(name) && required === 'yes';
  });
  return isByKey ? 'by-key' : 'positional';
}

const DATASETS: readonly (readonly [RegExp, string])[] = [
  [/^Token transfer record/, 'token_transfers'],
  [/^(Normal t|T|Block t)ransaction record/, 'transactions'],
  [/^Block (summary|detail) record/, 'blocks'],
  [/^Internal transaction record/, 'internal_transactions'],
  [/^Native-token position record/, 'native_holders'],
  [/^Zone transaction (summary|detail) record/, 'zone_transactions'],
  [/^Zone block record/, 'zone_blocks'],
  [/^Cross-chain record/, 'cross_chain_transfers'],
];

function datasetFacts(
  operation: DocumentedOperation,
  record: DocumentedRecord | undefined,
): [string, string][] {
  const match = DATASETS.find(([title]) => record !== undefined && title.test(record.title))?.[1];
  const dataset = match ?? 'contract_verifications';
  const kinds = operation.params.find(({ name }) => name === 'protocolType');
  const values = kinds === undefined ? [] : valuesOf(operation, kinds);
  const selected = values.map((value) => {
    if (value === 'transaction') return `${value}: transactions`;
    return `${value}: ${value === 'internal' ? 'internal_transactions' : 'token_transfers'}`;
  });
  return [
    ['dataset', dataset],
    ['axis of the dataset', operation.axis],
    ['datasets by value', values.includes('transaction') ? selected.join(', ') : NONE],
  ];
}

const UNITS: readonly (readonly [RegExp, string])[] = [
  [/\bin the native token\b/, 'native token'],
  [/\bin wei\b/, 'wei'],
  [/\bin bytes\b/, 'bytes'],
  [/\bin the fee currency\b/, 'fee currency'],
  [/\bsmallest unit\b/, 'smallest unit'],
  [/\btoken precision applied\b/, 'token'],
];

const KINDS: readonly (readonly [RegExp, string])[] = [
  [/\bmay hold several comma-separated addresses\b/, 'party'],
  [/\bhash$/, 'hash'],
  [/\bblock height\b|^height on\b|\bblock height on\b/, 'height'],
  [/\btime\b/i, 'time'],
];

function fieldFacts(field: DocumentedField, notes: readonly string[]): [string, string][] {
  const { name, type, meaning } = field;
  const spelled = notes.map((note) => /name is `(\w+)`, .* spells the key `(\w+)`/.exec(note));
  const inSample = spelled.find((match) => match?.[1] === name)?.[2];
  const documentedAs = /documented as `(\w+)`/.exec(meaning)?.[1];
  const said = [meaning, ...notes.filter((note) => note.includes(`\`${name}\``))].join('; ');
  const kind = KINDS.find(([words]) => words.test(said) || words.test(meaning))?.[1];
  const unit = UNITS.find(([words]) => words.test(said))?.[1];
  return [
    [`type of the field ${name}`, type],
    [`other spellings of ${name}`, inSample ?? documentedAs ?? NONE],
    ...(kind === undefined ? [] : [[`kind of ${name}`, kind] satisfies [string, string]]),
    ...(unit === undefined ? [] : [[`unit of ${name}`, unit] satisfies [string, string]]),
  ];
}

function heightIn(fields: readonly DocumentedField[]): string {
  const names = ['zoneBlockHeight', 'height', 'blockHeight'];
  return names.find((name) => fields.some((field) => field.name === name)) ?? NONE;
}
