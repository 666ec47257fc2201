const EVALUATE = ['test/unit/alerts/rules/evaluate.test.ts'];
const SEND = ['test/unit/alerts/send-alerts.test.ts'];
const MONTH = ['test/long/integration/run/month.test.ts'];
const WEBHOOK = ['test/unit/alerts/deliver/webhook.test.ts'];

/**
 * Guards of alerts; see guards.mjs.
 *
 * @type {readonly import('./guards.d.mts').Guard[]}
 */
export const ALERT_GUARDS = [
  {
    name: 'runs that were evaluated before',
    file: 'src/alerts/rules/evaluate.ts',
    text: 'if (outcome !== undefined && isEvaluated(before, outcome.run))',
    without: 'if (outcome !== undefined && outcome.run.length === 0)',
    tests: EVALUATE,
  },
  {
    name: 'clocks that were set back',
    file: 'src/alerts/rules/evaluate.ts',
    text: 'return Math.abs(atMs - state.alertedMs) >= rule.everyMs;',
    without: 'return atMs - state.alertedMs >= rule.everyMs;',
    tests: EVALUATE,
  },
  {
    name: 'recoveries of episodes without an alert',
    file: 'src/alerts/rules/evaluate.ts',
    text: 'if (known.isAlerted && state.sinceMs === null)',
    without: 'if (known.sinceMs !== null && state.sinceMs === null)',
    tests: EVALUATE,
  },
  {
    name: 'alerts that are stored before they are sent',
    file: 'src/alerts/send-alerts.ts',
    text: 'if (isChanged) await save(state);',
    without: 'if (isChanged === undefined) await save(state);',
    tests: SEND,
  },
  {
    name: 'room for the state of alerts on a full disk',
    file: 'src/alerts/alert-store.ts',
    text: 'await this.#disk.remove(this.#reserve);',
    without: '',
    tests: SEND,
  },
  {
    name: 'the end of attempts to deliver',
    file: 'src/alerts/deliver/attempts.ts',
    text: 'failures >= MAX_ATTEMPTS || effects.now() + waitMs > deadlineMs',
    without: 'failures >= MAX_ATTEMPTS',
    tests: WEBHOOK,
  },
  {
    name: 'redirects of a webhook',
    file: 'src/alerts/deliver/webhook.ts',
    text: "const isFinal = error.kind === 'redirect' || error.kind === 'too-large';",
    without: "const isFinal = error.kind === 'too-large';",
    tests: WEBHOOK,
  },
  {
    name: 'answers of a mail server that repeat the login',
    file: 'src/alerts/deliver/email.ts',
    text: 'new DeliveryFailure(`the mail server',
    without: 'new DeliveryFailure(String(error) + `the mail server',
    tests: ['test/unit/alerts/deliver/email.test.ts'],
  },
  {
    name: 'failed runs that leave a partial episode open',
    file: 'src/alerts/rules/evaluate.ts',
    text: "return isFailed ? undefined : outcome.end === 'partial';",
    without: "return outcome.end === 'partial';",
    tests: MONTH,
  },
  {
    name: 'the last success of runs that do not succeed',
    file: 'src/alerts/rules/evaluate.ts',
    text: "lastSuccessMs: outcome.end === 'complete' ? outcome.atMs : before.lastSuccessMs,",
    without: 'lastSuccessMs: outcome.atMs,',
    tests: MONTH,
  },
  {
    name: 'killed runs, which have failed',
    file: 'src/alerts/rules/evaluate.ts',
    text: "outcome.end === 'failed' || outcome.end === 'killed'",
    without: "outcome.end === 'failed'",
    tests: MONTH,
  },
  {
    name: 'blocks that a reorganisation replaced between runs',
    file: 'src/run/reorganisations.ts',
    text: 'if (from !== undefined) changed.set(table.dataset.name, from);',
    without: '',
    tests: MONTH,
  },
  {
    name: 'a first run that is killed',
    file: 'src/alerts/send-alerts.ts',
    text: 'if (isKilled && ended === undefined) names.pop();',
    without: '',
    tests: ['test/unit/alerts/send-alerts.test.ts'],
  },
  {
    name: 'signing keys that anybody could guess',
    file: 'src/alerts/deliver/webhook.ts',
    text: 'if (isWhole && key.length >= LEAST_KEY_BYTES) return key;',
    without: 'if (key.length >= 0) return key;',
    tests: ['test/unit/alerts/deliver/webhook.test.ts'],
  },
];
