import { z } from 'zod';

/** The part of a run's report (JSON) that its page shows. Other versions may write other fields. */

const counts = z.record(z.string(), z.number());
const row = z.record(z.string(), z.unknown());

export const reportedRunSchema = z.looseObject({
  run: z.string(),
  pipeline: z.string(),
  startedAt: z.iso.datetime(),
  /** Absent for a run that was killed or has not ended. */
  endedAt: z.iso.datetime().nullish(),
  /** Why the run failed. */
  error: z.looseObject({ message: z.string(), advice: z.string().nullish() }).nullish(),
  exitCode: z.int().nullish(),
  nothingToDo: z.boolean().nullish(),
  left: z.number().nullish(),
  planned: z
    .looseObject({
      requests: z.number().nullish(),
      slices: z.number().nullish(),
      rows: z.number().nullish(),
      bytes: z.number().nullish(),
      minutes: z.number().nullish(),
      isLowerBound: z.boolean().nullish(),
    })
    .nullish(),
  actual: z
    .looseObject({
      requests: z.number().nullish(),
      rejections: z.number().nullish(),
      bytes: z.number().nullish(),
      slices: z.number().nullish(),
      commits: z.number().nullish(),
      rows: z.number().nullish(),
      rowsReplaced: z.number().nullish(),
      quarantined: z.number().nullish(),
      statuses: counts.nullish(),
      drift: counts.nullish(),
      absent: counts.nullish(),
    })
    .nullish(),
  pace: z
    .looseObject({
      ceilingPerSecond: z.number().nullish(),
      limitedBy: z.string().nullish(),
      medianLatencyMs: z.number().nullish(),
    })
    .nullish(),
  /** Samples of the run's requests, oldest first. */
  rate: z
    .array(
      z.object({
        seconds: z.number(),
        requests: z.number(),
        rejections: z.number(),
        ceilingPerSecond: z.number().nullable(),
      }),
    )
    .nullish(),
  failed: z
    .array(
      z.looseObject({
        endpoint: z.string().nullish(),
        from: z.number().nullish(),
        to: z.number().nullish(),
        reason: z.string().nullish(),
      }),
    )
    .nullish(),
  captured: z
    .array(
      z.looseObject({
        name: z.string(),
        readings: z.number(),
        rows: z.number(),
        gaps: z.number(),
      }),
    )
    .nullish(),
  checks: z
    .array(
      z.looseObject({
        check: z.string(),
        severity: z.string(),
        findings: z.number(),
        /** The first findings, with their evidence. */
        examples: z.array(row).nullish(),
      }),
    )
    .nullish(),
});

export type ReportedRun = z.infer<typeof reportedRunSchema>;
