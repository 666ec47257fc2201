import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it } from 'vitest';
import { STREAM_TABLES } from '../../src/catalogue/stream/stream-tables.ts';
import { sqlFiles } from '../../src/curate/rule/sql-files.ts';
import { capturedColumns } from '../../src/land/captured-table.ts';
import { append } from '../../src/land/storage/appending.ts';
import { type FrameRows, frameRows } from '../../src/land/stream/frame-rows.ts';
import { casesOf } from '../fixtures/thorough.ts';

/**
 * Goal: the views of the stream decide the state of each payload, each missing index and the
 * outcome of each transaction as the generator of the traces knows them. Every trace has heights
 * and a network of its own, so one query answers for all. `RUNS=20000` plays more of them.
 */

const TRACES = casesOf(1000);
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const HEIGHTS_PER_TRACE = 10;

/** Numbers from 0 to below `below`, by the generator mulberry32. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below);
  };
}

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

interface Truth {
  readonly payloads: Map<string, Judged>;
  readonly outcomes: Map<string, string>;
}

interface Block {
  readonly height: number;
  readonly raws: readonly string[];
  /** Whether lists give the places of its transactions. */
  readonly isPlaced: boolean;
}

/** A trace, with the chain behind it and the state of each payload. */
function traceOf(number: number): {
  frames: Frame[];
  garbage: number;
  chain: Block[];
  truth: Truth;
} {
  const pick = random(SEED * 131 + number);
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
    if (before.payload === frame.payload) [frames[i - 1], frames[i]] = [frame, before];
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
  return { frames, garbage: pick(3), chain, truth: truthOf(frames, chain) };
}

/** States by the words of docs/stream.md, from the frames that arrived and the chain. */
function truthOf(frames: readonly Frame[], chain: readonly Block[]): Truth {
  const payloads = new Map<string, Judged>();
  const outcomes = new Map<string, string>();
  const arrived = [...new Set(frames.map(({ payload }) => payload))];
  // An end message has no height: it counts if a fragment of its payload came before.
  const heightOf = (payload: Payload): number | undefined =>
    frames.some((frame) => frame.payload === payload && frame.index !== 'end')
      ? payload.height
      : undefined;
  const firstAt = (payload: Payload): number =>
    frames.findIndex((each) => each.payload === payload);
  const newest = Math.max(...arrived.map((payload) => heightOf(payload) ?? -1));
  for (const payload of arrived) {
    const own = frames.filter((frame) => frame.payload === payload);
    const indexes = new Set(own.flatMap(({ index }) => (index === 'end' ? [] : [index])));
    const target = payload.hasTarget && indexes.size > 0 ? payload.fragments.length - 1 : -1;
    const last = Math.max(target, ...indexes);
    const missing = Array.from({ length: last + 1 }, (_, i) => i).filter((i) => !indexes.has(i));
    const height = heightOf(payload);
    const rivals = arrived.filter((each) => height !== undefined && heightOf(each) === height);
    const block = chain.find((each) => each.height === height);
    const raws = [...indexes].flatMap((index) => payload.fragments[index] ?? []);
    for (const raw of raws) {
      const isSettled = block?.raws.includes(raw) === true;
      outcomes.set(raw, block === undefined ? 'unknown' : isSettled ? 'settled' : 'dropped');
    }
    const isWhole = missing.length === 0 && indexes.size > 0;
    const state = (): string => {
      if (own.some(({ isChanged }) => isChanged)) return 'conflict';
      if (rivals.some((each) => firstAt(each) > firstAt(payload))) return 'superseded';
      if (block !== undefined) {
        if (raws.some((raw) => !block.raws.includes(raw))) return 'orphaned';
        return isWhole && block.raws.length === raws.length ? 'settled' : 'incomplete';
      }
      const isEnded = own.some(({ index }) => index === 'end');
      const isPassed = height !== undefined && height < newest;
      if (isEnded || isPassed || indexes.has(target)) return isWhole ? 'complete' : 'incomplete';
      return 'open';
    };
    const judged = { state: state(), missing, sameOrder: null };
    const isCompared = judged.state === 'settled' && block?.isPlaced === true && raws.length > 0;
    const orders = [block?.raws.join(), block?.raws.toReversed().join()];
    const sameOrder = isCompared ? orders.includes(payload.fragments.flat().join()) : null;
    payloads.set(payload.id, { ...judged, sameOrder });
  }
  return { payloads, outcomes };
}

function messageOf({ payload, index, isChanged }: Frame): object {
  if (index === 'end') return { payload_id: payload.id };
  return {
    payload_id: payload.id,
    index,
    ...(index === 0 ? { base: { gas_limit: '0x1' } } : { base: null }),
    diff: { transactions: payload.fragments[index], gas_used: isChanged === true ? '0x1' : '0x0' },
    metadata: { block_number: payload.height, new_account_balances: {}, receipts: {} },
    ...(payload.hasTarget ? { target_index: payload.fragments.length - 1 } : {}),
  };
}

describe('payloads of the stream', () => {
  it(`have the states of the generator (${TRACES} traces, seed ${SEED})`, async () => {
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    await connection.run('CREATE SCHEMA lake; CREATE SCHEMA curated');
    await connection.run(
      'CREATE TABLE curated.blocks (block_number BIGINT, block_hash VARCHAR, txn_count BIGINT)',
    );
    await connection.run(`CREATE TABLE curated.transactions (tx_hash VARCHAR, block_number BIGINT,
      block_time TIMESTAMPTZ, from_address VARCHAR, nonce DECIMAL(20,0), list_position BIGINT)`);
    const expected = { payloads: new Map(), outcomes: new Map<string, string>() };
    const rows = new Map<string, unknown[][]>(STREAM_TABLES.map(({ name }) => [name, []]));
    const hashOf = new Map<string, string>();
    const blocks: Block[] = [];
    let garbage = 0;
    for (let number = 0; number < TRACES; number += 1) {
      const trace = traceOf(number);
      const stream = { network: `t${number}`, newest: null, ofPayload: new Map() };
      const texts = trace.frames.map((each) => JSON.stringify(messageOf(each)));
      for (let i = 0; i < trace.garbage; i += 1) texts.push('{"index":');
      garbage += trace.garbage;
      const startMs = 1_700_000_000_000 + number * 100_000;
      for (const [frame, text] of texts.entries()) {
        const record = { frame, kind: 'text' as const, atMs: startMs + frame };
        const decoded = await frameRows({ ...record, bytes: Buffer.from(text) }, stream);
        for (const [name, added] of Object.entries(decoded)) rows.get(name)?.push(...(added as []));
        for (const row of (decoded as FrameRows).preconf_transactions ?? []) {
          hashOf.set(String(row.at(-2)), String(row[6]));
        }
      }
      for (const [id, payload] of trace.truth.payloads) expected.payloads.set(id, payload);
      for (const [raw, outcome] of trace.truth.outcomes) expected.outcomes.set(raw, outcome);
      blocks.push(...trace.chain);
    }
    for (const shape of STREAM_TABLES) {
      const columns = capturedColumns(shape);
      const list = columns.map(({ name, type }) => `"${name}" ${type}`).join(', ');
      await connection.run(`CREATE TEMP TABLE ${shape.name} (${list})`);
      const cells = (rows.get(shape.name) ?? []).map((row) => [...row, 0n, 'run']);
      await append(connection, shape.name, columns, cells as never);
      await connection.run(`CREATE TABLE lake.${shape.name} AS FROM temp.${shape.name}`);
      await connection.run(`DROP TABLE temp.${shape.name}`);
    }
    const inserted = (table: string, values: readonly string[]): Promise<unknown> =>
      connection.run(`INSERT INTO curated.${table} VALUES ${values.join(', ')}`);
    await inserted(
      'blocks',
      blocks.map(({ height, raws }) => `(${height}, '0x', ${raws.length})`),
    );
    await inserted(
      'transactions',
      blocks.flatMap(({ height, raws, isPlaced }) =>
        raws.map((raw, at) => {
          const place = isPlaced ? at + 1 : 'NULL';
          return `('${hashOf.get(raw) ?? raw}', ${height}, NULL, NULL, NULL, ${place})`;
        }),
      ),
    );
    // Of six dropped transactions, two are in a later block, and one was replaced.
    const later = 10 * HEIGHTS_PER_TRACE * TRACES;
    const dropped = [...expected.outcomes].filter(([, outcome]) => outcome === 'dropped');
    const ends = dropped.map(([raw], nonce) => {
      const isMoved = nonce % 6 === 0 || nonce % 6 === 2;
      const by = nonce % 6 === 1 || nonce % 6 === 2 ? `0xnew${nonce}` : undefined;
      if (isMoved || by) expected.outcomes.set(raw, isMoved ? 'moved' : 'replaced');
      return { hash: hashOf.get(raw) ?? '', nonce, isMoved, by };
    });
    await connection.run(`UPDATE lake.preconf_transactions AS p
      SET from_address = '0xsender', nonce = d.nonce
      FROM (VALUES ${ends.map(({ hash, nonce }) => `('${hash}', ${nonce})`).join(', ')})
        AS d(hash, nonce) WHERE p.tx_hash = d.hash`);
    await inserted('transactions', [
      ...ends.flatMap(({ hash, nonce, isMoved, by }) => [
        ...(isMoved ? [`('${hash}', ${later}, NULL, NULL, NULL, NULL)`] : []),
        ...(by ? [`('${by}', ${later}, NULL, '0xsender', ${nonce}, NULL)`] : []),
      ]),
      `('0xother', ${later}, NULL, '0xsender', ${dropped.length}, NULL)`,
    ]);
    const replacementOf = new Map(ends.map(({ hash, by, isMoved }) => [hash, isMoved ? null : by]));
    const views = await sqlFiles('views');
    for (const name of ['preconf_payloads', 'preconf_gaps', 'preconfirmations', 'stream_health']) {
      await connection.run(views.find((view) => view.name === name)?.sql ?? '');
    }
    const states = await connection.runAndReadAll(
      'SELECT payload_id, state, missing::VARCHAR, same_order FROM preconf_payloads',
    );
    const found = new Map(
      states.getRows().map(([id, state, missing, sameOrder]) => {
        return [id, { state, missing: JSON.parse(String(missing)) as number[], sameOrder }];
      }),
    );
    expect(found.size).toBe(expected.payloads.size);
    for (const [id, payload] of expected.payloads)
      expect({ id, ...found.get(id) }).toEqual({ id, ...payload });
    const gaps = await connection.runAndReadAll(
      "SELECT count(*) FILTER (WHERE reason = 'missing'), count(*) FILTER (WHERE reason = 'unreadable') FROM preconf_gaps",
    );
    const missing = [...expected.payloads.values()].filter(({ state }) => state !== 'open');
    const count = missing.reduce((sum, payload) => sum + payload.missing.length, 0);
    expect(gaps.getRows()[0]?.map(Number)).toEqual([count, garbage]);
    const outcomes = await connection.runAndReadAll(
      'SELECT tx_hash, outcome, replaced_by FROM preconfirmations',
    );
    const outcomeOf = new Map(outcomes.getRows().map(([hash, ...end]) => [hash, end]));
    expect(outcomeOf.size).toBe(expected.outcomes.size);
    for (const [raw, outcome] of expected.outcomes) {
      const hash = hashOf.get(raw) ?? '';
      const end = [outcome, replacementOf.get(hash) ?? null];
      expect([raw, outcomeOf.get(hash)]).toEqual([raw, end]);
    }
    const health = await connection.runAndReadAll(
      'SELECT sum(messages), max(longest_silence) FROM stream_health',
    );
    const [messages, silence] = health.getRows()[0] ?? [];
    expect(Number(messages)).toBe(rows.get('preconf_fragments')?.length);
    // Streams of several networks do not interrupt each other.
    expect(silence).toBeLessThan(1);
  });
});
