import { z } from 'zod';
import { pipelineSchema } from './pipeline.ts';

/**
 * The JSON Schema of a pipeline file, for completion and checks in editors (draft 7, which most of
 * them support). It has the same checks of single fields as the parser, with the datasets and
 * endpoints of the catalogue. Only the parser checks fields against each other.
 */
export function pipelineJsonSchema(): Readonly<Record<string, unknown>> {
  const { $schema, ...rest } = z.toJSONSchema(pipelineSchema, { io: 'input', target: 'draft-7' });
  return { $schema, title: 'A windrow pipeline', ...rest };
}

/** The text of `pipelines/pipeline.schema.json`. */
export function pipelineSchemaText(): string {
  return `${JSON.stringify(pipelineJsonSchema(), null, 2)}\n`;
}
