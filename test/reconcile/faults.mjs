import { movements } from './ledger.mjs';
import { randomOf } from './random.mjs';
import { decimal } from './records.mjs';

/** Faults of an explorer: one record, or all records of one transaction, that its lists have wrong. */

/** How often each kind is chosen. */
const KINDS = [
  ['dropped', 4],
  ['doubled', 2],
  ['changed', 4],
  ['fee', 2],
  ['moved', 3],
  ['whole', 2],
].flatMap(([kind, weight]) => Array.from({ length: weight }, () => kind));
const LISTS = [
  ...['normal', 'normal', 'normal', 'internal', 'internal', 'internal'],
  ...['token_20', 'token_20', 'token_721', 'token_1155'],
];
const MOST_TRIES = 5_000;

/**
 * Up to `count` faults that change different assets of different addresses, with the records that
 * have them. `isWatched(address, key)` is true for an asset that agrees without faults. `kinds` and
 * `lists` narrow the choice.
 */
export function faultsIn(
  { records, blocks },
  { seed, count, from, to, isWatched, kinds = KINDS, lists = LISTS },
) {
  const random = randomOf(seed);
  const inRange = records.filter(({ height }) => height > from && height < to);
  const byList = new Map(LISTS.map((list) => [list, inRange.filter((row) => row.list === list)]));
  const taken = new Set();
  const hashes = new Set();
  const changes = new Map();
  const faults = [];
  for (let tries = 0; faults.length < count && tries < MOST_TRIES; tries += 1) {
    const kind = random.pick(kinds);
    const record = random.pick(byList.get(random.pick(lists)));
    const fault = faultOf(kind, record, { records: inRange, blocks, random });
    if (fault === undefined || hashes.has(record.hash)) continue;
    // A record of a fault that changes two balances of which one is unwatched would hide there.
    const slots = changedSlots(fault);
    const places = slots.map(({ address, key }) => `${address} ${key}`);
    const isFree = slots.every(({ address, key }) => isWatched(address, key) !== false);
    const watched = slots.filter(({ address, key }) => isWatched(address, key) === true);
    if (!isFree || watched.length === 0 || places.some((place) => taken.has(place))) continue;
    for (const place of places) taken.add(place);
    hashes.add(record.hash);
    for (const [one, others] of fault.changes) changes.set(one, others);
    faults.push({ ...fault, slots: watched.map(({ address, key }) => `${address} ${key}`) });
  }
  return { faults, records: records.flatMap((record) => changes.get(record) ?? [record]) };
}

/** A fault, with its changes from a record to the records that lists have in its place. */
function faultOf(kind, record, { records, blocks, random }) {
  const { list, hash, height, raw, moves, places, wire } = record;
  const sign = random.chance(0.5) ? 1n : -1n;
  const truth = { kind, list, hash, height, record };
  const having = (...others) => ({ ...truth, changes: new Map([[record, others]]) });
  switch (kind) {
    case 'dropped':
      return having();
    case 'doubled':
      // A transaction that a list has twice is found without a node.
      return list === 'normal' ? undefined : having(record, record);
    case 'changed': {
      if (!moves || raw === 0n || list === 'token_721') return undefined;
      const other = raw + sign;
      return having({ ...record, raw: other, wire: { ...wire, amount: decimal(other, places) } });
    }
    case 'fee': {
      if (list !== 'normal') return undefined;
      const fee = record.fee + sign;
      return having({ ...record, fee, wire: { ...wire, txFee: decimal(fee, places) } });
    }
    case 'moved': {
      const block = blocks[height + Number(sign)];
      const place = {
        blockHash: block.hash,
        height: String(block.height),
        transactionTime: String(Number(block.timestamp) * 1000),
      };
      const inBlock = (row) => ({
        ...row,
        height: block.height,
        wire: { ...row.wire, ...place },
      });
      // Lists that disagree about the block of a transaction are found without a node.
      const all = records.filter((row) => row.hash === hash);
      return { ...truth, changes: new Map(all.map((row) => [row, [inBlock(row)]])) };
    }
    case 'whole': {
      const all = records.filter((row) => row.hash === hash);
      if (all.length === 1) return undefined;
      return { ...truth, changes: new Map(all.map((row) => [row, []])) };
    }
  }
}

/** The assets of addresses whose sums a fault changes, or whose heights. */
function changedSlots({ kind, changes }) {
  const sums = new Map();
  const heights = new Set();
  const add = (record, sign) => {
    for (const [address, key, amount] of movements(record)) {
      const slot = `${address} ${key}`;
      sums.set(slot, (sums.get(slot) ?? 0n) + sign * amount);
      if (amount !== 0n) heights.add(slot);
    }
  };
  for (const [record, others] of changes) {
    add(record, -1n);
    for (const other of others) add(other, 1n);
  }
  const changed =
    kind === 'moved'
      ? [...heights]
      : [...sums].flatMap(([slot, sum]) => (sum === 0n ? [] : [slot]));
  return changed.map((slot) => {
    const [address, key] = slot.split(' ');
    return { address, key };
  });
}
