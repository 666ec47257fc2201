import { describe, expect, it } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import type { Service } from '../../service/src/server/service.ts';
import { endpoints } from '../../src/catalogue/index.ts';
import { listedBy, OPERATIONS, operationAt, type Params } from '../model/asked-truth.ts';
import { chain, REQUESTS, requestOf, tables } from './asked-requests.ts';
import { ask, serviceOver } from './asking.ts';

/**
 * Goal: what a filter returns is what the chain holds, by operations and parameters that were typed
 * from the interface. The catalogue is asked one thing only: whether it has more of them.
 */

const service = serviceOver(chainSource(chain));
const MAX_PAGES = 10_000;
const paths = Object.keys(OPERATIONS);

/** Every record of all pages of 50, which no list refuses. */
async function listed(server: Service, path: string, params: Params) {
  const rows: Record<string, unknown>[] = [];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { data, code } = await ask(server, path, { ...params, page: String(page), limit: '50' });
    expect(code).toBe('0');
    const [first] = data;
    if (first === undefined) return rows;
    if (!('totalPage' in first)) {
      rows.push(...data);
      // Look-ups have no pages and answer everything, however often they are asked.
      if (path !== 'mainchain/zone/block/transaction-list-multi') return rows;
      continue;
    }
    for (const value of Object.values(first)) if (Array.isArray(value)) rows.push(...value);
    if (page >= Number(first['totalPage'])) return rows;
  }
  throw new Error('the list does not end');
}

const sorted = (rows: readonly (readonly unknown[])[]): string[] =>
  rows.map((row) => JSON.stringify(row)).sort();

const truths = new Map<string, string[]>();

/** What the chain holds of what the answer tells. */
function truth(path: string, params: Params): string[] {
  const name = JSON.stringify([path, params]);
  const cached = truths.get(name);
  if (cached !== undefined) return cached;
  const columns = Object.values(operationAt(path).told);
  const rows = sorted(
    listedBy(path, params, tables).map((record) => columns.map((column) => record[column] ?? '')),
  );
  truths.set(name, rows);
  return rows;
}

async function answered(path: string, params: Params): Promise<string[]> {
  const names = Object.keys(operationAt(path).told);
  const records = await listed(service, path, requestOf(path, params));
  return sorted(records.map((record) => names.map((name) => record[name])));
}

it('every filter of every list is typed here, and no other', () => {
  const declared = endpoints
    .filter(({ list }) => list !== 'submission')
    .map(({ path, params }) => [
      path,
      params.map(({ name }) => name).filter((name) => !/^(chainShortName|page|limit)$/.test(name)),
    ]);
  const typed = paths.map((path) => [path, Object.keys(operationAt(path).filters)]);
  const inOrder = (lists: readonly unknown[][]): unknown[] =>
    lists.map(([path, names]) => `${path}: ${[...(names as string[])].sort()}`).sort();
  expect(inOrder(typed)).toEqual(inOrder(declared));
  expect(typed.flatMap(([, names]) => names)).toHaveLength(46);
});

describe.each(paths)('%s', (path) => {
  const requests = REQUESTS[path] ?? [];

  it('lists what the chain holds, whatever is asked', async () => {
    let records = 0;
    for (const params of requests) {
      const expected = truth(path, params);
      expect(await answered(path, params), JSON.stringify(params)).toEqual(expected);
      records += expected.length;
    }
    expect(records).toBeGreaterThan(2);
  });

  it.each(Object.keys(operationAt(path).filters))('is asked where %s matters', (name) => {
    const bites = requests.filter((params) => {
      const { [name]: value, ...others } = params;
      if (value === undefined) return false;
      const [less, more] = [truth(path, params), truth(path, others)];
      return less.length > 0 && less.join('\n') !== more.join('\n');
    });
    expect(bites.length).toBeGreaterThan(0);
  });

  const several = requests.filter((params) =>
    Object.values(params).some((value) => value.includes(',')),
  );

  if (several.length === 0) return;

  it('is asked for twenty keys that many records have', () => {
    for (const params of several) {
      const keys = Object.values(params).find((value) => value.includes(',')) ?? '';
      expect(keys.split(',')).toHaveLength(20);
    }
    expect(Math.max(...several.map((params) => truth(path, params).length))).toBeGreaterThan(18);
  });
});
