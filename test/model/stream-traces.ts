import { Chance } from './chance.ts';

/**
 * Traces of a stream, made up from a seed, with the chain behind each and the truth about it by the
 * words of docs/stream.md. They share no code with src.
 */

export const HEIGHTS_PER_TRACE = 10;

interface Payload {
  readonly id: string;
  readonly height: number;
  /** Raw transactions by fragment. */
  readonly fragments: readonly (readonly string[])[];
  readonly hasTarget: boolean;
  readonly hasEnd: boolean;
}

interface Frame {
  readonly payload: Payload;
  readonly index: number | 'end';
  readonly isChanged?: boolean;
}

interface Judged {
  readonly state: string;
  readonly missing: number[];
  readonly sameOrder: boolean | null;
}

/** A transaction: where it was announced first, and its block on the chain. */
interface Outcome {
  readonly outcome: string;
  readonly first: readonly [payload: string, index: unknown, frame: number];
  readonly block: number | null;
}

export interface Truth {
  readonly payloads: Map<string, Judged>;
  readonly outcomes: Map<string, Outcome>;
}

export interface Block {
  readonly height: number;
  readonly raws: readonly string[];
  /** Whether lists give the places of its transactions. */
  readonly isPlaced: boolean;
}

/**
 * A trace, with the chain behind it and the state of each payload. `noise` is a frame that is not
 * readable, or the end of a connection, before the frame with this number.
 */
export function traceOf(number: number, seed: number) {
  const chance = new Chance(seed * 131 + number);
  const pick = (below: number): number => chance.between(0, below - 1);
  const rawOf = (): string => `0x01${Buffer.from(`${number}:${serial++}`).toString('hex')}`;
  let serial = 0;
  const payloads: Payload[] = [];
  const settings = { hasTarget: pick(2) === 0, hasEnd: pick(2) === 0 };
  const count = 1 + pick(4);
  for (let at = 0; at < count; at += 1) {
    const height = number * HEIGHTS_PER_TRACE + at;
    const again = pick(5) === 0 ? 2 : 1;
    const shared = Array.from({ length: 12 }, rawOf);
    for (let nth = 0; nth < again; nth += 1) {
      const length = 1 + pick(5);
      const fragments = Array.from({ length }, (_, index) =>
        shared.slice(index * 2, index * 2 + pick(3)),
      );
      payloads.push({ id: `0x${number}p${at}p${nth}`, height, fragments, ...settings });
    }
  }
  let frames: Frame[] = payloads.flatMap((payload) => [
    ...payload.fragments.map((_, index) => ({ payload, index })),
    ...(payload.hasEnd ? [{ payload, index: 'end' as const }] : []),
  ]);
  // Joined midway, and cut at the end.
  if (pick(3) === 0) frames = frames.slice(pick(3));
  if (pick(3) === 0) frames = frames.slice(0, Math.max(1, frames.length - pick(3)));
  frames = frames.filter(() => pick(12) !== 0);
  frames = frames.flatMap((frame) => (pick(12) === 0 ? [frame, frame] : [frame]));
  frames = frames.flatMap((frame) =>
    pick(60) === 0 && frame.index !== 'end' ? [frame, { ...frame, isChanged: true }] : [frame],
  );
  for (let i = 1; i < frames.length; i += 1) {
    const [before, frame] = [frames[i - 1], frames[i]];
    if (before === undefined || frame === undefined || pick(10) !== 0) continue;
    [frames[i - 1], frames[i]] = [frame, before];
  }
  const chain: Block[] = [];
  for (const height of new Set(payloads.map((payload) => payload.height))) {
    if (pick(3) === 0) continue;
    const newest = payloads.filter((payload) => payload.height === height).at(-1);
    const raws = newest?.fragments.flat() ?? [];
    const isReorganised = pick(4) === 0;
    const mined = isReorganised ? [...raws.slice(1), rawOf()] : raws;
    const listed = [mined, mined, mined.toReversed(), [...mined.slice(1), ...mined.slice(0, 1)]];
    chain.push({ height, raws: listed[pick(4)] ?? [], isPlaced: pick(4) > 0 });
  }
  const noise = frames.map(() => ['unreadable', 'disconnected'][pick(16)]);
  return { frames, noise, chain, truth: truthOf(frames, chain) };
}

/** States by the words of docs/stream.md, from the frames that arrived and the chain. */
function truthOf(frames: readonly Frame[], chain: readonly Block[]): Truth {
  const payloads = new Map<string, Judged>();
  const outcomes = new Map<string, Outcome>();
  const arrived = [...new Set(frames.map(({ payload }) => payload))];
  // An end message has no height: it counts if a fragment of its payload came before.
  const heightOf = (payload: Payload): number | undefined =>
    frames.some((frame) => frame.payload === payload && frame.index !== 'end')
      ? payload.height
      : undefined;
  const firstAt = (payload: Payload): number =>
    frames.findIndex((frame) => frame.payload === payload);
  const newest = Math.max(...arrived.map((payload) => heightOf(payload) ?? -1));
  for (const payload of arrived) {
    const copies = frames.filter((frame) => frame.payload === payload);
    const indexes = new Set(copies.flatMap(({ index }) => (index === 'end' ? [] : [index])));
    const target = payload.hasTarget && indexes.size > 0 ? payload.fragments.length - 1 : -1;
    const last = Math.max(target, ...indexes);
    const missing = Array.from({ length: last + 1 }, (_, i) => i).filter((i) => !indexes.has(i));
    const height = heightOf(payload);
    const rivals = arrived.filter((other) => height !== undefined && heightOf(other) === height);
    const block = chain.find((candidate) => candidate.height === height);
    const raws = payload.fragments.flatMap((all, index) => (indexes.has(index) ? all : []));
    for (const raw of raws) {
      const isSettled = block?.raws.includes(raw) === true;
      const outcome = block === undefined ? 'unknown' : isSettled ? 'settled' : 'dropped';
      const frame = frames.findIndex((candidate) => rawsOf(candidate).includes(raw));
      const { payload: first, index } = frames[frame] ?? { payload, index: 0 };
      const landed = isSettled ? payload.height : null;
      outcomes.set(raw, { outcome, first: [first.id, index, frame], block: landed });
    }
    const isWhole = missing.length === 0 && indexes.size > 0;
    const state = (): string => {
      if (copies.some(({ isChanged }) => isChanged)) return 'conflict';
      if (rivals.some((rival) => firstAt(rival) > firstAt(payload))) return 'superseded';
      if (block !== undefined) {
        if (raws.some((raw) => !block.raws.includes(raw))) return 'orphaned';
        return isWhole && block.raws.length === raws.length ? 'settled' : 'incomplete';
      }
      const isEnded = copies.some(({ index }) => index === 'end');
      const isPassed = height !== undefined && height < newest;
      if (isEnded || isPassed || indexes.has(target)) return isWhole ? 'complete' : 'incomplete';
      return 'open';
    };
    const judged = { state: state(), missing, sameOrder: null };
    const isCompared = judged.state === 'settled' && block?.isPlaced === true && raws.length > 0;
    const orders = [block?.raws.join(), block?.raws.toReversed().join()];
    const sameOrder = isCompared ? orders.includes(raws.join()) : null;
    payloads.set(payload.id, { ...judged, sameOrder });
  }
  return { payloads, outcomes };
}

export function rawsOf({ payload, index }: Frame): readonly string[] {
  return index === 'end' ? [] : (payload.fragments[index] ?? []);
}

export function messageOf(frame: Frame): object {
  const { payload, index, isChanged } = frame;
  if (index === 'end') return { payload_id: payload.id };
  return {
    payload_id: payload.id,
    index,
    ...(index === 0 ? { base: { gas_limit: '0x1' } } : { base: null }),
    diff: { transactions: rawsOf(frame), gas_used: isChanged === true ? '0x1' : '0x0' },
    metadata: { block_number: payload.height, new_account_balances: {}, receipts: {} },
    ...(payload.hasTarget ? { target_index: payload.fragments.length - 1 } : {}),
  };
}
