import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Cell } from '../../src/catalogue/column-kind.ts';
import { endpoints, equalsParams } from '../../src/catalogue/index.ts';
import type { WireRecord } from '../../src/catalogue/record.ts';
import { parsedBody } from '../../src/catalogue/reply-text.ts';
import { type List, listOf } from '../../src/coverage/list.ts';
import { contentOf, identityOf, matchedKeys } from '../../src/fetch/walk/record-reader.ts';
import { LIST_POSITION, tableColumns } from '../../src/land/rows/columns.ts';
import { decode, type Row } from '../../src/land/rows/decode.ts';
import { landingRows } from '../../src/land/rows/text-rows.ts';
import type { Claim } from '../../src/land/rule/claim.ts';
import { ParquetWriter, type RowsToWrite } from '../../src/land/storage/parquet.ts';
import { type AnyRecord, listed, parsedRecord } from '../fixtures/listed.ts';
import { IS_THOROUGH } from '../fixtures/thorough.ts';
import { freshFolder, whenOver } from '../fixtures/when-over.ts';
import { Chance } from '../model/chance.ts';
import { HOSTILE_KEYS, hostileRecords } from '../model/hostile-records.ts';
import {
  type PlainRow,
  plainContent,
  plainDecode,
  plainHeight,
  plainIdentity,
  plainMatches,
} from '../model/plain-decode.ts';
import { replyText, usualRecords } from '../model/usual-records.ts';

/**
 * Records are texts on their way from the reply to the table, and DuckDB decodes them. Goal: what
 * walks read in them, and rows, broken records, drift, absent fields and occurrences, in memory and
 * in the table, equal those of the plain model. `RECORDS=200000` plays more of them.
 */
const RECORDS = Number(process.env['RECORDS'] ?? (IS_THOROUGH ? 40_000 : 4000));
const RECORDS_PER_WALK = 40;

/** Every list of the catalogue: an endpoint, under each value that selects a dataset. */
const LISTS: readonly List[] = endpoints
  .filter(({ list, fields }) => list !== 'submission' && fields.length > 0)
  .flatMap((entry) => {
    const selectors = equalsParams(entry).filter(({ fills }) => fills !== undefined);
    const filtered = selectors.flatMap(({ name, values = [] }) => {
      return values.map((value) => listOf(entry, { [name]: value }));
    });
    return [listOf(entry), ...filtered];
  });

const WALKS = Math.ceil(RECORDS / RECORDS_PER_WALK / LISTS.length);

let root = '';
let writer: ParquetWriter;

beforeAll(async () => {
  root = await freshFolder();
  writer = await ParquetWriter.open(join(root, 'spilled'));
  whenOver(() => writer.close());
});

/** One walk: its reply as text, read by the program, and parsed by JSON.parse alone. */
function walkOf(input: List, seed: number) {
  const chance = new Chance(seed);
  // Formats of names are kept by entry, at most 16: every walk gets its own.
  const list = { ...input, entry: { ...input.entry } };
  const make = chance.is(0.5) ? usualRecords : hostileRecords;
  const text = replyText(list, make(list, RECORDS_PER_WALK, chance), chance);
  // Only long bodies are read as texts.
  const body = text.padEnd(5000, ' ');
  const plain = recordsIn<WireRecord>(list, JSON.parse(text));
  const read = listed(list.entry, recordsIn<AnyRecord>(list, parsedBody(list.entry, body)));
  return { chance, list, plain, read, readAt: chance.between(0, 9) };
}

function recordsIn<R>({ entry }: List, reply: unknown): readonly R[] {
  const { data } = reply as { data: readonly unknown[] };
  if (entry.reply.shape !== 'paged') return data as readonly R[];
  return (data[0] as Readonly<Record<string, readonly R[]>>)[entry.reply.list] ?? [];
}

/** The rows as they stand in the table. */
async function inTable(list: List, rows: RowsToWrite): Promise<unknown[]> {
  const taken = await writer.take(tableColumns(list.dataset.name), rows);
  const results = await writer.read(
    `SELECT CAST(to_json(t) AS VARCHAR) AS shown FROM (${taken.rowsSql()}) AS t ORDER BY shown`,
  );
  return results.map(([shown]) => shown);
}

function textsOf(list: List, walks: readonly (readonly Row[])[]): RowsToWrite {
  const whole = walks.map((records, i) => {
    const request = { list, keys: [''], interval: { from: 0, to: 9 }, reason: '', head: 9 };
    const claim: Claim = { ...request, status: 'complete', readAtMs: i, generation: 0 };
    return { claim, records, slice: `slice ${i}` };
  });
  return { added: [], texts: landingRows(whole, whole, 'run'), kept: [] };
}

function cellsOf(list: List, walks: readonly (readonly PlainRow[])[]): RowsToWrite {
  const columns = tableColumns(list.dataset.name);
  const added = walks.flatMap((rows, i) =>
    rows.map(({ cells, occurrence, listPosition }) => {
      const lineage: Readonly<Record<string, Cell>> = {
        _endpoint: list.endpoint,
        _variant: list.variant,
        _occurrence: BigInt(occurrence),
        _slice: `slice ${i}`,
        _fetched_at: BigInt(i) * 1000n,
        _run: 'run',
        [LIST_POSITION]: listPosition === null ? null : BigInt(listPosition),
      };
      return columns.map(({ name }, at) => lineage[name] ?? cells[at] ?? null);
    }),
  );
  return { added, kept: [] };
}

let usual = 0;
let all = 0;

test.each(LISTS)('$endpoint $variant: records equal those of the plain model', async (input) => {
  const texts: (readonly Row[])[] = [];
  const models: (readonly PlainRow[])[] = [];
  for (let seed = 1; seed <= WALKS; seed += 1) {
    const { chance, list, plain, read, readAt } = walkOf(input, seed);
    expect({ seed, records: read.map(parsedRecord) }).toEqual({ seed, records: plain });
    const keys = list.keyColumns === undefined ? [''] : chance.some(HOSTILE_KEYS);
    const slice = { list, keys, interval: { from: 0, to: 9 }, provisional: false };
    const contents = new Map<string, string>();
    const plainContents = new Set<string>();
    read.forEach((record, i) => {
      const sent = plain[i] ?? {};
      const content = plainContent(list, sent);
      contents.set(contentOf(record), content);
      plainContents.add(content);
      expect(contents.get(contentOf(record))).toBe(content);
      expect(record.height).toBe(plainHeight(list, sent));
      expect(identityOf(slice, record)).toBe(plainIdentity(list, sent));
      expect(matchedKeys(record, slice)).toEqual(plainMatches(list, sent, keys));
    });
    expect({ seed, contents: contents.size }).toEqual({ seed, contents: plainContents.size });
    const { rows, ...rest } = decode(list, read, readAt);
    const shown = rows.map(({ height, touches, cells, occurrence, listPosition }) => {
      return { height, touches, cells, occurrence, listPosition };
    });
    const model = plainDecode(list, plain, readAt);
    expect({ seed, ...rest, rows: shown }).toEqual({ seed, ...model });
    texts.push(rows);
    models.push(model.rows);
    all += read.length;
    usual += read.filter(({ deviation }) => deviation === undefined).length;
  }
  expect(texts.flat().length).toBeGreaterThan(WALKS * RECORDS_PER_WALK * 0.1);
  const landed = await inTable(input, textsOf(input, texts));
  expect(landed).toEqual(await inTable(input, cellsOf(input, models)));
});

test('records of the usual spelling are not rewritten', () => {
  expect(usual / all).toBeGreaterThan(0.1);
});
