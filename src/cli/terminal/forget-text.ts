import type { ForgetPlan, ForgottenList } from '../../maintain/forget-plan.ts';
import { counted, heights, many } from './console.ts';

/** Whether the lake knows anything of the address. */
export function knowsAddress(plan: ForgetPlan): boolean {
  const { lists, pending, quarantined, label } = plan;
  return lists.length + pending.size + quarantined.length > 0 || label !== undefined;
}

/** One line for each list, and for everything beside the lists. */
export function forgetPlanLines(plan: ForgetPlan): string[] {
  const { address, hashes, lists, lookUps, pending, quarantined, label } = plan;
  if (!knowsAddress(plan)) return [`The lake knows nothing of ${address}.`];
  const lines = lists.map((list) => `${nameOf(list)}, blocks ${heights(list)}: ${goneIn(list)}`);
  if (lookUps.length > 0) {
    const names = many(hashes.size, 'hash').replace(/hashs$/, 'hashes');
    lines.push(`Look-ups of ${names} that only these rows name:`);
    lines.push(...lookUps.map((list) => `  ${nameOf(list)}: ${goneIn(list)}`));
  }
  for (const [dataset, count] of pending) {
    lines.push(`pending_${dataset}: ${many(count, 'row')}`);
  }
  if (quarantined.length > 0) lines.push(`quarantine: ${many(quarantined.length, 'record')}`);
  if (label !== undefined) lines.push(`The label ${JSON.stringify(label)}`);
  return lines;
}

function nameOf({ dataset, endpoint, variant }: ForgottenList): string {
  return `${dataset}, ${endpoint}${variant === '' ? '' : ` (${variant})`}`;
}

function goneIn({ rows, keys, heirs }: ForgottenList): string {
  const others = new Set(heirs.map(({ key }) => key)).size;
  const kept = others === 0 ? '' : `; rows that name one of ${counted(others)} other keys stay`;
  const of = keys.length === 1 ? '' : ` of ${counted(keys.length)} keys`;
  return `${many(rows, 'row')}${of}${kept}`;
}

/** The plan as JSON. */
export function forgetPlanDocument(plan: ForgetPlan): Record<string, unknown> {
  const { hashes, pending, label = null, ...rest } = plan;
  return { ...rest, hashes: [...hashes].sort(), pending: Object.fromEntries(pending), label };
}
