import type { Alert } from '../rules/alert-state.ts';

/**
 * An alert as a JSON document, for webhooks and commands. Receivers of chat messages, as of Slack,
 * show `text`.
 */
export function alertDocument(alert: Alert): string {
  const { id, on, rule, pipeline, atMs, sinceMs, text, run, exitCode, details } = alert;
  return JSON.stringify({
    schemaVersion: 1,
    text,
    id,
    on,
    rule,
    pipeline,
    at: new Date(atMs).toISOString(),
    since: sinceMs === null ? null : new Date(sinceMs).toISOString(),
    run,
    exitCode,
    details,
  });
}
