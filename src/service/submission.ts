import { createHash } from 'node:crypto';
import type { Endpoint, Param } from '../catalogue/entry.ts';
import { Refusal } from './errors.ts';
import type { ServiceRequest, ServiceResponse } from './exchange.ts';
import { success } from './exchange.ts';
import { canonicalValue, checkChain, settled } from './parameters.ts';
import type { Source } from './source.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** What a GUID has of the digest it is cut from: 32 hex digits. */
const GUID_DIGITS = 32;
/** Stands between a list's name and that of a member of its items. */
export const MEMBER_MARK = '[].';

/**
 * Takes what is handed in as a JSON body, and answers with the GUID of its job: the same for the
 * same body. Throws a Refusal for a body that is not JSON, and for members that are missing, of
 * another type or beyond a limit. Unknown members are ignored, and an empty text is the same as
 * none. Nothing is compiled, and no result can be asked for.
 */
export function accepted(of: Endpoint, request: ServiceRequest, source: Source): ServiceResponse {
  const body = objectIn(request);
  const members = of.params.filter(({ name }) => !name.includes(MEMBER_MARK));
  const values = settled(members, (param) => textOf(body[param.name], param));
  checkChain(of, values, source);
  for (const param of members) {
    const text = values.get(param.name);
    if (param.role !== 'body' || text === undefined) continue;
    if (param.type === 'Array') checkItems(of, param.name, body[param.name], param.max);
    else if (param.column !== undefined) canonicalValue(text, [param.column], param.name);
  }
  return success([createHash('sha256').update(request.body).digest('hex').slice(0, GUID_DIGITS)]);
}

function objectIn({ headers, body }: ServiceRequest): JsonObject {
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  if (type?.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
    throw new Refusal('wrong-content-type', 'the content type must be application/json');
  }
  const value = parsed(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refusal('malformed-body', 'the body must be a JSON object');
  }
  return value as JsonObject;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new Refusal('malformed-body', 'the body is not JSON');
  }
}

/** A member's value as text, once it is known to have its type; of a list only that it is there. */
function textOf(value: unknown, { name, type }: Param): string | undefined {
  if (value === undefined) return undefined;
  const isOfType =
    type === 'Array'
      ? Array.isArray(value)
      : typeof value === (type === 'Boolean' ? 'boolean' : 'string');
  if (!isOfType) throw new Refusal('bad-parameter', `${name} must be of type ${type}`);
  return type === 'Array' ? name : String(value);
}

/** Items have all of their members, as these are matched one to one. */
function checkItems(of: Endpoint, list: string, items: unknown, max = Infinity): void {
  if (!Array.isArray(items)) return;
  if (items.length > max) {
    throw new Refusal('too-many-items', `${list} holds more than ${max} items`);
  }
  const members = of.params.filter(({ name }) => name.startsWith(list + MEMBER_MARK));
  for (const item of items as readonly unknown[]) {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) {
      throw new Refusal('bad-parameter', `${list} must hold objects`);
    }
    for (const param of members) {
      const member = param.name.slice(list.length + MEMBER_MARK.length);
      if (!textOf((item as JsonObject)[member], param)) {
        throw new Refusal('bad-parameter', `every item of ${list} needs its ${member}`);
      }
    }
  }
}
