import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it } from 'vitest';
import { STREAM_TABLES } from '../../src/catalogue/stream/stream-tables.ts';
import { sqlFiles } from '../../src/curate/rule/sql-files.ts';
import { capturedColumns } from '../../src/land/captured-table.ts';
import { append } from '../../src/land/storage/appending.ts';
import { frameRows } from '../../src/land/stream/frame-rows.ts';
import { casesOf } from '../fixtures/thorough.ts';
import {
  type Block,
  HEIGHTS_PER_TRACE,
  messageOf,
  rawsOf,
  type Truth,
  traceOf,
} from '../model/stream-traces.ts';

/**
 * Goal: the views of the stream decide the state of each payload, each missing index and the
 * outcome of each transaction as the generator of the traces knows them. Every trace has heights
 * and a network of its own, so one query answers for all. `RUNS=20000` plays more of them.
 */

const TRACES = casesOf(1000);
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
/** Time from the start of a trace to those of its blocks. */
const MINED_MS = 50_000;
const CUT = JSON.stringify({ fromMs: null, reason: 'disconnected', detail: '' });

function startMsOf(trace: number): number {
  return 1_700_000_000_000 + Math.floor(trace) * 100_000;
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
    const expected: Truth = { payloads: new Map(), outcomes: new Map() };
    const sent: unknown[][] = [];
    const gaps: string[] = [];
    const rows = new Map<string, unknown[][]>(STREAM_TABLES.map(({ name }) => [name, []]));
    const hashOf = new Map<string, string>();
    const blocks: Block[] = [];
    for (let number = 0; number < TRACES; number += 1) {
      const trace = traceOf(number, SEED);
      const stream = { network: `t${number}`, newest: null, ofPayload: new Map() };
      const startMs = startMsOf(number);
      const land = async (frame: number, kind: 'text' | 'gap', text: string): Promise<void> => {
        const record = { frame, kind, atMs: startMs + frame, bytes: Buffer.from(text) };
        const decoded = await frameRows(record, stream);
        for (const [name, added] of Object.entries(decoded)) rows.get(name)?.push(...(added as []));
        for (const row of decoded['preconf_transactions'] ?? []) {
          hashOf.set(String(row.at(-2)), String(row[6]));
        }
      };
      for (const [at, frame] of trace.frames.entries()) {
        const noise = trace.noise[at];
        if (noise === 'unreadable') await land(2 * at, 'text', '{"index":');
        if (noise === 'disconnected') await land(2 * at, 'gap', CUT);
        if (noise !== undefined) gaps.push(`${noise},,`);
        await land(2 * at + 1, 'text', JSON.stringify(messageOf(frame)));
        for (const raw of rawsOf(frame)) sent.push([frame.payload.id, String(frame.index), raw]);
      }
      for (const [id, payload] of trace.truth.payloads) expected.payloads.set(id, payload);
      for (const [raw, end] of trace.truth.outcomes) expected.outcomes.set(raw, end);
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
          const time = `to_timestamp(${(startMsOf(height / HEIGHTS_PER_TRACE) + MINED_MS) / 1000})`;
          return `('${hashOf.get(raw) ?? raw}', ${height}, ${time}, NULL, NULL, ${place})`;
        }),
      ),
    );
    // Of six dropped transactions, two are in a later block, and one was replaced.
    const later = 10 * HEIGHTS_PER_TRACE * TRACES;
    const dropped = [...expected.outcomes].filter(([, { outcome }]) => outcome === 'dropped');
    const ends = dropped.map(([raw, end], nonce) => {
      const isMoved = nonce % 6 === 0 || nonce % 6 === 2;
      const by = nonce % 6 === 1 || nonce % 6 === 2 ? `0xnew${nonce}` : undefined;
      if (isMoved) expected.outcomes.set(raw, { ...end, outcome: 'moved', block: later });
      else if (by) expected.outcomes.set(raw, { ...end, outcome: 'replaced' });
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
    const actual = new Map(
      states.getRows().map(([id, state, missing, sameOrder]) => {
        return [id, { state, missing: JSON.parse(String(missing)) as number[], sameOrder }];
      }),
    );
    expect(actual.size).toBe(expected.payloads.size);
    for (const [id, payload] of expected.payloads)
      expect({ id, ...actual.get(id) }).toEqual({ id, ...payload });
    const rowsOf = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();
    const landed = await rowsOf(
      'SELECT payload_id, fragment_index, raw FROM lake.preconf_transactions',
    );
    expect(landed.map(String).sort()).toEqual(sent.map(String).sort());
    for (const [id, { state, missing }] of expected.payloads) {
      if (state !== 'open') gaps.push(...missing.map((index) => `missing,${id},${index}`));
    }
    const named = await rowsOf('SELECT reason, payload_id, fragment_index FROM preconf_gaps');
    expect(named.map(String).sort()).toEqual(gaps.sort());
    const outcomes = await rowsOf(
      `SELECT tx_hash, outcome, replaced_by, payload_id, fragment_index, settled_block,
         round(seconds_gained * 1000) FROM preconfirmations`,
    );
    const outcomeOf = new Map(outcomes.map(([hash, ...end]) => [hash, end]));
    expect(outcomeOf.size).toBe(expected.outcomes.size);
    for (const [raw, { outcome, first, block }] of expected.outcomes) {
      const hash = hashOf.get(raw) ?? '';
      const [payload, index, at] = first;
      const gained = outcome === 'settled' ? MINED_MS - (2 * at + 1) : null;
      const texts = [payload, String(index), block === null ? null : String(block), gained];
      const end = [outcome, replacementOf.get(hash) ?? null, ...texts];
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
