import type { Lists } from '../lists.ts';
import type { Ask, Fault } from '../server.ts';
import { honestRecords } from '../server.ts';

/** Parameters that the service ignores, or takes for others. */

/** One protocol type is answered with the records of another. */
export function protocolTakenFor(protocol: string, answered: string): Fault {
  return {
    name: `${protocol} answered with ${answered}`,
    request: (ask) =>
      ask.params['protocolType'] === protocol
        ? { ...ask, params: { ...ask.params, protocolType: answered } }
        : ask,
  };
}

/** Every protocol type is answered with token_20. */
export const protocolIgnored: Fault = {
  name: 'protocolType ignored',
  request: (ask) =>
    ask.params['protocolType']?.startsWith('token') === true
      ? { ...ask, params: { ...ask.params, protocolType: 'token_20' } }
      : ask,
};

/** The keys are not looked at: every record of the range is listed. */
export function keysIgnored(lists: Lists): Fault {
  return {
    name: 'address ignored',
    records: (ask, records) => {
      const { keyParam: _keyParam, ...kind } = ask.kind;
      if (ask.kind.keyParam !== 'address') return records;
      return honestRecords(lists, { ...ask, kind });
    },
  };
}

/** The bounds are not looked at, or one of them. */
export function boundsIgnored(which: 'start' | 'end' | 'both'): Fault {
  return {
    name: `${which === 'both' ? 'both bounds' : `${which}BlockHeight`} ignored`,
    request: (ask) => {
      if (!ask.kind.isRanged) return ask;
      const from = which === 'end' ? ask.from : 0;
      const to = which === 'start' ? ask.to : Number.MAX_SAFE_INTEGER;
      return { ...ask, from, to };
    },
  };
}

/** Of several keys only the first ones are looked at. */
export function firstKeysOnly(count: number): Fault {
  return {
    name: `only the first ${count} addresses are looked at`,
    request: (ask: Ask) =>
      ask.kind.keyParam === 'address' ? { ...ask, keys: ask.keys.slice(0, count) } : ask,
  };
}

/** Lists show what an address sent, unless both sides are asked for by name. */
export const sentOnly: Fault = {
  name: 'lists by address show only what was sent',
  request: (ask) =>
    ask.kind.keyParam === 'address' && ask.kind.chain === 'MAINCHAIN'
      ? { ...ask, params: { isFromOrTo: 'from', ...ask.params } }
      : ask,
};
