import type { Argv } from 'yargs';
import { Fault } from '../../fault.ts';
import { Committer } from '../../land/committer.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { takeLock } from '../../land/storage/lock.ts';
import { removeLeftovers } from '../../land/storage/staging.ts';
import { verifyLake } from '../../land/verify/verify-lake.ts';
import { publishWarehouse } from '../../load/warehouse.ts';
import { type Repair, repair } from '../../run/repair.ts';
import { systemEffects } from '../../system.ts';
import { credentialsFrom } from '../job/credentials.ts';
import { needLake } from '../job/lake-there.ts';
import { openJob } from '../job/open-job.ts';
import { loadPipeline } from '../job/pipeline-file.ts';
import type { Console } from '../terminal/console.ts';
import { jsonDocument, many } from '../terminal/console.ts';
import { data, withExitCodes } from '../terminal/options.ts';
import type { ExitCode } from '../terminal/report.ts';
import {
  foundText,
  regionText,
  verificationDocument,
  verificationLines,
} from '../terminal/verify-text.ts';
import { stopOnSignals } from './run.ts';

export function verifyOptions(args: Argv) {
  return withExitCodes(args)
    .positional('pipeline', { type: 'string', describe: 'A pipeline file, for --repair' })
    .options({
      data,
      repair: {
        type: 'boolean',
        default: false,
        describe: 'Set damaged files aside, and fetch what was in them again',
      },
      'source-url': { type: 'string', describe: "Base address of the service, for the pipeline's" },
    })
    .example('$0 verify', 'is every file what was written?')
    .example('$0 verify my.yaml --repair', 'fetches what was in damaged files again');
}

export interface VerifyArguments {
  readonly pipeline?: string | undefined;
  readonly data: string;
  readonly repair: boolean;
  readonly sourceUrl?: string | undefined;
}

/** `windrow verify`: compares every file of the lake with what was written. */
export async function verifyVerb(given: VerifyArguments, output: Console): Promise<ExitCode> {
  if (given.repair) return repairVerb(given, output);
  await needLake(given.data);
  const verification = await verifyLake(given.data, localDisk);
  const exitCode = verification.damages.length > 0 ? 1 : 0;
  if (output.isJson) {
    const found = verificationDocument(verification);
    output.out(jsonDocument({ data: given.data, ...found, exitCode }));
  } else for (const line of verificationLines(verification)) output.out(line);
  return exitCode;
}

async function repairVerb(given: VerifyArguments, output: Console): Promise<ExitCode> {
  if (given.pipeline === undefined) {
    throw new Fault('usage', '--repair needs the pipeline that fetched the data.', {
      advice: 'Name its file: windrow verify PIPELINE --repair.',
    });
  }
  await needLake(given.data);
  const loaded = await loadPipeline(given.pipeline, given);
  const { credentials } = loaded.pipeline.source;
  const secrets = await credentialsFrom(credentials, loaded.file, loaded.resolve, process.env);
  for (const note of loaded.notes) output.note(note);
  const effects = systemEffects('warn');
  const job = await openJob(loaded, given.data, secrets, effects);
  const stops = stopOnSignals(output);
  try {
    const { lake, run } = job;
    const { pipeline, keys } = loaded;
    const lock = await takeLock(lake.layout.lock, effects.now());
    try {
      await removeLeftovers(lake.layout, run, localDisk, effects.now());
      const committer = new Committer({ lake, run, limits: pipeline.commit, effects });
      const of = { ...job, ...stops, pipeline, keys, effects, committer, disk: localDisk };
      const repaired = await repair(of);
      const { slices, rows } = committer.counts();
      if (slices > 0)
        output.note(`Fetched again: ${many(slices, 'slice')} with ${many(rows, 'row')}.`);
      await publishWarehouse({ lake, effects, disk: localDisk });
      const exitCode = exitCodeOf(repaired, stops.softStop.aborted);
      if (output.isJson)
        output.out(jsonDocument({ data: given.data, ...documentOf(repaired), exitCode }));
      else for (const line of repairLines(repaired)) output.out(line);
      return exitCode;
    } finally {
      await lock.release();
    }
  } finally {
    stops.forget();
    await job.close('learned');
  }
}

/** 130 interrupted, 1 where something is still damaged, 3 where something was not fetched again. */
function exitCodeOf({ after, lost, failed, short, unknown }: Repair, isStopped: boolean): ExitCode {
  if (isStopped) return 130;
  if (after.damages.length > 0) return 1;
  return lost.length + failed.length + unknown.length + short > 0 ? 3 : 0;
}

function repairLines(repaired: Repair): string[] {
  const { before, after, mended, cut, lost, failed, short, unknown, aside } = repaired;
  if (before.damages.length === 0) return verificationLines(after);
  const lines = [foundText(before.damages)];
  for (const { path, finding } of before.damages) lines.push(`  ${path}: ${finding}`);
  for (const path of mended) lines.push(`Mended, because one bit had changed: ${path}`);
  for (const table of cut) {
    lines.push(
      `The log of ${table} was cut before its first damaged entry, and what the pipeline asks of ` +
        'this table was fetched again. Run the other pipelines that fill it, too.',
    );
  }
  for (const { reason, ...region } of lost) {
    lines.push(`Not fetched again: ${regionText(region)}: ${reason}.`);
  }
  for (const path of unknown) {
    lines.push(`Not fetched again: the log does not say what the rows of ${path} were landed for.`);
  }
  for (const { endpoint, from, to, reason } of failed) {
    lines.push(`Failed: ${endpoint} ${from}-${to}: ${reason}`);
  }
  if (short > 0) lines.push(`${many(short, 'slice')} ended short of complete: see windrow status.`);
  if (aside !== undefined) lines.push(`The damaged files are kept below ${aside}.`);
  if (after.damages.length > 0) return [...lines, ...verificationLines(after)];
  return [...lines, 'Everything else is as it was written, or fetched again.'];
}

function documentOf(repaired: Repair): Record<string, unknown> {
  const { before, after, mended, cut, lost, failed, short, unknown, aside = null } = repaired;
  const found = { before: before.damages, mended, cut, lost, failed, short, unknown, aside };
  return { ...verificationDocument(after), repair: found };
}
