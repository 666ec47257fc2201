import type { Endpoint } from '../../../src/catalogue/entry.ts';
import { paramOf } from '../../../src/catalogue/index.ts';
import { pageSize } from '../answer/question.ts';
import { partsOf } from '../answer/routes.ts';
import { codeIn, type ServiceResponse } from '../protocol/exchange.ts';
import type { FaultOf } from '../settings/fault-schema.ts';
import type { FullSettings } from '../settings/settings.ts';

/** Changes to the envelope of a successful answer, and to the limit of a request. */

export interface Envelope {
  readonly code: unknown;
  readonly msg: unknown;
  readonly data: unknown;
}

type WrongType = Exclude<FaultOf<'wrong-type'>['as'], 'content-type'>;
/** Numbers with at most 15 digits are exact. */
const WHOLE_NUMBER = /^(0|[1-9][0-9]{0,14})$/;

/** The answer with a changed envelope; refusals and broken bodies are unchanged. */
export function rewritten(
  answer: ServiceResponse,
  change: (envelope: Envelope) => Envelope,
): ServiceResponse {
  const envelope = codeIn(answer) === '0' ? envelopeIn(answer) : undefined;
  if (envelope === undefined) return answer;
  return { ...answer, body: JSON.stringify(change(envelope)) };
}

/** undefined if another fault has broken the body. */
function envelopeIn({ body }: ServiceResponse): Envelope | undefined {
  try {
    return JSON.parse(body) as Envelope;
  } catch {
    return undefined;
  }
}

export function wronglyTyped(envelope: Envelope, as: WrongType): Envelope {
  const { data } = envelope;
  switch (as) {
    case 'data-text':
      return { ...envelope, data: JSON.stringify(data) };
    case 'data-object':
      return { ...envelope, data: { list: data } };
    case 'data-null':
      return { ...envelope, data: null };
    case 'code-number':
      return { ...envelope, code: 0 };
    case 'numbers':
      return { ...envelope, data: withNumbers(data) };
  }
}

function withNumbers(data: unknown): unknown {
  return JSON.parse(JSON.stringify(data), (_, value: unknown) =>
    typeof value === 'string' && WHOLE_NUMBER.test(value) ? Number(value) : value,
  );
}

/** The envelope without the field, in pages and in records. */
export function withoutField(envelope: Envelope, field: string): Envelope {
  const data: unknown = JSON.parse(JSON.stringify(envelope.data), (name, value: unknown) =>
    name === field ? undefined : value,
  );
  return { ...envelope, data };
}

/** The envelope with this limit in its page. */
export function echoing(envelope: Envelope, limit: string): Envelope {
  const pages = Array.isArray(envelope.data) ? (envelope.data as readonly object[]) : [];
  return {
    ...envelope,
    data: pages.map((page) => ('limit' in page ? { ...page, limit } : page)),
  };
}

/**
 * The target with a limit of at most `most`, and the requested or default limit. Undefined for
 * endpoints without a limit, and for a limit that is not a number.
 */
export function clampedLimit(
  entry: Endpoint,
  target: string,
  settings: FullSettings,
  most: number,
): { readonly target: string; readonly limit: string | undefined } {
  const param = paramOf(entry, 'limit');
  const size = pageSize(entry, settings);
  if (param === undefined || size === undefined) return { target, limit: undefined };
  const { path, search } = partsOf(target);
  const query = new URLSearchParams(search);
  const [text = '', ...more] = query.getAll(param.name);
  const limit = text === '' ? String(size.default) : text;
  if (more.length > 0 || !WHOLE_NUMBER.test(limit)) return { target, limit: undefined };
  if (Number(limit) <= most) return { target, limit };
  query.set(param.name, String(most));
  return { target: `${path}?${query}`, limit };
}
