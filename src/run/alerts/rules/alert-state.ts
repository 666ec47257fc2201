import { z } from 'zod';

/** What happened to a rule since its last alert, and the time of that alert. */
const ruleStateSchema = z.object({
  /** Start of the episode under way; null while the condition does not hold. */
  sinceMs: z.number().nullable(),
  /** Whether the episode under way has had an alert. */
  isAlerted: z.boolean(),
  /** The last alert of the rule, of any episode. */
  alertedMs: z.number().nullable(),
  /** Episodes that began since that alert. */
  episodes: z.number(),
  /** Fields without an alert yet (`drift`). */
  fields: z.array(z.string()),
  /** Number of records without an alert yet (`quarantine`). */
  records: z.number(),
});
export type RuleState = z.infer<typeof ruleStateSchema>;

export const alertSchema = z.object({
  /** Every attempt to deliver the alert has this id, so receivers recognise repeats. */
  id: z.string(),
  /** The condition, or `recovered`, or `test`. */
  on: z.string(),
  rule: z.string(),
  pipeline: z.string(),
  atMs: z.number(),
  sinceMs: z.number().nullable(),
  /** One sentence. */
  text: z.string(),
  run: z.string().nullable(),
  exitCode: z.number().nullable(),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())])),
});
export type Alert = z.infer<typeof alertSchema>;

/** An alert that some destinations have not received yet. */
const waitingSchema = z.object({ alert: alertSchema, to: z.array(z.string()) });
export type WaitingAlert = z.infer<typeof waitingSchema>;

/** An alert that was given up, and has not been named in a later one yet. */
const lostSchema = z.object({ id: z.string(), to: z.string(), text: z.string(), atMs: z.number() });
export type LostAlert = z.infer<typeof lostSchema>;

export const pipelineAlertsSchema = z.object({
  watchedSinceMs: z.number(),
  /** Names of the newest runs that were evaluated, at most `MOST_NAMES`, sorted. */
  evaluated: z.array(z.string()),
  lastSuccessMs: z.number().nullable(),
  knownFields: z.array(z.string()),
  /** Number of alerts so far. */
  alerts: z.number(),
  rules: z.record(z.string(), ruleStateSchema),
  /** Oldest first. */
  waiting: z.array(waitingSchema),
  lost: z.array(lostSchema),
});
export type PipelineAlerts = z.infer<typeof pipelineAlertsSchema>;

/**
 * Enough that a clock that was set back by days hides no run: names of runs begin with their time.
 */
const MOST_NAMES = 500;

/** The state of a pipeline that was never evaluated; `evaluated` are the runs before. */
export function newAlerts(
  nowMs: number,
  evaluated: readonly string[],
  lastSuccessMs: number | null,
): PipelineAlerts {
  return {
    watchedSinceMs: nowMs,
    evaluated: evaluated.toSorted().slice(-MOST_NAMES),
    lastSuccessMs,
    knownFields: [],
    alerts: 0,
    rules: {},
    waiting: [],
    lost: [],
  };
}

/** Whether a run was evaluated, or is older than all runs that are remembered. */
export function isEvaluated(
  { evaluated }: Pick<PipelineAlerts, 'evaluated'>,
  run: string,
): boolean {
  if (evaluated.includes(run)) return true;
  return evaluated.length >= MOST_NAMES && run < (evaluated[0] ?? '');
}

export function withEvaluated(evaluated: readonly string[], run: string): string[] {
  return [...evaluated, run].sort().slice(-MOST_NAMES);
}

export const NO_EPISODE: RuleState = {
  sinceMs: null,
  isAlerted: false,
  alertedMs: null,
  episodes: 0,
  fields: [],
  records: 0,
};
