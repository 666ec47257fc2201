import type { Effects } from '../../effects.ts';
import type { ScriptServer } from '../../fetch/rate/cell/redis-cell.ts';
import type { CommitTurn } from '../../land/delta/stored-table.ts';
import { sharedKey } from './redis.ts';

/** A turn ends after this time, because its holder may have been killed. */
const TURN_MS = 30_000;
const WAIT_MS = 20;
/** A commit waits no longer than this for Redis, which is no part of it. */
const PATIENCE_MS = 1000;

const TAKE = `
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ${TURN_MS}) then return 1 end
return 0`;
const GIVE_BACK = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1`;

/**
 * Turns at a table, which save the work of lost races. A commit without one, or with one that has
 * expired, races for its version as ever.
 */
export function redisTurn(
  server: ScriptServer,
  holder: string,
  effects: Pick<Effects, 'sleep' | 'random'>,
): CommitTurn {
  const ask = async (script: string, table: string): Promise<unknown> => {
    const answer = server.run(script, [sharedKey('turn', table)], [holder]).catch(() => 1);
    const ended = new AbortController();
    const late = effects.sleep(PATIENCE_MS, ended.signal).catch(() => undefined);
    const first = await Promise.race([answer, late]);
    ended.abort();
    return first ?? 1;
  };
  return async (table, commit) => {
    for (let waitedMs = 0; waitedMs < TURN_MS; ) {
      if ((await ask(TAKE, table)) === 1) break;
      const waitMs = WAIT_MS * (1 + 2 * effects.random());
      await effects.sleep(waitMs);
      waitedMs += waitMs;
    }
    try {
      return await commit();
    } finally {
      await ask(GIVE_BACK, table);
    }
  };
}
