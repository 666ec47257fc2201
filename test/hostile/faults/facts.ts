import type { Entry } from '../lists.ts';
import type { Ask, Fault } from '../server.ts';

/** Records whose fields contradict those of other records. */

type Wire = Entry['wire'];

/** Records of these operations, or of all if there are none, as `change` makes them in a share of the requests. */
export function changed(
  name: string,
  operations: readonly string[],
  change: (wire: Wire, entry: Entry, ask: Ask) => Wire,
  share = 1,
): Fault {
  return {
    name: `${name} in ${operations.map((path) => path.split('/').at(-1)).join(', ') || 'all lists'}`,
    answered: (ask, answer) => {
      const isChanged = operations.length === 0 || operations.includes(ask.kind.path);
      if (!isChanged || !(share === 1 || ask.random.chance(share))) return answer;
      const records = answer.records.map((record) => ({
        ...record,
        wire: change(record.wire, record, ask),
      }));
      return { ...answer, records };
    },
  };
}

const TIMES = ['transactionTime', 'blockTime'];

function withTimes(wire: Wire, timeOf: (ms: string) => string): Wire {
  const times = TIMES.filter((name) => name in wire).map((name) => {
    return [name, timeOf(String(wire[name]))] as const;
  });
  return { ...wire, ...Object.fromEntries(times) };
}

export type TimeFault = 'seconds' | 'zero' | 'a second late' | 'of the next block';

const TIME_FAULTS: Readonly<Record<TimeFault, (ms: string) => string>> = {
  seconds: (ms) => ms.slice(0, -3),
  zero: () => '0',
  'a second late': (ms) => String(Number(ms) + 1000),
  'of the next block': (ms) => String(Number(ms) + 12_000),
};

export function wrongTimes(how: TimeFault, operations: readonly string[], share = 1): Fault {
  const timeOf = TIME_FAULTS[how];
  return changed(`times: ${how}`, operations, (wire) => withTimes(wire, timeOf), share);
}

/** Some answers come from a replica with other blocks. */
export function otherHashes(operations: readonly string[], share: number): Fault {
  const other = (wire: Wire): Wire => ({
    ...wire,
    blockHash: `0xf${String(wire['blockHash']).slice(3)}`,
  });
  return changed('other block hashes', operations, other, share);
}

export type TransactionFault = 'height' | 'nonce' | 'from' | 'to';

const STRANGER = `0x${'9'.repeat(40)}`;

/** Some look-ups by hash give a transaction another block, nonce or party. */
export function otherTransactions(field: TransactionFault, share: number): Fault {
  const operations = ['mainchain/transaction/transaction-multi'];
  return changed(
    `another ${field}`,
    operations,
    (wire) => {
      if (field === 'from' || field === 'to') return { ...wire, [field]: STRANGER };
      return { ...wire, [field]: String(Number(wire[field]) + 1) };
    },
    share,
  );
}
