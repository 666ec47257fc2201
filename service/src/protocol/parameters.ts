import { address, hash, type Kind, party } from '../../../src/catalogue/column-kind.ts';
import type { ColumnWord, Endpoint, Param } from '../../../src/catalogue/entry.ts';
import { paramOf } from '../../../src/catalogue/index.ts';
import { Refusal } from './errors.ts';
import type { Source } from './source.ts';

/** Values of parameters by name, as text: from the request, or the documented default. */
export type Values = ReadonlyMap<string, string>;

/** Every number of a request lies below 10^15, and is therefore exact. */
const WHOLE_NUMBER = /^(0|[1-9][0-9]{0,14})$/;
const DIGITS = /^(0|[1-9][0-9]*)$/;
export const MAX_WHOLE_NUMBER = 10 ** 15 - 1;
/** Largest value of the type, if it is below that bound. */
export const LARGEST: Partial<Record<Param['type'], number>> = { Integer: 2 ** 31 - 1 };

/** The documented parameters of a query. Unknown names are ignored. */
export function valuesInQuery(entry: Endpoint, search: string): Values {
  const sent = new URLSearchParams(search);
  return settled(entry.params, (param) => {
    const values = sent.getAll(param.name);
    if (values.length > 1) throw new Refusal('bad-parameter', `${param.name} is given twice`);
    return values[0];
  });
}

/**
 * The values of those parameters that have one, or a default. An empty value counts as absent.
 * Throws a Refusal for missing parameters and for values that are not listed.
 */
export function settled(
  params: readonly Param[],
  textOf: (param: Param) => string | undefined,
): Values {
  const values = new Map<string, string>();
  for (const param of params) {
    const value = textOf(param) || param.default;
    if (value === undefined) continue;
    if (param.values !== undefined && !param.values.includes(value)) {
      throw new Refusal('bad-parameter', `${param.name} must be ${param.values.join(' or ')}`);
    }
    values.set(param.name, value);
  }
  const missing = params.find((param) => !values.has(param.name) && isRequired(param, values));
  if (missing !== undefined) {
    throw new Refusal('missing-parameter', `${missing.name} is required`);
  }
  return values;
}

function isRequired({ required, requiredUnless }: Param, values: Values): boolean {
  if (requiredUnless === undefined) return required;
  return values.get(requiredUnless.name) !== requiredUnless.is;
}

/** Lower case is accepted for the primary chain. */
export function checkChain(entry: Endpoint, values: Values, source: Source): void {
  const param = paramOf(entry, 'chain');
  const { shortName } = source.names[entry.axis];
  const chain = param && values.get(param.name);
  if (chain === undefined || chain === shortName) return;
  if (entry.axis === 'primary' && chain === shortName.toLowerCase()) return;
  throw new Refusal('bad-parameter', `${param?.name} must be ${shortName}`);
}

/** Whether requests give values of the kind as one hex text. */
export function isHex(kind: Kind): boolean {
  return kind === party || kind === address || kind === hash;
}

/** One value in the spelling of records in all these columns; addresses and hashes are hex. */
export function canonicalValue(text: string, words: readonly ColumnWord[], name: string): string {
  const malformed = () => new Refusal('bad-parameter', `${name} is malformed`);
  let value = text;
  for (const { kind } of words) {
    const { pattern, canonical } = isHex(kind) ? hash : kind;
    value = (pattern.test(text) && canonical(text)) || '';
    if (value === '') throw malformed();
  }
  return value;
}

/** The value as a number within inclusive bounds; undefined if it is absent. */
export function numberOf(
  values: Values,
  param: Param | undefined,
  bounds: { readonly least?: number; readonly most?: number } = {},
): number | undefined {
  const text = param && values.get(param.name);
  if (param === undefined || text === undefined) return undefined;
  if (!DIGITS.test(text)) throw new Refusal('bad-parameter', `${param.name} is not a number`);
  const { least = 0, most = LARGEST[param.type] ?? MAX_WHOLE_NUMBER } = bounds;
  if (!WHOLE_NUMBER.test(text)) {
    throw new Refusal('bad-parameter', `${param.name} is too large: the largest is ${most}`);
  }
  const value = Number(text);
  if (value < least || value > most) {
    throw new Refusal('bad-parameter', `${param.name} must be ${least} to ${most}`);
  }
  return value;
}
