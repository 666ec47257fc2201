import type { TextFile } from '../../config/address-list.ts';
import type { LocatedYaml } from '../../config/located-yaml.ts';
import { readYaml } from '../../config/located-yaml.ts';
import type { Problem } from '../../config/problem.ts';
import { faultOf, shown } from '../../config/problem.ts';
import { problemsOf } from '../../config/schema-problems.ts';
import { Refusal } from '../protocol/errors.ts';
import type { FaultPlan } from './fault-schema.ts';
import { faultPlanSchema } from './fault-schema.ts';

/** Plans of faults, from text and checked. */

const PLAN = { name: 'the plan of faults', mayHoldSecrets: () => false };
const TOLD_PROBLEMS = 5;

/** Nothing goes wrong. */
export const NO_FAULTS: FaultPlan = faultPlanSchema.parse({});

/**
 * The plan that a YAML or JSON text describes. Throws one configuration fault that names every
 * problem with `file:line:column`, the value given and what to do.
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
    // One reader and one set of messages for both; this JSON has every value where YAML wants it.
    yaml = readYaml(JSON.stringify(JSON.parse(body)));
  } catch {
    throw new Refusal('malformed-body', 'the body is not JSON');
  }
  const { plan, problems } = read(yaml);
  if (plan !== undefined) return plan;
  const told = problems.slice(0, TOLD_PROBLEMS).map(({ message, given, advice }) => {
    return `${message}${given === undefined ? '' : ` (${shown(given)})`}. ${advice}`;
  });
  const more = problems.length - told.length;
  if (more > 0) told.push(`And ${more} more.`);
  throw new Refusal('invalid-faults', told.join(' '));
}

function read(yaml: LocatedYaml): { plan?: FaultPlan; problems: readonly Problem[] } {
  if (yaml.isBroken) return { problems: yaml.problems };
  const parsed = faultPlanSchema.safeParse(yaml.value ?? {});
  const problems = problemsOf(yaml, parsed.success ? [] : parsed.error.issues, PLAN);
  return parsed.success && problems.length === 0 ? { plan: parsed.data, problems } : { problems };
}
