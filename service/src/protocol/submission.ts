import type { Endpoint, Param } from '../../../src/catalogue/entry.ts';
import { Refusal } from './errors.ts';
import { contentTypeOf, type ServiceRequest } from './exchange.ts';
import { canonicalValue, checkChain, settled, type Values } from './parameters.ts';
import type { Source } from './source.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Separates a list's name from that of a member of its items. */
export const MEMBER_MARK = '[].';

/** The documented members of a submission. */
export interface Submission {
  /** Texts and flags, as text; addresses in canonical spelling. */
  readonly values: Values;
  /** The items of the lists by list name, each item with the members that it has. */
  readonly items: ReadonlyMap<string, readonly SubmissionItem[]>;
}

export type SubmissionItem = Readonly<Record<string, string>>;

/**
 * Reads a submission from a JSON body. Throws a Refusal for a body that is not JSON, and for
 * members that are missing, of another type or beyond a limit. Unknown members are ignored. An
 * empty text counts as absent.
 */
export function submissionIn(entry: Endpoint, request: ServiceRequest, source: Source): Submission {
  const body = objectIn(request);
  const members = entry.params.filter(({ name }) => !name.includes(MEMBER_MARK));
  const values = new Map(settled(members, (param) => textOf(body[param.name], param)));
  const items = new Map<string, readonly SubmissionItem[]>();
  checkChain(entry, values, source);
  for (const param of members) {
    const { name, type } = param;
    const text = values.get(name);
    if (param.role !== 'body' || text === undefined) continue;
    if (type === 'Array') items.set(name, itemsIn(entry, name, body[name], param.max));
    else if (param.column !== undefined) {
      values.set(name, canonicalValue(text, [param.column], name));
    }
  }
  return { values, items };
}

function objectIn(request: ServiceRequest): JsonObject {
  if (contentTypeOf(request) !== 'application/json') {
    throw new Refusal('wrong-content-type', 'the content type must be application/json');
  }
  const value = parsed(request.body);
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

/** A member's value as text, after a check of its type; for a list, only that it is present. */
function textOf(value: unknown, { name, type }: Param): string | undefined {
  if (value === undefined) return undefined;
  const isOfType =
    type === 'Array'
      ? Array.isArray(value)
      : typeof value === (type === 'Boolean' ? 'boolean' : 'string');
  if (!isOfType) throw new Refusal('bad-parameter', `${name} must be of type ${type}`);
  return type === 'Array' ? name : String(value);
}

/** The items of a list. Their members are optional, and an empty one counts as absent. */
function itemsIn(entry: Endpoint, list: string, items: unknown, max = Infinity): SubmissionItem[] {
  if (!Array.isArray(items)) return [];
  if (items.length > max) {
    throw new Refusal('too-many-items', `${list} holds more than ${max} items`);
  }
  const members = entry.params.filter(({ name }) => name.startsWith(list + MEMBER_MARK));
  return (items as readonly unknown[]).map((item) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) {
      throw new Refusal('bad-parameter', `${list} must hold objects`);
    }
    const texts = members.flatMap((param): [string, string][] => {
      const member = param.name.slice(list.length + MEMBER_MARK.length);
      const text = textOf((item as JsonObject)[member], param);
      return text ? [[member, text]] : [];
    });
    return Object.fromEntries(texts);
  });
}
