import type { Effects } from '../../../effects.ts';
import { Fault } from '../../../fault.ts';
import { type Chains, type Lake, withLake } from '../../../land/lake.ts';
import { locked } from '../../../land/lock/lock.ts';
import { type Disk, localDisk } from '../../../land/storage/disk.ts';
import { removeStaging } from '../../../land/storage/staging.ts';
import { publishWarehouse } from '../../../load/warehouse.ts';
import type { Pipeline } from '../../../pipeline/pipeline.ts';
import { ADDRESS } from '../../../pipeline/syntax/address.ts';
import { loadPipeline, readPipeline } from '../../../run/job/pipeline-file.ts';
import { runName } from '../../../run/job/run-name.ts';
import { chainsToShow } from '../../../run/lake/rebuild-warehouse.ts';
import { executeForget } from '../../../run/maintain/forget.ts';
import {
  type ForgetPlan,
  type ForgottenList,
  type KeptLookUps,
  planForget,
} from '../../../run/maintain/forget-plan.ts';
import { type Console, counted, heights, many } from '../../terminal/console.ts';
import { type Arguments, data, needed, rest, textOption, toggle } from '../../terminal/options.ts';
import { print, type VerbOf, type VerbResult } from '../../terminal/verb-result.ts';
import { listText } from '../../terminal/verify-text.ts';

export const forgetOptions = {
  options: {
    address: needed(textOption('The address to forget')),
    pipelines: rest('All pipeline files of the lake, which tell which look-ups other rows explain'),
    data,
    chain: textOption('Chain to work on, if the lake has several'),
    keepLookUps: toggle(
      'Without pipeline files: keep look-ups that may be due to this address alone',
    ),
    dryRun: toggle('Print the plan and change nothing'),
  },
  examples: {
    '$0 forget ADDRESS --dry-run': 'shows its rows',
    '$0 forget ADDRESS my.yaml': 'removes all its look-ups',
  },
};

export type ForgetArguments = Arguments<typeof forgetOptions>;

/** `windrow forget`: removes rows and coverage that only this address explains. */
export const forgetVerb: VerbOf<typeof forgetOptions> = async (input, output) => {
  if (!ADDRESS.test(input.address)) {
    throw new Fault('usage', `${JSON.stringify(input.address)} is not an address.`, {
      advice: 'Give 0x and 40 hexadecimal digits.',
    });
  }
  const { effects } = output;
  const chains = await chainsToShow(input.data, input.chain, effects);
  const pipelines = await pipelinesOf(input.pipelines, chains);
  const settings = { root: input.data, chains, run: runName(effects), effects };
  return withLake(settings, async (lake) => {
    const job = { lake, effects, pipelines, disk: localDisk };
    if (input.dryRun) return forget(job, input, output);
    return locked(lake.layout.lock, effects, (disk) => forget({ ...job, disk }, input, output));
  });
};

/** Reads the pipelines. Throws a usage fault for one of another chain. */
async function pipelinesOf(
  files: readonly string[],
  { primary }: Pick<Chains, 'primary'>,
): Promise<Pipeline[]> {
  const pipelines: Pipeline[] = [];
  for (const file of files) {
    const pipeline = await readPipeline(file);
    const { chain } = pipeline.source;
    if (chain !== primary) {
      throw new Fault('usage', `The pipeline requests ${chain}, and the lake has ${primary}.`, {
        where: file,
        advice: 'Name the pipelines that fetched the data.',
      });
    }
    pipelines.push(pipeline);
  }
  return pipelines;
}

interface ForgetJob {
  readonly lake: Lake;
  readonly effects: Effects;
  readonly pipelines: readonly Pipeline[];
  readonly disk: Disk;
}

async function forget(
  { lake, effects, pipelines, disk }: ForgetJob,
  { address: spelling, pipelines: files, data: root, keepLookUps, dryRun }: ForgetArguments,
  output: Console,
): Promise<VerbResult> {
  const address = spelling.toLowerCase();
  const plan = await planForget(lake, address, pipelines);
  print({ lines: forgetPlanLines(plan) }, output);
  if (plan.kept.length > 0 && pipelines.length === 0 && !keepLookUps) {
    if (!dryRun) throw unknownLookUps(address);
    output.note(unknownLookUps(address).message);
    output.note('To remove these, too, name all pipelines of the lake.');
  }
  for (const file of new Set(files)) {
    if (!(await isRequestedBy(file, address))) continue;
    output.note(`${file} still requests this address: its next run would fetch it again.`);
    output.note('Remove the address from its keys before that.');
  }
  let rows: number | undefined;
  if (!dryRun && knowsAddress(plan)) {
    rows = await executeForget({ lake, effects }, plan);
    await publishWarehouse({ lake, effects, disk, ifMoved: true });
    await removeStaging(lake.layout, lake.run, disk);
  }
  const text = `Forgotten: ${many(rows ?? 0, 'row')}. Files of older versions still hold them.`;
  const lines = rows === undefined ? [] : [{ text, command: 'windrow maintain --retain 0d' }];
  const { pending, label = null, ...rest } = plan;
  const summary = { ...rest, hashes: hashesOf(plan), pending: Object.fromEntries(pending), label };
  const document = { data: root, plan: summary, rows: rows ?? null, exitCode: 0 };
  return { document, lines, exitCode: 0 };
}

/** The fault of a plan that leaves look-ups of which nothing tells whether others need them. */
function unknownLookUps(address: string): Fault {
  const message =
    'Some look-ups that stay may be due to this address alone, and a later forget does not find ' +
    'them.';
  return new Fault('usage', message, {
    advice: {
      text: 'To remove them, too, name all pipelines of the lake. To leave them, add an option.',
      command: `windrow forget ${address} --keep-look-ups`,
    },
  });
}

/** Whether a key set of the pipeline has the address; false if its files cannot be read. */
async function isRequestedBy(file: string, address: string): Promise<boolean> {
  try {
    const { keys } = await loadPipeline(file, {});
    return Object.values(keys).some((keySet) => keySet.includes(address));
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}

/** Whether the lake knows anything of the address. */
function knowsAddress(plan: ForgetPlan): boolean {
  const { lists, pending, quarantined, label, submissions } = plan;
  const places = lists.length + pending.size + quarantined.length + submissions.length;
  return places > 0 || label !== undefined;
}

/** One line for each list, and for everything beside the lists. */
function forgetPlanLines(plan: ForgetPlan): string[] {
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
  return [...new Set([...hashes.values()].flatMap((set) => [...set]))].sort();
}

function nameOf(list: ForgottenList | KeptLookUps): string {
  return `${list.dataset}, ${listText(list)}`;
}

function goneIn({ rows, keys, heirs }: ForgottenList): string {
  const others = new Set(heirs.map(({ key }) => key)).size;
  const kept = others === 0 ? '' : `; rows that name one of ${many(others, 'other key')} stay`;
  const keysText = keys.length === 1 ? '' : ` of ${counted(keys.length)} keys`;
  return `${many(rows, 'row')}${keysText}${kept}`;
}
