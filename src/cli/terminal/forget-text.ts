import type { ForgetPlan, ForgottenList, KeptLookUps } from '../../run/maintain/forget-plan.ts';
import { counted, heights, many } from './console.ts';

/** Whether the lake knows anything of the address. */
export function knowsAddress(plan: ForgetPlan): boolean {
  const { lists, pending, quarantined, label, submissions } = plan;
  const places = lists.length + pending.size + quarantined.length + submissions.length;
  return places > 0 || label !== undefined;
}

/** One line for each list, and for everything beside the lists. */
export function forgetPlanLines(plan: ForgetPlan): string[] {
  const { address, lists, lookUps, kept, pending, quarantined, label } = plan;
  if (!knowsAddress(plan)) return [`The lake knows nothing of ${address}.`];
  const lines = lists.map((list) => `${nameOf(list)}, blocks ${heights(list)}: ${goneIn(list)}`);
  if (lookUps.length > 0) {
    lines.push(`Look-ups of ${many(hashesOf(plan).length, 'hash')} that only these rows explain:`);
    lines.push(...lookUps.map((list) => `  ${nameOf(list)}: ${goneIn(list)}`));
  }
  if (kept.length > 0) {
    lines.push('Look-ups of hashes in these rows that stay, because other rows explain them:');
    lines.push(...kept.map((list) => `  ${nameOf(list)}: ${many(list.keys, 'hash')}`));
  }
  for (const [dataset, count] of pending) {
    lines.push(`pending_${dataset}: ${many(count, 'row')}`);
  }
  if (quarantined.length > 0) lines.push(`quarantine: ${many(quarantined.length, 'record')}`);
  const { length } = plan.submissions;
  if (length > 0) lines.push(`contract_verifications: ${many(length, 'submission')}`);
  if (label !== undefined) lines.push(`The label ${JSON.stringify(label)}`);
  return lines;
}

/** All hashes whose look-ups are forgotten, in order. */
function hashesOf({ hashes }: ForgetPlan): string[] {
  return [...new Set([...hashes.values()].flatMap((each) => [...each]))].sort();
}

function nameOf({ dataset, endpoint, variant }: ForgottenList | KeptLookUps): string {
  return `${dataset}, ${endpoint}${variant === '' ? '' : ` (${variant})`}`;
}

function goneIn({ rows, keys, heirs }: ForgottenList): string {
  const others = new Set(heirs.map(({ key }) => key)).size;
  const kept = others === 0 ? '' : `; rows that name one of ${many(others, 'other key')} stay`;
  const of = keys.length === 1 ? '' : ` of ${counted(keys.length)} keys`;
  return `${many(rows, 'row')}${of}${kept}`;
}

/** The plan as JSON. */
export function forgetPlanDocument(plan: ForgetPlan): Record<string, unknown> {
  const { pending, label = null, ...rest } = plan;
  return { ...rest, hashes: hashesOf(plan), pending: Object.fromEntries(pending), label };
}
