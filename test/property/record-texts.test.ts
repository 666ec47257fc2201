import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpoints, equalsParams } from '../../src/catalogue/index.ts';
import type { WireRecord } from '../../src/catalogue/record.ts';
import { type ListedRecord, parsedRecord, RecordText } from '../../src/catalogue/record-text.ts';
import { parsedBody } from '../../src/catalogue/reply-text.ts';
import { type List, listOf } from '../../src/coverage/list.ts';
import {
  contentOf,
  heightOf,
  identityOf,
  matchedKeys,
} from '../../src/fetch/walk/record-reader.ts';
import { tableColumns } from '../../src/land/rows/columns.ts';
import { decode, type Row } from '../../src/land/rows/decode.ts';
import { landingRows } from '../../src/land/rows/landing-rows.ts';
import type { Claim } from '../../src/land/rule/claim.ts';
import { ParquetWriter } from '../../src/land/storage/parquet.ts';
import { IS_THOROUGH } from '../fixtures/thorough.ts';
import { Chance } from '../model/chance.ts';
import { HOSTILE_KEYS, hostileRecords } from '../model/hostile-records.ts';
import {
  plainContent,
  plainDecode,
  plainHeight,
  plainIdentity,
  plainMatches,
} from '../model/plain-decode.ts';
import { replyText, usualRecords } from '../model/usual-records.ts';

/**
 * Records stay texts on their way from the reply to the table, and DuckDB decodes them. Goal: walks
 * read the same from them as from parsed records, and rows, broken records, drift, absent fields
 * and occurrences equal those of the plain model, in memory and in the table. `RECORDS=200000`
 * plays more of them.
 */
const RECORDS = Number(process.env['RECORDS'] ?? (IS_THOROUGH ? 40_000 : 2500));
const RECORDS_PER_WALK = 40;

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
  root = await mkdtemp(join(tmpdir(), 'windrow-texts-'));
  writer = await ParquetWriter.open(join(root, 'spilled'));
});

afterAll(async () => {
  writer.close();
  await rm(root, { recursive: true });
});

/** One walk: its reply as text, read by the program, and parsed by JSON.parse alone. */
function walkOf(given: List, seed: number) {
  const chance = new Chance(seed);
  // Formats of names are kept by entry, at most 16: every walk gets its own.
  const list = { ...given, entry: { ...given.entry } };
  const make = chance.is(0.5) ? usualRecords : hostileRecords;
  const text = replyText(list, make(list, RECORDS_PER_WALK, chance), chance);
  // Only long bodies are read as texts.
  const body = text.padEnd(5000, ' ');
  const plain = recordsIn<WireRecord>(list, JSON.parse(text));
  const listed = recordsIn<ListedRecord>(list, parsedBody(list.entry, body));
  return { chance, list, plain, listed, readAt: chance.between(0, 9) };
}

function recordsIn<R>({ entry }: List, reply: unknown): readonly R[] {
  const { data } = reply as { data: readonly unknown[] };
  if (entry.reply.shape !== 'paged') return data as readonly R[];
  return (data[0] as Readonly<Record<string, readonly R[]>>)[entry.reply.list] ?? [];
}

/** The rows as they stand in the table. */
async function landed(list: List, walks: readonly (readonly Row[])[]): Promise<unknown> {
  const whole = walks.map((records, i) => {
    const claim: Claim = {
      ...{
        list,
        keys: [''],
        interval: { from: 0, to: 9 },
        status: 'complete',
      },
      ...{ reason: '', head: 9, readAtMs: i, generation: 0 },
    };
    return { claim, records, slice: `slice ${i}` };
  });
  const columns = tableColumns(list.dataset.name);
  await writer.take(columns, { ...landingRows(whole, whole, 'run'), kept: [] });
  const rows = await writer.read(
    `SELECT CAST(to_json(pending) AS VARCHAR) AS shown FROM pending ORDER BY shown`,
  );
  return rows.map(([shown]) => shown);
}

let texts = 0;
let all = 0;

test.each(LISTS)('$endpoint $variant: texts are decoded like the plain model', async (given) => {
  const fromTexts: Row[][] = [];
  const fromObjects: Row[][] = [];
  for (let seed = 1; seed <= WALKS; seed += 1) {
    const { chance, list, plain, listed, readAt } = walkOf(given, seed);
    expect({ seed, records: listed.map(parsedRecord) }).toEqual({ seed, records: plain });
    const keys = list.keyColumns === undefined ? [''] : chance.some(HOSTILE_KEYS);
    const slice = { list, keys, interval: { from: 0, to: 9 }, provisional: false };
    listed.forEach((record, i) => {
      const parsed = plain[i] ?? {};
      expect(contentOf(list.entry, record)).toBe(plainContent(list, parsed));
      expect(heightOf(list.entry, record)).toBe(plainHeight(list, parsed));
      expect(identityOf(list.entry, slice, record)).toBe(plainIdentity(list, parsed));
      expect(matchedKeys(list.entry, record, slice)).toEqual(plainMatches(list, parsed, keys));
    });
    const { rows, ...rest } = decode(list, listed, readAt);
    const shown = rows.map(({ height, touches, cells, occurrence, listPosition }) => {
      return { height, touches, cells, occurrence, listPosition };
    });
    expect({ seed, ...rest, rows: shown }).toEqual({ seed, ...plainDecode(list, plain, readAt) });
    fromTexts.push([...rows]);
    fromObjects.push([...decode(list, plain, readAt).rows]);
    all += listed.length;
    texts += listed.filter((record) => record instanceof RecordText).length;
  }
  expect(await landed(given, fromTexts)).toEqual(await landed(given, fromObjects));
});

test('most of the usual records are read as texts', () => {
  expect(texts / all).toBeGreaterThan(0.1);
});
