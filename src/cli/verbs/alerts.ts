import type { Effects } from '../../effects.ts';
import { Fault } from '../../fault.ts';
import { layout } from '../../land/storage/layout.ts';
import type { AlertRule } from '../../pipeline/alert-settings.ts';
import { durationText, momentText } from '../../pipeline/syntax/duration.ts';
import { attempts } from '../../run/alerts/deliver/receiver.ts';
import { newAlerts, type PipelineAlerts } from '../../run/alerts/rules/alert-state.ts';
import { type AlertJob, openAlerts, sendAlerts } from '../../run/alerts/send-alerts.ts';
import { type LoadedPipeline, loadPipeline } from '../../run/job/pipeline-file.ts';
import { alertJob } from '../../run/shell/alert-job.ts';
import { many } from '../terminal/console.ts';
import { data, needed, textOption } from '../terminal/options.ts';
import type { VerbOf, VerbResult } from '../terminal/verb-result.ts';

const ACTIONS = ['show', 'check', 'test'] as const;

export const alertsOptions = {
  options: {
    action: needed(
      textOption('show (the default), check (evaluate the rules now) or test (send a test alert)'),
    ),
    pipeline: textOption('A pipeline file'),
    data,
  },
  examples: {
    '$0 alerts my.yaml': 'the rules, their state, and alerts that wait',
    '$0 alerts test my.yaml': 'send a test alert to each destination',
    '$0 alerts check my.yaml': 'for cron: tell of runs that did not happen',
  },
};

/** `windrow alerts`: shows, checks or tests the alert rules of a pipeline. */
export const alertsVerb: VerbOf<typeof alertsOptions> = async (input, output) => {
  const action = ACTIONS.find((name) => name === input.action);
  const file = action === undefined ? (input.pipeline ?? input.action) : input.pipeline;
  if (file === undefined || (action === undefined && input.pipeline !== undefined)) {
    const text = `The actions are ${ACTIONS.join(', ')}.`;
    const verb = action ?? 'show';
    const advice = { text, command: `windrow alerts ${verb} PIPELINE` };
    throw new Fault('usage', 'windrow alerts needs the path of a pipeline.', { advice });
  }
  const loaded = await loadPipeline(file, {});
  const { effects } = output;
  const job = await alertJob(loaded, layout(input.data), effects, process.env);
  if (action !== undefined && action !== 'show') output.log?.work();
  if (action === 'test') return sendTests(loaded, job, effects);
  if (action === 'check') return checkNow(loaded, job);
  return showRules(loaded, job, effects);
};

async function checkNow({ pipeline }: LoadedPipeline, job: AlertJob): Promise<VerbResult> {
  const { alerts, undelivered } = await sendAlerts(job);
  const exitCode = undelivered.length > 0 ? 1 : 0;
  const lines = alerts.map(({ text }) => text);
  if (alerts.length === 0) lines.push(`No rule of ${pipeline.name} has a new alert.`);
  const document = { pipeline: pipeline.name, alerts, undelivered, exitCode };
  return { document, lines, exitCode };
}

async function sendTests(
  { pipeline }: LoadedPipeline,
  job: AlertJob,
  effects: Effects,
): Promise<VerbResult> {
  const nowMs = effects.now();
  const results: { to: string; isDelivered: boolean; reason: string }[] = [];
  for (const [to, deliver] of job.destinations) {
    const alert = {
      id: `test_${nowMs}_${to}`,
      on: 'test',
      rule: 'test',
      pipeline: pipeline.name,
      atMs: nowMs,
      sinceMs: null,
      text: `${pipeline.name}: this is a test of the alert destination ${to}.`,
      run: null,
      exitCode: null,
      details: {},
    };
    const reason = await attempts(() => deliver(alert), effects, nowMs);
    results.push({ to, isDelivered: reason === undefined, reason: reason ?? '' });
  }
  const exitCode = results.every(({ isDelivered }) => isDelivered) ? 0 : 1;
  const lines = results.map(({ to, isDelivered, reason }) =>
    isDelivered ? `${to}: delivered` : `${to}: FAILED: ${reason}`,
  );
  if (results.length === 0) {
    lines.push('The pipeline has no alert destination: see docs/alerts.md.');
  }
  const document = { pipeline: pipeline.name, destinations: results, exitCode };
  return { document, lines, exitCode };
}

async function showRules(
  { pipeline }: LoadedPipeline,
  job: AlertJob,
  effects: Effects,
): Promise<VerbResult> {
  const { values } = await openAlerts(job);
  const state = values[pipeline.name] ?? newAlerts(effects.now(), [], null);
  const { rules } = pipeline.alerts;
  const lines = rules.map((rule) => ruleText(rule, state));
  if (rules.length === 0) lines.push('The pipeline has no alert rule: see docs/alerts.md.');
  lines.push(...deliveryLines(state));
  return { document: { pipeline: pipeline.name, rules, state }, lines, exitCode: 0 };
}

function ruleText(rule: AlertRule, { rules }: PipelineAlerts): string {
  const state = rules[rule.id];
  const head = `${rule.id} to ${rule.to.join(', ')}, at most every ${durationText(rule.everyMs)}:`;
  const last =
    state === undefined || state.alertedMs === null
      ? 'no alert yet'
      : `last alert ${momentText(state.alertedMs)}`;
  const since = state?.sinceMs ?? null;
  return since === null ? `${head} ${last}` : `${head} ON since ${momentText(since)}, ${last}`;
}

function deliveryLines({ waiting, lost, lastSuccessMs }: PipelineAlerts): string[] {
  const success =
    lastSuccessMs === null
      ? 'No successful run since these rules exist.'
      : `Last successful run: ${momentText(lastSuccessMs)}.`;
  return [
    success,
    ...waiting.map(({ alert, to }) => `Waits for ${to.join(', ')}: ${alert.text}`),
    ...(lost.length === 0 ? [] : [`${many(lost.length, 'alert')} given up after a week:`]),
    ...lost.map(({ to, text }) => `  for ${to}: ${text}`),
  ];
}
