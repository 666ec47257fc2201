import type { Effects } from '../../effects.ts';
import type { TakenRequest } from '../../fetch/limits/admission.ts';
import type { ScriptServer } from '../../fetch/rate/cell/redis-cell.ts';
import type { DailyQuota, KeyQuota } from '../shared-key/daily-quota.ts';

export interface RedisQuotaOptions {
  readonly server: ScriptServer;
  readonly key: string;
  /** Counts the requests of this machine, which stay where Redis loses its data. */
  readonly local: DailyQuota;
  readonly effects: Pick<Effects, 'now'>;
}

const DAY_MS = 86_400_000;

/**
 * Counts a request of the day by the clock of Redis, or of a later day that was counted already.
 * The caller's own count of a day is the least one: Redis may have lost its data.
 */
const TAKE = `
local time = redis.call('TIME')
local there = redis.call('GET', KEYS[1]) or '0:0'
local day, used = there:match('(%d+):(%d+)')
day, used = tonumber(day), tonumber(used)
local function count(other, there)
  if other > day then day, used = other, there
  elseif other == day then used = math.max(used, there) end
end
count(math.floor(time[1] / 86400), 0)
count(tonumber(ARGV[2]), tonumber(ARGV[3]))
local granted = 0
if used < tonumber(ARGV[1]) then granted, used = 1, used + 1 end
redis.call('SET', KEYS[1], string.format('%d:%d', day, used))
return { granted, day, used, time[1] }`;

/** The daily quota of a key for processes on any host. */
export class RedisQuota implements KeyQuota {
  readonly perDay: number;
  readonly name: string;
  readonly #options: RedisQuotaOptions;
  #day = 0;
  #used: number;

  constructor(options: RedisQuotaOptions) {
    const { perDay, name } = options.local;
    this.perDay = perDay;
    this.name = name;
    this.#options = options;
    this.#used = options.local.used();
  }

  async take(): Promise<TakenRequest> {
    const { server, key, local, effects } = this.#options;
    const here = local.take();
    if (!here.isGranted) return here;
    const day = this.#day === 0 ? Math.floor(effects.now() / DAY_MS) : this.#day;
    const answer = await server.run(TAKE, [key], [this.perDay, day, this.#used]);
    const [isGranted, counted, used, seconds] = (answer as unknown[]).map(Number);
    this.#day = counted ?? day;
    this.#used = used ?? this.#used;
    if (isGranted === 1) return { isGranted: true, left: this.perDay - this.#used };
    const leftMs = (this.#day + 1) * DAY_MS - (seconds ?? 0) * 1000;
    return { isGranted: false, untilMs: effects.now() + leftMs };
  }

  /** As of the last request here. */
  used(): number {
    return Math.min(this.perDay, this.#used);
  }

  close(): void {
    this.#options.local.close();
  }
}
