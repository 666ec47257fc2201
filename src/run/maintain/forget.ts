import type { List } from '../../coverage/list.ts';
import type { Effects } from '../../effects.ts';
import type { Lake } from '../../land/lake.ts';
import { keepNames } from '../../land/names.ts';
import { forgottenIn } from '../../land/rows/forgotten-in.ts';
import type { DeltaTable } from '../../land/rows/table.ts';
import { SubmissionTable } from '../submit/submission-table.ts';
import {
  type ForgetPlan,
  isForgottenRequest,
  keysOfAddress,
  keysOfLookUps,
} from './forget-plan.ts';

/**
 * Executes a plan; returns the number of removed rows. A forgetting that is killed can be repeated:
 * the rows of the address itself, which name the hashes of its look-ups, go last. Curated tables
 * still have the rows until they are curated again. Throws Fault('lake') for a failing disk.
 */
export async function executeForget(
  { lake, effects }: { lake: Lake; effects: Effects },
  plan: ForgetPlan,
): Promise<number> {
  const { address, hashes, quarantined } = plan;
  for (const [dataset, table] of lake.pending) {
    if (!plan.pending.has(dataset)) continue;
    await table.forget(({ endpoint, key }) => isForgottenRequest(plan, endpoint, key));
  }
  for (const quarantine of lake.quarantines()) {
    const ids = (await quarantine.records()).map(({ id }) => id);
    await quarantine.drop(ids.filter((id) => quarantined.includes(id)));
  }
  if (plan.label !== undefined) await keepNames(lake, { labels: new Map([[address, '']]) });
  effects.reached('label forgotten');
  const submitted = await SubmissionTable.open(lake);
  for (const id of plan.submissions) await submitted.drop({ id });
  let rows = plan.submissions.length;
  for (const dataset of datasetsOf(plan.lookUps)) {
    rows += await forgetIn(lake.table(dataset), keysOfLookUps(hashes));
  }
  for (const dataset of datasetsOf(plan.lists)) {
    rows += await forgetIn(lake.table(dataset), keysOfAddress(address));
  }
  return rows;
}

function datasetsOf(lists: ForgetPlan['lists']): ReadonlySet<string> {
  return new Set(lists.map(({ dataset }) => dataset));
}

async function forgetIn(
  table: DeltaTable,
  keysOf: (list: List) => readonly string[],
): Promise<number> {
  const done = await table.forget((snapshot) => forgottenIn(snapshot, table, keysOf));
  return done?.rowsReplaced ?? 0;
}
