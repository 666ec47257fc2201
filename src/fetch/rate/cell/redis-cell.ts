import type { Effects } from '../../../effects.ts';
import { Fault } from '../../../fault.ts';
import type { PaceCell } from './pace-cell.ts';

/** A Redis server that runs a script over keys; rejects with a Fault while it does not answer. */
export interface ScriptServer {
  run(
    script: string,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown>;
}

export interface RedisCellOptions<Value> {
  readonly server: ScriptServer;
  readonly key: string;
  /** Reads a value from JSON; throws if it is damaged. */
  readonly read: (json: unknown) => Value;
  readonly effects: Pick<Effects, 'now' | 'log'>;
}

const VISIT_MS = 50;
const MOST_TRIES = 1000;
/** A value that was computed longer ago, or by a clock that differs more, is computed again. */
const LATE_MS = 500;

/**
 * Replaces the text at a key if it is the expected one and the writer's time is that of the server.
 * Returns whether it did, the text that is there, and the time.
 */
const SWAP = `
local time = redis.call('TIME')
local late = math.abs(time[1] * 1000 + time[2] / 1000 - ARGV[3])
local there = redis.call('GET', KEYS[1]) or ''
if there ~= ARGV[1] or late > ${LATE_MS} then return { 0, there, time[1], time[2] } end
redis.call('SET', KEYS[1], ARGV[2])
return { 1, ARGV[2], time[1], time[2] }`;

/** No value is this text, so that nothing is replaced. */
const NO_VALUE = '-';

/**
 * A value in Redis for processes on any host. The time is that of Redis: each exchange bounds the
 * difference between the two clocks by its own duration, and a value that was computed at another
 * time is refused. So a process whose clock is wrong, or that was stopped for a while, writes no
 * wrong time.
 */
export async function redisCell<Value>(options: RedisCellOptions<Value>): Promise<PaceCell<Value>> {
  const { server, key, read, effects } = options;
  const where = `the key ${key} of Redis`;
  /** Bounds of the time of Redis less the time of this process. */
  let ahead = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  let text = '';

  const now = (): number => Math.round(effects.now() + (ahead.low + ahead.high) / 2);

  const swap = async (expected: string, value: string, atMs: number): Promise<boolean> => {
    const sentMs = effects.now();
    const answer = await server.run(SWAP, [key], [expected, value, atMs]);
    const [isSwapped, there, seconds, micros] = answer as [number, string, string, string];
    const timeMs = Number(seconds) * 1000 + Number(micros) / 1000;
    const bounds = { low: timeMs - effects.now(), high: timeMs - sentMs };
    const low = Math.max(ahead.low, bounds.low);
    const high = Math.min(ahead.high, bounds.high);
    // Bounds without a common part: a clock was set, or has drifted.
    ahead = low <= high ? { low, high } : bounds;
    text = there;
    return isSwapped === 1;
  };

  const valueIn = (json: string): Value | undefined => {
    if (json === '') return undefined;
    try {
      return read(JSON.parse(json));
    } catch {
      effects.log('warn', `The rate in ${where} is damaged and is replaced.`);
      return undefined;
    }
  };

  await swap(NO_VALUE, '', 0);
  return {
    visitMs: VISIT_MS,
    where,
    now,
    update: async (change) => {
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const atMs = now();
        if (await swap(text, JSON.stringify(change(valueIn(text))), atMs)) return;
      }
      throw new Fault('throttled', `Other processes changed ${where} ${MOST_TRIES} times.`, {
        advice: 'Run fewer workers with one key, or a Redis that is nearer to them.',
      });
    },
  };
}
