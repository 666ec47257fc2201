import type { Effects } from '../../../effects.ts';
import type { Alert, LostAlert, PipelineAlerts, WaitingAlert } from '../rules/alert-state.ts';
import { attempts, type Deliver } from './receiver.ts';

export interface Undelivered {
  readonly to: string;
  readonly reason: string;
}

export interface DeliveryJob {
  readonly destinations: ReadonlyMap<string, Deliver>;
  readonly effects: Effects;
  /** Called after each delivery with the state without it. */
  readonly save: (state: PipelineAlerts) => Promise<void>;
}

/** All attempts of one call end in this time. */
const PASS_MS = 60_000;
const GIVE_UP_AFTER_MS = 7 * 86_400_000;
/** Given-up alerts that are remembered until a later alert names their number. */
const MOST_LOST = 100;

/**
 * Delivers all waiting alerts, each destination in the order of the alerts. A delivery is recorded
 * after it: a process that ends in between delivers that alert again, with the same id. Alerts that
 * no attempt of a week could deliver are given up, and the next one says so. Returns those that
 * stay undelivered.
 */
export async function deliverWaiting(
  before: PipelineAlerts,
  job: DeliveryJob,
): Promise<readonly Undelivered[]> {
  const { destinations, effects, save } = job;
  let state = withoutLost(before, destinations, effects.now());
  if (state !== before) await save(state);
  const deadlineMs = effects.now() + PASS_MS;
  const undelivered: Undelivered[] = [];
  await Promise.all(
    [...destinations].map(async ([to, deliver]) => {
      const deliveries = state.waiting.filter((waiting) => waiting.to.includes(to));
      for (const { alert } of deliveries) {
        const message = withNote(alert, state.lost.filter((lost) => lost.to === to).length);
        const reason = await attempts(() => deliver(message), effects, deadlineMs);
        if (reason !== undefined) {
          undelivered.push({ to, reason });
          return;
        }
        state = delivered(state, alert.id, to);
        await save(state);
      }
    }),
  );
  return undelivered;
}

function delivered(state: PipelineAlerts, id: string, to: string): PipelineAlerts {
  const lost = state.lost.filter((alert) => alert.to !== to);
  return {
    ...state,
    lost,
    waiting: without(state.waiting, (alert, name) => alert.id === id && name === to),
  };
}

/** Gives up alerts that are too old, or whose destination the pipeline no longer has. */
function withoutLost(
  state: PipelineAlerts,
  destinations: ReadonlyMap<string, Deliver>,
  nowMs: number,
): PipelineAlerts {
  const isLost = (alert: Alert, to: string): boolean =>
    !destinations.has(to) || nowMs - alert.atMs > GIVE_UP_AFTER_MS;
  const lost = state.waiting.flatMap(({ alert, to }): LostAlert[] =>
    to
      .filter((name) => isLost(alert, name))
      .map((name) => ({ id: alert.id, to: name, text: alert.text, atMs: alert.atMs })),
  );
  if (lost.length === 0) return state;
  return {
    ...state,
    waiting: without(state.waiting, isLost),
    lost: [...state.lost, ...lost].slice(-MOST_LOST),
  };
}

function without(
  waiting: readonly WaitingAlert[],
  isOver: (alert: Alert, to: string) => boolean,
): WaitingAlert[] {
  return waiting
    .map(({ alert, to }) => ({ alert, to: to.filter((name) => !isOver(alert, name)) }))
    .filter(({ to }) => to.length > 0);
}

function withNote(alert: Alert, lost: number): Alert {
  if (lost === 0) return alert;
  const noun = lost === 1 ? 'alert' : 'alerts';
  const text = `${alert.text} ${lost} earlier ${noun} could not be delivered here.`;
  return { ...alert, text };
}
