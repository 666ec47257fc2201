import { describe, expect, it } from 'vitest';
import { chainSource } from '../../../service/src/memory/chain-source.ts';
import { tablesSource } from '../../../service/src/memory/records-source.ts';
import type { Service } from '../../../service/src/server/service.ts';
import type { Cell } from '../../../src/catalogue/column-kind.ts';
import { columnsOf, type Endpoint } from '../../../src/catalogue/entry.ts';
import { datasetOf, endpoints, filledBy, paramOf } from '../../../src/catalogue/index.ts';
import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import type { ListedRecord } from '../../../src/catalogue/record-text.ts';
import { listOf } from '../../../src/coverage/list.ts';
import type { Slice } from '../../../src/coverage/slice.ts';
import { fetchSlice } from '../../../src/fetch/fetch-slice.ts';
import { CallFailure } from '../../../src/fetch/http/call-failure.ts';
import type { Caller } from '../../../src/fetch/http/caller.ts';
import { callOptions } from '../../../src/fetch/http/caller.ts';
import { tableColumns } from '../../../src/land/rows/columns.ts';
import { decode } from '../../../src/land/rows/decode.ts';
import { chain, REQUESTS, requestOf, tables } from '../../contract/asked-requests.ts';
import { serviceOver } from '../../contract/asking.ts';
import { GATHERED, gatheredTables } from '../../contract/gathered-records.ts';
import { listNamed } from '../../fixtures/lists.ts';
import { unlearned } from '../../fixtures/unlearned.ts';
import { listedBy, type Params, type Tables } from '../../model/asked-truth.ts';
import { modelCaller } from '../../model/model-caller.ts';

/**
 * Goal: a record that the service writes and the client reads is the record that the source holds,
 * in whatever pages it comes; and pages that are larger than the largest never come. The lists are
 * those of a chain, and longer ones, of more than two of the largest pages.
 */

/** Of the lists of a chain; those of gathered records are longer. */
const LONGEST = 120;
const MAX_PAGES = 1_000;
const READ_AT = 700;

const callerOf = (service: Service): Caller =>
  modelCaller({ answer: (request) => service.answer(request), turns: () => 0 });
const ofChain = callerOf(serviceOver(chainSource(chain)));
const ofGathered = callerOf(serviceOver(tablesSource(gatheredTables)));

const lists = endpoints.filter(({ list }) => list !== 'submission');
const paged = lists.filter((of) => paramOf(of, 'limit') !== undefined);
const sizesOf = ({ limits: { pageSize } }: Endpoint) => pageSize ?? { max: 100, default: 20 };
const namesAll = (of: Endpoint, size: number | undefined): string =>
  `${of.path} in pages of ${size ?? 'the default size'}`;

/** All pages of a request, read as the client reads them, in order; checks what they say of them. */
async function stitched(caller: Caller, of: Endpoint, params: Params, limit: number | undefined) {
  const found: ListedRecord[] = [];
  const size = limit ?? sizesOf(of).default;
  const options = callOptions(0, undefined);
  const asked = { ...requestOf(of.path, params), ...(limit ? { limit: String(limit) } : {}) };
  if (!paged.includes(of)) return (await caller.call(of, asked, options)).records;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const reply = await caller.call(of, { ...asked, page: String(page) }, options);
    found.push(...reply.records);
    expect(reply.records.length).toBeLessThanOrEqual(size);
    if (of.reply.shape === 'bare') {
      expect(reply).toMatchObject({ extras: {} });
      if (reply.records.length === 0) return found;
      continue;
    }
    const { totalPage = 0 } = reply;
    expect(reply).toMatchObject({ page: totalPage === 0 ? 0 : page, limit: size });
    if (page < totalPage) expect(reply.records).toHaveLength(size);
    if (page < totalPage) continue;
    expect(totalPage).toBe(Math.ceil(found.length / size));
    if (of.reply.shape === 'paged' && of.reply.total !== undefined) {
      expect(reply.total).toBe(found.length);
    }
    return found;
  }
  throw new Error('the list does not end');
}

/** What the client makes of the records: rows of the table, column by column. */
function landed(of: Endpoint, params: Params, records: readonly ListedRecord[]): string[] {
  const { rows, broken, drift } = decode(listOf(of, params), records, READ_AT);
  expect([broken, [...drift]]).toEqual([[], []]);
  return rows.map(({ cells }) => spelled(cells));
}

/** What the rows are by the records themselves: every column that the list tells, and no other. */
function rowsOf(of: Endpoint, params: Params, records: readonly CanonicalRecord[]): string[] {
  const filled = [...filledBy(of, params).keys()];
  const columns = tableColumns(datasetOf(of, params)).map(({ name }) => name);
  return records.map((record) => {
    const cells = new Map<string, Cell>();
    for (const word of [...of.fields, ...filled]) {
      const value = record[word.column] ?? null;
      const decoded = value === null ? [] : (word.kind.decode(String(value)) ?? []);
      columnsOf(word).forEach(({ name }, i) => {
        cells.set(name, decoded[i] ?? null);
      });
    }
    if (of.list === 'snapshot') cells.set('as_of_block', BigInt(READ_AT));
    return spelled(columns.map((name) => cells.get(name) ?? null));
  });
}

function spelled(cells: readonly Cell[]): string {
  return JSON.stringify(cells.map((cell) => (typeof cell === 'bigint' ? `${cell}n` : cell)));
}

/** The longest list of a chain that is not too long, the shortest, and an empty one. */
function requestsOn(of: Endpoint): Params[] {
  const known = (REQUESTS[of.path] ?? [])
    .map((params) => ({ params, length: listedBy(of.path, params, tables).length }))
    .filter(({ length }) => length <= LONGEST)
    .sort((a, b) => a.length - b.length);
  const picked = [known.find(({ length }) => length === 0), known.find(({ length }) => length > 0)];
  return [...new Set([...picked, known.at(-1)])].flatMap((each) =>
    each === undefined ? [] : [each.params],
  );
}

const limitsOf = (of: Endpoint): (number | undefined)[] =>
  paged.includes(of) ? [1, undefined, sizesOf(of).max] : [undefined];

async function isIdentity(caller: Caller, of: Endpoint, params: Params, held: Tables) {
  const truth = rowsOf(of, params, listedBy(of.path, params, held));
  const readings: string[][] = [];
  for (const limit of limitsOf(of)) {
    const rows = landed(of, params, await stitched(caller, of, params, limit));
    expect([...rows].sort(), namesAll(of, limit)).toEqual([...truth].sort());
    readings.push(rows);
  }
  // Pages of whatever size cut one and the same list.
  for (const reading of readings) expect(reading).toEqual(readings[0]);
  return truth.length;
}

describe.each(lists)('$path', (of) => {
  const gathered = GATHERED[of.path] ?? {};

  it('gives back the records of a chain, in pages of one, of any size and of the largest', async () => {
    const requests = requestsOn(of);
    for (const params of requests) await isIdentity(ofChain, of, params, tables);
    if (of.list !== 'snapshot') expect(requests.length).toBeGreaterThan(0);
  });

  it('gives back a long list just as well', async () => {
    const length = await isIdentity(ofGathered, of, gathered, gatheredTables);
    if (paged.includes(of)) expect(length).toBeGreaterThan(sizesOf(of).max);
    else expect(length).toBeGreaterThan(0);
  });

  it.each(limitsOf(of).map((limit) => limit ?? sizesOf(of).default))(
    'is walked to the same rows in pages of %i',
    async (pageSize) => {
      const slice = sliceOf(of, gathered);
      const rows = await walked(of, slice, pageSize);
      const held = listedBy(of.path, gathered, gatheredTables);
      expect(rows.sort()).toEqual(rowsOf(of, gathered, held).sort());
    },
  );

  if (!paged.includes(of)) return;

  it('refuses pages larger than the largest, and no walk takes that for an end', async () => {
    const tooLarge = sizesOf(of).max + 1;
    for (const reading of [
      () => stitched(ofGathered, of, gathered, tooLarge),
      () => walked(of, sliceOf(of, gathered), tooLarge),
    ]) {
      const failure: unknown = await reading().catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(CallFailure);
      expect(failure).toMatchObject({ outcome: 'permanent' });
      expect(String(failure)).toContain('50036');
    }
  });
});

/** The same request as a walk knows it. */
function sliceOf(of: Endpoint, params: Params): Slice {
  const value = (role: 'keys' | 'height' | 'from-block' | 'to-block'): string | undefined =>
    params[paramOf(of, role)?.name ?? ''];
  const keys = value('keys');
  const height = value('height');
  const interval = {
    from: Number(height ?? value('from-block') ?? 0),
    to: Number(height ?? value('to-block') ?? 229),
  };
  const said = Object.entries(params).filter(([name]) => !/Height$|^height$/.test(name));
  const filters = said.filter(([name]) => name !== paramOf(of, 'keys')?.name);
  const isOptional = keys !== undefined && paramOf(of, 'keys')?.required === false;
  return {
    list: listNamed(of.path, {
      ...Object.fromEntries(filters),
      ...(isOptional ? { address: '*' } : {}),
    }),
    keys: keys?.split(',').sort() ?? [''],
    interval,
    provisional: false,
  };
}

async function walked(of: Endpoint, slice: Slice, pageSize: number): Promise<string[]> {
  const chainName = of.axis === 'primary' ? 'MAINCHAIN' : 'ZONECHAIN';
  const settings = { chain: chainName, pageSize, recordCap: 10_000, ...unlearned() };
  const rows: string[] = [];
  for await (const part of fetchSlice(ofGathered, slice, settings)) {
    expect(part).toMatchObject({ status: 'complete', reason: '' });
    rows.push(...landed(of, slice.list.filters, part.records));
  }
  return rows;
}
