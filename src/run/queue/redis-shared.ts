import type { Effects } from '../../effects.ts';
import { redisCell, type ScriptServer } from '../../fetch/rate/cell/redis-cell.ts';
import { paceIn } from '../../fetch/rate/pace-record.ts';
import { keyName } from '../shared-key/key-folder.ts';
import type { SharedState } from '../shared-key/shared-state.ts';
import { sharedKey } from './redis.ts';
import { RedisQuota } from './redis-quota.ts';
import { redisTurn } from './redis-turn.ts';

/** The state in Redis. Names of keys are the same on each host, also after it has lost its data. */
export function redisShared(server: ScriptServer, worker: string, effects: Effects): SharedState {
  return {
    pace: (owner) => {
      const key = sharedKey('pace', keyName('redis', owner));
      return redisCell({ server, key, read: paceIn, effects });
    },
    quota: (owner, local) => {
      const key = sharedKey('quota', keyName('redis', owner));
      return new RedisQuota({ server, key, local, effects });
    },
    turn: redisTurn(server, worker, effects),
  };
}
