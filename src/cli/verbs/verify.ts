import { tablesToCompute } from '../../curate/curate.ts';
import type { Effects } from '../../effects.ts';
import { type Advice, Fault } from '../../fault.ts';
import { chainsIn, withLake } from '../../land/lake.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { layout } from '../../land/storage/layout.ts';
import { verifyLake } from '../../land/verify/verify-lake.ts';
import { hasOtherViews } from '../../load/query/publication.ts';
import { loadPipeline } from '../../run/job/pipeline-file.ts';
import { needLake, outdatedText } from '../../run/lake/lake-there.ts';
import type { Repair } from '../../run/repair.ts';
import type { ExitCode } from '../../run/shell/run-document.ts';
import { repairRun } from '../../run/shell/work-on-source.ts';
import { shellOptions } from '../job/console-surroundings.ts';
import { stoppingOnSignals } from '../job/stop-signals.ts';
import type { Console } from '../terminal/console.ts';
import { many } from '../terminal/console.ts';
import {
  type Arguments,
  data,
  optionName,
  overrides,
  textOption,
  toggle,
} from '../terminal/options.ts';
import { lacksRows, repairDocument, repairLines } from '../terminal/repair-text.ts';
import type { VerbOf, VerbResult } from '../terminal/verb-result.ts';
import { verificationDocument, verificationLines } from '../terminal/verify-text.ts';

/** Options that help lists apart from the others. */
function withRepair<T extends Readonly<Record<string, object>>>(options: T): T {
  const group = 'With --repair, the same values as for the run:';
  const entries = Object.entries(options).map(([name, option]) => [name, { ...option, group }]);
  return Object.fromEntries(entries) as T;
}

export const verifyOptions = {
  options: {
    pipeline: textOption('A pipeline file, for --repair'),
    data,
    repair: toggle('Move damaged files aside and fetch lost rows again'),
    ...withRepair(overrides),
  },
  examples: {
    '$0 verify': 'compares every file with the log',
    '$0 verify my.yaml --repair': 'fetches the rows of damaged files again',
  },
};

export type VerifyArguments = Arguments<typeof verifyOptions>;

/** `windrow verify`: compares every file of the lake with its log. */
export const verifyVerb: VerbOf<typeof verifyOptions> = async (input, output) => {
  if (input.repair) return repairVerb(input, output);
  refuseIdle(input);
  await needLake(input.data, output.effects);
  const verification = await verifyLake(input.data, localDisk);
  const isWhole = verification.damages.length === 0;
  const { warehouse } = layout(input.data);
  const hasChangedViews = await hasOtherViews(warehouse);
  const exitCode = isWhole && !hasChangedViews ? 0 : 1;
  // Damaged logs cannot be opened. A curated table without a folder has no log to verify.
  const behind = isWhole ? await outdatedIn(input.data, output.effects) : undefined;
  const details = verificationDocument(verification);
  const document = { data: input.data, ...details, hasChangedViews, behind, exitCode };
  const lines: Advice[] = verificationLines(verification);
  if (hasChangedViews) {
    const text = `DAMAGED ${warehouse}: Its views or macros were changed after it was published.`;
    lines.push({ text, command: 'windrow load' });
  }
  if (behind !== undefined && behind.length > 0) lines.push(outdatedText(behind));
  return { document, lines, exitCode };
};

/** Names of the curated tables of all chains that the next run computes. Needs readable logs. */
async function outdatedIn(root: string, effects: Effects): Promise<string[]> {
  const names: string[] = [];
  for (const chains of await chainsIn(root, localDisk)) {
    await withLake({ root, chains, run: 'verify', effects }, async (lake) => {
      names.push(...(await tablesToCompute(lake)));
    });
  }
  return names;
}

/** Throws a usage fault for values that a repair alone uses: the pipeline, and options of a run. */
function refuseIdle(input: VerifyArguments): void {
  const used = Object.keys(overrides).find(
    (name) => name in input && input[name as keyof typeof input],
  );
  const idle = input.pipeline ?? (used === undefined ? undefined : optionName(used));
  if (idle === undefined) return;
  throw new Fault('usage', `verify does not use ${idle} without --repair: it compares all files.`, {
    advice: 'Add --repair to mend the damage, or leave it out.',
  });
}

async function repairVerb(input: VerifyArguments, output: Console): Promise<VerbResult> {
  if (input.pipeline === undefined) {
    throw new Fault('usage', '--repair needs the pipeline that fetched the data.', {
      advice: { text: 'Name its file.', command: 'windrow verify PIPELINE --repair' },
    });
  }
  await needLake(input.data, output.effects);
  const loaded = await loadPipeline(input.pipeline, input);
  return stoppingOnSignals(output, loaded.pipeline, async (stops) => {
    const options = { ...shellOptions(loaded, input.data, output), stops };
    const repaired = await repairRun(options);
    const { slices, rows } = repaired.counts;
    if (slices > 0)
      output.note(`Fetched again: ${many(slices, 'slice')} with ${many(rows, 'row')}.`);
    const exitCode = exitCodeOf(repaired);
    const document = { data: input.data, ...repairDocument(repaired), exitCode };
    return { document, lines: repairLines(repaired), exitCode };
  });
}

/** 130 interrupted, 1 if a file is still damaged, 3 if rows were not fetched again. */
function exitCodeOf(repaired: Repair): ExitCode {
  if (repaired.isStopped) return 130;
  if (repaired.after.damages.length > 0) return 1;
  return lacksRows(repaired) ? 3 : 0;
}
