import { createHash } from 'node:crypto';
import type { AlertRule } from '../../../pipeline/alert-settings.ts';
import { durationText, momentText } from '../../../pipeline/syntax/duration.ts';
import {
  type Alert,
  isEvaluated,
  NO_EPISODE,
  type PipelineAlerts,
  type RuleState,
  withEvaluated,
} from './alert-state.ts';
import type { RunOutcome } from './outcome.ts';

/** A run that ended, or only a look at the clock. */
export interface Observation {
  readonly atMs: number;
  readonly outcome?: RunOutcome;
}

/**
 * The alerts that an observation causes, and the state after it. Pure: the same observations in the
 * same order give the same alerts with the same ids. A run that was evaluated before is ignored.
 */
export function evaluate(
  pipeline: string,
  rules: readonly AlertRule[],
  before: PipelineAlerts,
  observation: Observation,
): { readonly state: PipelineAlerts; readonly alerts: readonly Alert[] } {
  const { atMs, outcome } = observation;
  if (outcome !== undefined && isEvaluated(before, outcome.run))
    return { state: before, alerts: [] };
  const seen = withOutcome(before, outcome);
  const news = (outcome?.drift ?? []).filter((field) => !before.knownFields.includes(field));
  const drafts: Omit<Alert, 'id'>[] = [];
  const ended: { readonly rule: AlertRule; readonly state: RuleState }[] = [];
  const states: Record<string, RuleState> = {};
  const alertOf = (rule: AlertRule, state: RuleState): Omit<Alert, 'id'> => ({
    on: rule.on,
    rule: rule.id,
    pipeline,
    atMs,
    sinceMs: state.sinceMs,
    run: outcome?.run ?? null,
    exitCode: outcome?.exitCode ?? null,
    ...contentOf(pipeline, rule, state, seen, outcome),
  });
  for (const rule of rules) {
    const lastState = before.rules[rule.id] ?? NO_EPISODE;
    const state = gathered(rule, lastState, seen, observation, news);
    states[rule.id] = state;
    if (lastState.isAlerted && state.sinceMs === null) ended.push({ rule, state: lastState });
    if (!isDue(rule, state, atMs)) continue;
    drafts.push(alertOf(rule, state));
    states[rule.id] = alerted(state, atMs);
  }
  for (const rule of rules) {
    if (rule.on !== 'recovered' || ended.length === 0) continue;
    drafts.push({ ...alertOf(rule, NO_EPISODE), ...recoveryOf(pipeline, ended, atMs) });
    states[rule.id] = alerted(NO_EPISODE, atMs);
  }
  const alerts = drafts.map((alert, i) => ({ id: idOf(alert, before.alerts + i), ...alert }));
  return { state: { ...seen, rules: states, alerts: before.alerts + drafts.length }, alerts };
}

function withOutcome(before: PipelineAlerts, outcome: RunOutcome | undefined): PipelineAlerts {
  if (outcome === undefined) return before;
  return {
    ...before,
    evaluated: withEvaluated(before.evaluated, outcome.run),
    lastSuccessMs: outcome.end === 'complete' ? outcome.atMs : before.lastSuccessMs,
    knownFields: [...new Set([...before.knownFields, ...outcome.drift])].sort(),
  };
}

/** The state of a rule with the observation and new fields of records, before an alert. */
function gathered(
  rule: AlertRule,
  state: RuleState,
  seen: PipelineAlerts,
  { atMs, outcome }: Observation,
  news: readonly string[],
): RuleState {
  if (rule.on === 'drift') return { ...state, fields: [...state.fields, ...news] };
  if (rule.on === 'quarantine') {
    return { ...state, records: state.records + (outcome?.quarantined ?? 0) };
  }
  const holds = isHolding(rule, seen, atMs, outcome);
  if (holds === undefined || holds === (state.sinceMs !== null)) return state;
  if (!holds) return { ...state, sinceMs: null, isAlerted: false };
  return { ...state, sinceMs: atMs, isAlerted: false, episodes: state.episodes + 1 };
}

/** Whether the condition holds; undefined if the observation does not decide it. */
function isHolding(
  rule: AlertRule,
  seen: PipelineAlerts,
  atMs: number,
  outcome: RunOutcome | undefined,
): boolean | undefined {
  // Before the first success, the begin of watching counts.
  const freshMs = seen.lastSuccessMs ?? seen.watchedSinceMs;
  if (rule.on === 'stale') return atMs - freshMs > rule.afterMs;
  if (outcome === undefined || outcome.end === 'undecided') return undefined;
  const isFailed = outcome.end === 'failed' || outcome.end === 'killed';
  if (rule.on === 'failed') return isFailed;
  if (rule.on === 'partial') return isFailed ? undefined : outcome.end === 'partial';
  if (rule.on === 'reconciliation') {
    return outcome.differing === undefined ? undefined : outcome.differing > 0;
  }
  if (rule.on !== 'checks' || outcome.findings === undefined) return undefined;
  return Object.keys(outcome.findings).length > 0;
}

/** Whether the rule has something to say, and its interval has passed. */
function isDue(rule: AlertRule, state: RuleState, atMs: number): boolean {
  const isOpen = state.sinceMs !== null || state.fields.length > 0 || state.records > 0;
  if (!isOpen || state.alertedMs === null) return isOpen;
  // A clock that was set back a little must not repeat an alert; one set back by more must not
  // silence the rule.
  return Math.abs(atMs - state.alertedMs) >= rule.everyMs;
}

function alerted(state: RuleState, atMs: number): RuleState {
  const isAlerted = state.sinceMs !== null;
  return { ...state, isAlerted, alertedMs: atMs, episodes: 0, fields: [], records: 0 };
}

/** The text of an alert, and its figures for programs. */
function contentOf(
  pipeline: string,
  rule: AlertRule,
  state: RuleState,
  seen: PipelineAlerts,
  outcome: RunOutcome | undefined,
): Pick<Alert, 'text' | 'details'> {
  const again =
    state.isAlerted && state.sinceMs !== null
      ? ` This is so since ${momentText(state.sinceMs)}.`
      : '';
  const earlier =
    state.episodes > 1
      ? ` It is the ${ordinal(state.episodes)} time since the last alert of this rule.`
      : '';
  const { clause, details } = findingOf(rule, state, seen, outcome);
  const end = clause.endsWith('.') ? '' : '.';
  return { text: `${pipeline}: ${clause}${end}${again}${earlier}`, details };
}

function findingOf(
  rule: AlertRule,
  state: RuleState,
  seen: PipelineAlerts,
  { run = '', reason = '', findings = {}, differing = 0 }: Partial<RunOutcome> = {},
): { readonly clause: string; readonly details: Alert['details'] } {
  const because = reason === '' ? '' : `: ${reason}`;
  const details = reason === '' ? {} : { reason };
  switch (rule.on) {
    case 'failed':
      return { clause: `run ${run} failed${because}`, details };
    case 'partial':
      return { clause: `run ${run} is partial${because}`, details };
    case 'stale': {
      const { lastSuccessMs } = seen;
      const last =
        lastSuccessMs === null
          ? 'No run has succeeded yet'
          : `The last ended ${momentText(lastSuccessMs)}`;
      return { clause: `no successful run for ${durationText(rule.afterMs)}. ${last}`, details };
    }
    case 'checks': {
      const list = Object.entries(findings).map(([check, count]) => `${check} ${count}`);
      const named = list.length === 0 ? '' : ` (${list.join(', ')})`;
      return { clause: `checks have findings${named}`, details: { ...findings } };
    }
    case 'reconciliation':
      return { clause: `the ledger differs from a witness in ${differing} places`, details };
    case 'drift': {
      const clause = `the fields of records changed: ${state.fields.join(', ')}`;
      return { clause, details: { fields: [...state.fields] } };
    }
    case 'quarantine': {
      const { records } = state;
      const more = records === 1 ? '1 more record is' : `${records} more records are`;
      return { clause: `${more} in quarantine. See windrow quarantine list`, details: { records } };
    }
    case 'recovered':
      return { clause: 'recovered', details };
  }
}

function ordinal(count: number): string {
  const tens = count % 100;
  const end = tens > 10 && tens < 14 ? 'th' : ({ 1: 'st', 2: 'nd', 3: 'rd' }[count % 10] ?? 'th');
  return `${count}${end}`;
}

function recoveryOf(
  pipeline: string,
  ended: readonly { readonly rule: AlertRule; readonly state: RuleState }[],
  atMs: number,
): Pick<Alert, 'text' | 'sinceMs' | 'details'> {
  const starts = ended.map(({ state }) => state.sinceMs ?? atMs);
  const sinceMs = Math.min(...starts);
  const rules = ended.map(({ rule }) => rule.id);
  const span = durationText(atMs - sinceMs);
  const text = `${pipeline}: recovered from ${rules.join(', ')} after ${span}.`;
  return { text, sinceMs, details: { rules } };
}

function idOf({ pipeline, rule, atMs }: Omit<Alert, 'id'>, serial: number): string {
  const text = JSON.stringify([pipeline, rule, atMs, serial]);
  return `alert_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
}
