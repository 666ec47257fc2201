import { checkTogether } from './check-together.ts';
import type { TextFile } from './csv/csv-lines.ts';
import type { Pipeline } from './pipeline.ts';
import { pipelineSchema, toPipeline } from './pipeline.ts';
import { readYaml } from './syntax/located-yaml.ts';
import { faultOf } from './syntax/problem.ts';
import type { Subject } from './syntax/schema-problems.ts';
import { problemsOf } from './syntax/schema-problems.ts';

const PIPELINE: Subject = {
  name: 'the pipeline',
  mayHoldSecrets: (path) =>
    (path[0] === 'source' && path[1] === 'credentials') ||
    (path[0] === 'alerts' && ['destinations', 'heartbeat'].includes(String(path[1]))),
};

/**
 * The pipeline in a YAML text, checked against the catalogue. Throws one configuration fault that
 * lists every problem with `file:line:column`, the given value and advice.
 */
export function parsePipeline({ text, file }: TextFile): Pipeline {
  const yaml = readYaml(text);
  if (yaml.isBroken) throw faultOf(file, yaml.problems);
  const parsed = pipelineSchema.safeParse(yaml.value);
  const issues = parsed.success ? [] : parsed.error.issues;
  const problems = problemsOf(yaml, issues, PIPELINE, checkTogether(yaml.value));
  if (parsed.success && problems.length === 0) return toPipeline(parsed.data);
  throw faultOf(file, problems);
}
