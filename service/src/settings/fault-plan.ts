import type { TextFile } from '../../../src/pipeline/csv/csv-lines.ts';
import { type LocatedYaml, readYaml } from '../../../src/pipeline/syntax/located-yaml.ts';
import { faultOf, type Problem, shown } from '../../../src/pipeline/syntax/problem.ts';
import { problemsOf } from '../../../src/pipeline/syntax/schema-problems.ts';
import { Refusal } from '../protocol/errors.ts';
import { type FaultPlan, faultPlanSchema } from './fault-schema.ts';

/** Parses and checks plans of faults. */

const PLAN = { name: 'the plan of faults', mayHoldSecrets: () => false };
const SHOWN_PROBLEMS = 5;

/** A plan without faults. */
export const NO_FAULTS: FaultPlan = faultPlanSchema.parse({});

/**
 * The plan in a YAML or JSON text. Throws one configuration fault that names every problem with
 * `file:line:column`, the value and advice.
 */
export function parseFaultPlan({ text, file }: TextFile): FaultPlan {
  const { plan, problems } = read(readYaml(text));
  if (plan === undefined) throw faultOf(file, problems);
  return plan;
}

/** The plan in a JSON body. Throws a Refusal that names the first problems. */
export function faultPlanIn(body: string): FaultPlan {
  let yaml: LocatedYaml;
  try {
    // Both formats share one reader and its messages; compact JSON is valid YAML for it.
    yaml = readYaml(JSON.stringify(JSON.parse(body)));
  } catch {
    throw new Refusal('malformed-body', 'the body is not JSON');
  }
  const { plan, problems } = read(yaml);
  if (plan !== undefined) return plan;
  const messages = problems.slice(0, SHOWN_PROBLEMS).map(({ message, source: value, advice }) => {
    return `${message}${value === undefined ? '' : ` (${shown(value)})`}. ${advice}`;
  });
  const more = problems.length - messages.length;
  if (more > 0) messages.push(`And ${more} more.`);
  throw new Refusal('invalid-faults', messages.join(' '));
}

function read(yaml: LocatedYaml): { plan?: FaultPlan; problems: readonly Problem[] } {
  if (yaml.isBroken) return { problems: yaml.problems };
  const parsed = faultPlanSchema.safeParse(yaml.value ?? {});
  const problems = problemsOf(yaml, parsed.success ? [] : parsed.error.issues, PLAN);
  return parsed.success && problems.length === 0 ? { plan: parsed.data, problems } : { problems };
}
