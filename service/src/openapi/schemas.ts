import { z } from 'zod';
import type { Endpoint, Field } from '../../../src/catalogue/entry.ts';
import { isResult } from '../../../src/catalogue/index.ts';
import { pageSize } from '../answer/question.ts';
import { REFUSALS, type RefusalKind, type RefusalScope } from '../protocol/errors.ts';
import type { FullSettings } from '../settings/settings.ts';
import type { Answer, OpenApiObject } from './shape.ts';

/** The service's answers as JSON Schemas: scalars are texts or flags. */

/** The JSON Schema (2020-12) of the values that the schema accepts. */
export function jsonSchema(schema: z.ZodType): OpenApiObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' }) as OpenApiObject;
  return rest;
}

/** One record of the endpoint, field by field. An unknown text is empty, an unknown flag absent. */
function recordSchema(entry: Endpoint): z.ZodType {
  return z.strictObject(
    Object.fromEntries(entry.fields.map((field) => [field.wire, fieldSchema(field)] as const)),
  );
}

function fieldSchema({ kind, meaning, unit }: Field): z.ZodType {
  const description = unit === undefined ? meaning : `${meaning} [${unit}]`;
  if (kind.wire === 'boolean') return z.boolean().optional().meta({ description });
  const value = z.string().regex(kind.pattern);
  const takesAll = kind.pattern.test('');
  return (takesAll ? z.string() : z.union([z.literal(''), value])).meta({ description });
}

/** The envelope of success; a list is at most as long as a page. */
export function answerSchema(entry: Endpoint, settings: FullSettings): z.ZodType {
  return z.strictObject({
    code: z.literal('0'),
    msg: z.literal(''),
    data: dataSchema(entry, settings),
  });
}

const wholeNumber = z.string().regex(/^(0|[1-9][0-9]*)$/);

function dataSchema(entry: Endpoint, settings: FullSettings): z.ZodType {
  const { reply } = entry;
  if (reply.shape === 'single') return z.array(z.string().min(1)).length(1);
  const records = z.array(recordSchema(entry).meta({ title: 'Record' }));
  const size = pageSize(entry, settings);
  const list = size === undefined ? records : records.max(size.max);
  if (reply.shape === 'bare') return list;
  const extras = (reply.extras ?? []).map((name): [string, z.ZodType] => [
    name,
    name === reply.total ? wholeNumber : z.string(),
  ]);
  const page = z.strictObject({
    page: wholeNumber,
    limit: wholeNumber,
    totalPage: wholeNumber,
    ...Object.fromEntries(extras),
    [reply.list]: list,
  });
  return z.array(page).length(1);
}

/** The envelope of a refusal with one of these codes. */
export function refusalSchema(kinds: readonly RefusalKind[]): z.ZodType {
  return z.strictObject({
    code: z.enum(kinds.map((kind) => REFUSALS[kind].code)),
    msg: z.string().min(1),
    data: z.array(z.unknown()).max(0),
  });
}

/** The possible refusals of an operation. */
export function refusalsOf(entry: Endpoint, settings: FullSettings): RefusalKind[] {
  const isCapped = entry.reply.shape === 'paged' && entry.axis === 'primary';
  const hasItems = entry.params.some(
    (param) => (param.role === 'keys' || param.role === 'body') && param.max !== undefined,
  );
  const isSubmission = entry.list === 'submission';
  const scopes: (readonly [RefusalScope, boolean])[] = [
    ['signed', settings.credentials.length > 0],
    ['items', hasItems],
    ['head', entry.servesHead === true],
    ['capped', isCapped && settings.capStyle === 'error'],
    ['body', entry.method === 'POST'],
    ['limited', settings.credentials.some(({ limit }) => limit !== undefined)],
    ['submission', isSubmission && !isResult(entry)],
    ['result', isResult(entry)],
    ['verification', isSubmission],
  ];
  const ownScopes = scopes.filter(([, applies]) => applies).map(([scope]) => scope);
  return kindsIn(new Set([...EVERYWHERE, 'parameters', ...ownScopes]));
}

/** The possible refusals of the service's own pages. */
export function refusalsOfPages(): RefusalKind[] {
  return kindsIn(new Set(EVERYWHERE));
}

const EVERYWHERE: readonly RefusalScope[] = ['bytes', 'all'];

function kindsIn(scopes: ReadonlySet<RefusalScope>): RefusalKind[] {
  const kinds = Object.keys(REFUSALS) as RefusalKind[];
  return kinds.filter((kind) => scopes.has(REFUSALS[kind].scope));
}

/** One answer for each status of the refusals. */
export function refusalAnswers(kinds: readonly RefusalKind[]): Record<string, Answer> {
  const statuses = [...new Set(kinds.map((kind) => REFUSALS[kind].status))];
  const answers = statuses.map((status): [string, Answer] => {
    const alike = kinds.filter((kind) => REFUSALS[kind].status === status);
    const description = alike.map((kind) => `${REFUSALS[kind].code}: ${REFUSALS[kind].meaning}`);
    const content = { ['application/json']: { schema: jsonSchema(refusalSchema(alike)) } };
    return [String(status), { description: description.join('\n'), content }];
  });
  return Object.fromEntries(answers);
}
