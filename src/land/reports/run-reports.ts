import { basename } from 'node:path';
import { z } from 'zod';
import { jsonIn } from '../../json-in.ts';
import { type Holder, holderSchema, isRunning } from '../lock/holder.ts';
import { type Disk, isFull } from '../storage/disk.ts';
import type { Layout } from '../storage/layout.ts';

/** Bytes that the smallest file takes. */
const BLOCK_BYTES = 4096;

const figure = z.number().optional();
const estimate = z.number().nullish();
const text = z.string().optional();
const counts = z.record(z.string(), z.number()).optional();

/**
 * The report of a run, from its start to its end. A run writes an open report before anything else
 * and replaces it by the final one, so a killed run leaves an open report behind.
 */
const reportSchema = z.looseObject({
  run: z.string(),
  pipeline: z.string(),
  /** The path of the pipeline, as it was given. */
  pipelineFile: z.string().optional(),
  /** Verb and arguments of the command that continues it, without the data root. */
  command: z.string().optional(),
  startedAt: z.iso.datetime(),
  /** Absent while the report is open. */
  endedAt: z.iso.datetime().optional(),
  /** The process that writes the final report. */
  process: holderSchema.optional(),
  exitCode: z.number().nullish(),
  error: z.looseObject({ kind: z.string(), message: z.string(), advice: z.string() }).optional(),
  /** False if the command line names other blocks than the pipeline. */
  isWhole: z.boolean().optional(),
  nothingToDo: z.boolean().optional(),
  /** The daily quota of the key, by a name that does not reveal it. */
  quota: z.looseObject({ key: z.string(), perDay: z.number() }).nullish(),
  planned: z
    .looseObject({
      requests: estimate,
      slices: figure,
      rows: estimate,
      bytes: estimate,
      minutes: estimate,
      isLowerBound: z.boolean().nullish(),
      heads: z.record(z.string(), z.looseObject({ head: z.number(), safe: z.number() })).optional(),
    })
    .optional(),
  actual: z
    .looseObject({
      requests: figure,
      replies: figure,
      rejections: figure,
      retries: counts,
      bytes: figure,
      slices: figure,
      commits: figure,
      rows: figure,
      rowsReplaced: figure,
      quarantined: figure,
      statuses: counts,
      drift: counts,
      absent: counts,
    })
    .optional(),
  pace: z
    .looseObject({
      ratePerSecond: z.number(),
      ceilingPerSecond: z.number().nullable(),
      limitedBy: z.string().nullish(),
      medianLatencyMs: estimate,
    })
    .optional(),
  /** Samples of the requests, oldest first. */
  rate: z
    .array(
      z.object({
        seconds: z.number(),
        requests: z.number(),
        rejections: z.number(),
        ceilingPerSecond: z.number().nullable(),
      }),
    )
    .optional(),
  failed: z
    .array(z.looseObject({ endpoint: text, from: figure, to: figure, reason: text }))
    .optional(),
  left: z.number().optional(),
  /** The limit that left slices to the next run. */
  limit: z.looseObject({ message: z.string() }).nullish(),
  captured: z
    .array(
      z.looseObject({
        name: z.string(),
        readings: z.number(),
        rows: z.number(),
        gaps: z.number(),
      }),
    )
    .optional(),
  /** Number of differences from witnesses. */
  reconciled: z.looseObject({ differs: z.number() }).nullish(),
  checks: z
    .array(
      z.looseObject({
        check: z.string(),
        severity: z.string(),
        findings: z.number(),
        /** The first findings, with their evidence. */
        examples: z.array(z.record(z.string(), z.unknown())).optional(),
      }),
    )
    .optional(),
});

export type RunReport = z.infer<typeof reportSchema>;

/** `killed`: the process of an open report has ended. */
export type RunState = 'ended' | 'under way' | 'killed';

/**
 * The state of a run. `others` are processes of other machines that hold the lock or wait for it:
 * only these count as under way there.
 */
export function stateOfRun(
  { endedAt, process }: RunReport,
  others: readonly Holder[] = [],
): RunState {
  if (endedAt !== undefined) return 'ended';
  return process !== undefined && isRunning(process, others) ? 'under way' : 'killed';
}

/** Findings of checks that fail a run, without notes; undefined for a run without checks. */
export function errorsFound({ checks }: RunReport): number | undefined {
  return checks
    ?.filter(({ severity }) => severity === 'error')
    .reduce((sum, { findings }) => sum + findings, 0);
}

/** Seconds from the start to the end; null for a run without an end. */
export function runSeconds({ startedAt, endedAt }: RunReport): number | null {
  return endedAt === undefined ? null : (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
}

/** Writes the open report of a run that begins; durable when this returns. */
export async function openReport(layout: Layout, disk: Disk, run: string, document: string) {
  await disk.makeFolder(layout.runs);
  await disk.put(layout.reportOf(run), `${document}\n`);
}

/** Replaces the open report by the final one, and keeps a copy as the report of the last run. */
export async function closeReport(layout: Layout, disk: Disk, run: string, document: string) {
  try {
    await openReport(layout, disk, run, document);
  } catch (error) {
    // A full disk has room for that of a failure once the open report is removed.
    if (!isFull(error) || Buffer.byteLength(document) >= BLOCK_BYTES) throw error;
    await dropReport(layout, disk, run);
    await openReport(layout, disk, run, document);
  }
  await disk.put(layout.lastReport, `${document}\n`);
}

/** Removes the open report of a run that did not begin. */
export async function dropReport(layout: Layout, disk: Disk, run: string): Promise<void> {
  await disk.remove(layout.reportOf(run));
}

/** Names of the runs with a report, oldest first. */
export async function reportNames(layout: Layout, disk: Disk): Promise<string[]> {
  return (await disk.list(layout.runs))
    .filter((name) => name.endsWith('.json') && name !== basename(layout.lastReport))
    .map((name) => name.slice(0, -'.json'.length))
    .sort();
}

/** The report of a run; undefined if it is missing or unreadable. */
export async function readReport(
  layout: Layout,
  disk: Disk,
  run: string,
): Promise<RunReport | undefined> {
  const text = await disk.read(layout.reportOf(run)).catch(() => '');
  return runReport(text, run);
}

/** The report of a run in a JSON text; undefined if it is none. */
export function runReport(text: string, run?: string): RunReport | undefined {
  return reportSchema.safeParse({ run, ...(jsonIn(text) as object | undefined) }).data;
}

/** The report of a run in a JSON text. Throws for any other text. */
export function parseReport(text: string, run?: string): RunReport {
  return reportSchema.parse({ run, ...JSON.parse(text) });
}
