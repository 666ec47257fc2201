import { z } from 'zod';
import type { Kind } from '../../../src/catalogue/column-kind.ts';
import type { Endpoint, Param } from '../../../src/catalogue/entry.ts';
import { paramOf, wordsOfDataset } from '../../../src/catalogue/index.ts';
import { pageSize } from '../answer/question.ts';
import { isHex, LARGEST, MAX_WHOLE_NUMBER } from '../protocol/parameters.ts';
import { MEMBER_MARK } from '../protocol/submission.ts';
import type { FullSettings } from '../settings/settings.ts';
import { jsonSchema } from './schemas.ts';
import type { OpenApiObject, OpenApiParameter } from './shape.ts';

/**
 * The parameters of requests in the words of OpenAPI: exactly the texts that the service accepts.
 */

/** Inputs of parameter schemas besides the endpoint's entry. */
export interface Deployment {
  readonly settings: FullSettings;
  /** The short name of the endpoint's chain. */
  readonly shortName: string;
  /** Example values that find records, by the names of their parameters. */
  readonly examples: Readonly<Record<string, string>>;
}

/** A hex text: the form of addresses and hashes in requests. */
const HEX = '0x[0-9a-fA-F]+';

/** The parameters of a query. A parameter with a default is optional. */
export function queryParameters(entry: Endpoint, at: Deployment): OpenApiParameter[] {
  return entry.params.map((param) => {
    const example = at.examples[param.name];
    return {
      name: param.name,
      in: 'query',
      required: isMissed(param),
      description: described(entry, param, at),
      schema: jsonSchema(withDefault(entry, param, at)),
      ...(example === undefined ? {} : { example }),
    };
  });
}

/** The JSON body of a submission. Unknown members are ignored; an empty text counts as absent. */
export function bodySchema(entry: Endpoint, at: Deployment): OpenApiObject {
  const members = entry.params.filter(({ name }) => !name.includes(MEMBER_MARK));
  const shape = members.map((param): [string, z.ZodType] => {
    const member = memberSchema(entry, param, at).meta({ description: param.meaning });
    return [param.name, isMissed(param) ? member : member.optional()];
  });
  const conditions = conditionsOf(members);
  return {
    ...jsonSchema(z.looseObject(Object.fromEntries(shape))),
    ...(conditions.length === 0 ? {} : { allOf: conditions }),
  };
}

/** Members that are required unless another one has a certain value. */
function conditionsOf(members: readonly Param[]): OpenApiObject[] {
  return members.flatMap(({ name, requiredUnless }) => {
    if (requiredUnless === undefined) return [];
    const exempt = { properties: { [requiredUnless.name]: { const: requiredUnless.is } } };
    const presence = { required: [name], properties: { [name]: { minLength: 1 } } };
    return [{ anyOf: [exempt, presence] }];
  });
}

function isMissed({ required, default: fallback }: Param): boolean {
  return required && fallback === undefined;
}

function described(entry: Endpoint, param: Param, { settings }: Deployment): string {
  const range = rangeOf(entry, param, settings);
  if (param.role === 'keys') {
    const many = param.max === 1 ? 'one' : `at most ${param.max}, separated by commas`;
    return `${param.meaning}; ${many}`;
  }
  return range === undefined ? param.meaning : `${param.meaning}; ${range.least} to ${range.most}`;
}

function withDefault(entry: Endpoint, param: Param, at: Deployment): z.ZodType {
  const schema = valueSchema(entry, param, at);
  const fallback = param.default ?? defaultOf(entry, param, at.settings);
  return fallback === undefined ? schema : schema.meta({ default: fallback });
}

function defaultOf(entry: Endpoint, { role }: Param, settings: FullSettings): string | undefined {
  if (role === 'page') return '1';
  return role === 'limit' ? String(pageSize(entry, settings)?.default) : undefined;
}

/** A parameter's value as it appears in the query; an optional one may also be empty. */
function valueSchema(entry: Endpoint, param: Param, at: Deployment): z.ZodType {
  const range = rangeOf(entry, param, at.settings);
  if (range !== undefined) return matching(numbersBetween(range), param);
  switch (param.role) {
    case 'chain':
      return chainSchema(entry, at);
    case 'side':
      return listed(['from', 'to'], param);
    case 'keys':
      return matching(keysPattern(param.max, kindsOf(entry, param.columns)), param);
    case 'equals':
    case 'at-least':
    case 'at-most':
      return param.values === undefined
        ? matching(patternOf([param.column.kind]), param)
        : listed(param.values, param);
    case 'names':
      return matching(patternOf(param.columns.map(({ kind }) => kind)), param);
    default:
      return z.string();
  }
}

function memberSchema(entry: Endpoint, param: Param, at: Deployment): z.ZodType {
  if (param.role === 'chain') return chainSchema(entry, at);
  if (param.type === 'Boolean') return z.boolean();
  if (param.type === 'Array') return itemsSchema(entry, param);
  if (param.values !== undefined) return listed(param.values, param);
  const kind = param.role === 'body' ? param.column?.kind : undefined;
  if (kind !== undefined && isHex(kind)) return matching(HEX, param);
  return isMissed(param) ? z.string().min(1) : z.string();
}

/** Items have all of their members. */
function itemsSchema(entry: Endpoint, list: Param): z.ZodType {
  const prefix = list.name + MEMBER_MARK;
  const members = entry.params.filter(({ name }) => name.startsWith(prefix));
  const shape = members.map((param): [string, z.ZodType] => [
    param.name.slice(prefix.length),
    z.string().min(1).meta({ description: param.meaning }),
  ]);
  const items = z.array(z.looseObject(Object.fromEntries(shape)));
  return list.role === 'body' && list.max !== undefined ? items.max(list.max) : items;
}

function chainSchema(entry: Endpoint, { shortName }: Deployment): z.ZodType {
  const spellings = entry.axis === 'primary' ? [shortName, shortName.toLowerCase()] : [shortName];
  return z.enum([...new Set(spellings)]);
}

function listed(values: readonly string[], param: Param): z.ZodType {
  return z.enum(isMissed(param) ? [...values] : [...values, '']);
}

function matching(pattern: string, param: Param): z.ZodType {
  return z.string().regex(new RegExp(`^(${pattern})${isMissed(param) ? '' : '?'}$`));
}

interface Range {
  readonly least: 0 | 1;
  readonly most: number;
}

/** The whole numbers that the parameter accepts; undefined if it is not a number. */
function rangeOf(entry: Endpoint, param: Param, settings: FullSettings): Range | undefined {
  const most = LARGEST[param.type] ?? MAX_WHOLE_NUMBER;
  if (param.role === 'limit') return { least: 1, most: pageSize(entry, settings)?.max ?? most };
  if (param.role === 'page') return { least: 1, most };
  const isHeight = ['from-block', 'to-block', 'height'].includes(param.role);
  return isHeight ? { least: 0, most } : undefined;
}

/** A pattern for the decimal spellings of a range's numbers, without leading zeros. */
export function numbersBetween({ least, most }: Range): string {
  const digits = String(most);
  const places = digits.length;
  const parts = least === 0 ? ['0'] : [];
  const shorter = /^9+$/.test(digits) ? places : places - 1;
  if (shorter > 0) parts.push(`[1-9]${repeated(shorter - 1, 0)}`);
  if (shorter === places) return parts.join('|');
  // Numbers with the same number of digits: equal up to one digit, and smaller in that digit.
  [...digits].forEach((digit, place) => {
    const low = place === 0 ? 1 : 0;
    const high = Number(digit) - 1;
    if (high < low) return;
    const rest = places - place - 1;
    parts.push(`${digits.slice(0, place)}[${low}-${high}]${repeated(rest, rest)}`);
  });
  return [...parts, digits].join('|');
}

function repeated(most: number, least: number): string {
  if (most === 0) return '';
  return least === most ? `[0-9]{${most}}` : `[0-9]{${least},${most}}`;
}

function kindsOf(entry: Endpoint, columns: readonly string[]): Kind[] {
  const words = wordsOfDataset(entry.dataset).filter(({ column }) => columns.includes(column));
  return words.map(({ kind }) => kind);
}

/** Spaces around keys are ignored. */
function keysPattern(max: number, kinds: readonly Kind[]): string {
  const key = ` *(${patternOf(kinds)}) *`;
  return max === 1 ? key : `${key}(,${key}){0,${max - 1}}`;
}

/** A pattern without anchors for the values that the service accepts for all the kinds. */
function patternOf(kinds: readonly Kind[]): string {
  if (kinds.some(isHex)) return HEX;
  const [source = '[\\s\\S]+'] = kinds.map(({ pattern }) => pattern.source);
  return source.replace(/^\^|\$$/g, '');
}

/**
 * The largest distance between the bounds of a block range. The schema of a single parameter cannot
 * express it.
 */
export function blockRangeOf(entry: Endpoint): OpenApiObject | undefined {
  const from = paramOf(entry, 'from-block');
  const to = paramOf(entry, 'to-block');
  if (from === undefined || to === undefined) return undefined;
  const { blockSpan } = entry.limits;
  return {
    from: from.name,
    to: to.name,
    ...(blockSpan === undefined ? {} : { maxDifference: String(blockSpan) }),
  };
}
