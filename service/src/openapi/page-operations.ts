import { z } from 'zod';
import { jsonSchema, refusalAnswers, refusalsOfPages } from './schemas.ts';
import type { Answer, Operation, PathItem } from './shape.ts';

/** The service's own pages as operations of its document. They are not signed. */

/** The answer of `/healthz`: the newest height of either axis, or -1. */
const healthSchema = z.strictObject({
  status: z.literal('ok'),
  primaryHeight: z.string().regex(/^(-1|0|[1-9][0-9]*)$/),
  zoneHeight: z.string().regex(/^(-1|0|[1-9][0-9]*)$/),
});

/** The operations by path; all of them take GET. */
export function pageOperations(): Readonly<Record<string, PathItem>> {
  return {
    '/healthz': page('healthz', 'Whether the source can be read', {
      200: answer('It can.', 'application/json', healthSchema),
      ...refusalAnswers(['unavailable']),
    }),
    '/metrics': page('metrics', 'Counters and durations, for Prometheus', {
      200: answer('Text format 0.0.4.', 'text/plain', z.string()),
    }),
    '/openapi.json': page('openapi', 'This document', {
      200: answer('OpenAPI 3.1.', 'application/json', documentSchema),
    }),
    '/docs': page('docs', 'This document as an API reference', {
      200: answer('A page that loads files of this service alone.', 'text/html', z.string()),
    }),
  };
}

const documentSchema = z.looseObject({
  openapi: z.literal('3.1.0'),
  info: z.looseObject({ title: z.string(), version: z.string() }),
  paths: z.record(z.string(), z.unknown()),
});

function page(operationId: string, summary: string, answers: Operation['responses']): PathItem {
  const responses = { ...answers, ...refusalAnswers(refusalsOfPages()) };
  return { get: { operationId, summary, tags: ['service'], responses, security: [] } };
}

function answer(description: string, type: string, schema: z.ZodType): Answer {
  return { description, content: { [type]: { schema: jsonSchema(schema) } } };
}
