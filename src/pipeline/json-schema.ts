import { z } from 'zod';
import { pipelineSchema } from './pipeline.ts';

/**
 * The JSON Schema (draft 7, the one most editors know) of a pipeline file, for completion and
 * checks while it is written. It says what the parser says of each field, datasets and endpoints
 * of the catalogue included; what two fields say of each other only the parser checks.
 */
export function pipelineJsonSchema(): Readonly<Record<string, unknown>> {
  const { $schema, ...rest } = z.toJSONSchema(pipelineSchema, { io: 'input', target: 'draft-7' });
  return { $schema, title: 'A windrow pipeline', ...rest };
}

/** The text of `pipelines/pipeline.schema.json`. */
export function pipelineSchemaText(): string {
  return `${JSON.stringify(pipelineJsonSchema(), null, 2)}\n`;
}
