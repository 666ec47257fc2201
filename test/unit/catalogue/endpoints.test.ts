import { describe, expect, it } from 'vitest';
import type { Endpoint, Param } from '../../../src/catalogue/entry.ts';
import {
  BY_KEY,
  datasetNamed,
  datasetOf,
  datasetsOf,
  endpoints,
  equalsParams,
  filledBy,
  keyColumns,
  kindOfKey,
  paramOf,
} from '../../../src/catalogue/index.ts';

/** Goal: what an entry declares in one place agrees with what it declares in all others. */

const endpointCases = endpoints.map((entry): [string, Endpoint] => [entry.path, entry]);

describe.each(endpointCases)('the endpoint %s', (path, entry) => {
  const fields = entry.fields.map(({ column }) => column);
  const filling = equalsParams(entry).filter(({ fills }) => fills !== undefined);
  const words = [...fields, ...filling.map(({ column }) => column.column)];
  const has = (role: Param['role']): boolean => paramOf(entry, role) !== undefined;
  const isRequired = (role: Param['role']): boolean => paramOf(entry, role)?.required === true;

  /** The columns a parameter stands for. */
  function columnsNamed(param: Param): readonly string[] {
    switch (param.role) {
      case 'keys':
        return param.columns;
      case 'side':
        return [param.from, param.to];
      case 'equals':
      case 'at-least':
      case 'at-most':
        return [param.column.column];
      case 'names':
        return param.columns.map(({ column }) => column);
      default:
        return [];
    }
  }

  it('feeds datasets of its own axis, which its path tells', () => {
    for (const name of datasetsOf(entry)) expect(datasetNamed(name).axis, name).toBe(entry.axis);
    expect(path.startsWith('mainchain/zone/')).toBe(entry.axis === 'zone');
  });

  it('has every column that its parameters speak of', () => {
    for (const param of entry.params) {
      for (const column of columnsNamed(param)) expect(words, param.name).toContain(column);
    }
  });

  it('fills in by parameter only what its records do not carry', () => {
    for (const { name, column, fills, values = [] } of equalsParams(entry)) {
      expect(fields.includes(column.column), name).toBe(fills === undefined);
      for (const value of values) {
        const filled = fills === true || fills?.includes(value) === true;
        const expected = new Map(filled ? [[column, value]] : []);
        expect(filledBy(entry, { [name]: value }), `${name}=${value}`).toEqual(expected);
      }
      if (Array.isArray(fills)) expect(values, name).toEqual(expect.arrayContaining(fills));
    }
    expect(filledBy(entry, {}).size).toBe(0);
  });

  it('selects a dataset by every value of a parameter that selects one, and by no other', () => {
    const selectors = equalsParams(entry).filter((param) => param.datasets !== undefined);
    expect(selectors.length).toBeLessThanOrEqual(1);
    const [selector] = selectors;
    if (selector === undefined) {
      expect([datasetsOf(entry), datasetOf(entry, {})]).toEqual([[entry.dataset], entry.dataset]);
      return;
    }
    const { name, values = [], datasets: selected = {} } = selector;
    expect(Object.keys(selected).sort()).toEqual([...values].sort());
    for (const value of values) expect(datasetOf(entry, { [name]: value })).toBe(selected[value]);
    expect(selected[selector.default ?? '']).toBe(entry.dataset);
    expect(datasetOf(entry, {})).toBe(entry.dataset);
  });

  it('is another list without keys, where keys may be left out', () => {
    const keys = paramOf(entry, 'keys');
    if (keys === undefined || keys.required) {
      expect(keyColumns(entry, {})).toEqual(keys?.columns);
      return;
    }
    expect(keyColumns(entry, {})).toBeUndefined();
    expect(keyColumns(entry, { [keys.name]: BY_KEY })).toEqual(keys.columns);
    expect(entry.list).toBe('ranged');
  });

  it('has each column, field name, alias and parameter once', () => {
    const names = entry.fields.flatMap(({ wire, aliases }) => [wire, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(words).size).toBe(words.length);
    const params = entry.params.map(({ name }) => name);
    expect(new Set(params).size).toBe(params.length);
  });

  it('has each role once, but for filters and members of a body', () => {
    const roles = entry.params
      .map(({ role }) => role)
      .filter((role) => role !== 'equals' && role !== 'body');
    expect(new Set(roles).size).toBe(roles.length);
    expect(roles).toContain('chain');
    const inBody = entry.params.some((param) => param.role === 'body');
    expect(inBody).toBe(entry.method === 'POST');
  });

  it('asks by keys of the kind that other endpoints find in the same columns', () => {
    const keys = paramOf(entry, 'keys');
    for (const column of keys?.columns ?? []) expect(kindOfKey(column)).toBe(keys?.keyKind);
  });

  it('has limits that its parameters and its reply bear out', () => {
    const { pageSize, blockSpan, depthBlocks, depthRecords, depthYears } = entry.limits;
    if (entry.reply.shape === 'paged' || pageSize !== undefined) {
      expect([has('page'), has('limit')]).toEqual([true, true]);
      expect(pageSize).toBeDefined();
    } else expect([has('page'), has('limit')]).toEqual([false, false]);
    expect(pageSize?.default ?? 0).toBeLessThanOrEqual(pageSize?.max ?? 0);
    if (blockSpan !== undefined) {
      expect(blockSpan).toBeGreaterThan(0);
      expect([isRequired('from-block'), isRequired('to-block')]).toEqual([true, true]);
    }
    if (depthBlocks !== undefined) expect(entry.list).toBe('positional');
    if (depthRecords !== undefined) expect(entry.list).toBe('snapshot');
    if (depthYears !== undefined) expect(isRequired('keys')).toBe(true);
    expect(paramOf(entry, 'keys')?.max ?? 1).toBeGreaterThanOrEqual(1);
  });

  it('is a list of the kind that its parameters allow', () => {
    const bounded = [has('from-block'), has('to-block')];
    expect(bounded).toEqual(bounded.map(() => entry.list === 'ranged'));
    const isSubmission = entry.list === 'submission';
    expect(entry.method).toBe(isSubmission ? 'POST' : 'GET');
    expect(entry.reply.shape === 'single').toBe(isSubmission);
    expect(entry.fields.length === 0).toBe(isSubmission);
    if (entry.list === 'by-key') expect(isRequired('keys') || isRequired('height')).toBe(true);
    if (entry.list === 'positional') expect(entry.limits.pageSize).toBeDefined();
    if (entry.list === 'snapshot') expect([has('keys'), has('height')]).toEqual([false, false]);
    const { heightColumn, words: ours = [] } = datasetNamed(entry.dataset);
    const readAsOf = ours.some(({ column }) => column === heightColumn);
    expect(readAsOf).toBe(entry.list === 'snapshot' || isSubmission);
  });

  it('counts all records, if at all, in a field of its reply', () => {
    if (entry.reply.shape !== 'paged') return;
    const { extras = [], total, list, listAliases = [] } = entry.reply;
    if (total !== undefined) expect(extras).toContain(total);
    const names = ['page', 'limit', 'totalPage', list, ...listAliases, ...extras];
    expect(new Set(names).size).toBe(names.length);
  });

  it('has defaults among the values it allows', () => {
    for (const { name, values, default: assumed } of entry.params) {
      if (values !== undefined && assumed !== undefined) expect(values, name).toContain(assumed);
    }
  });

  it('spares a parameter only by a value that another one can have', () => {
    for (const { name, required, requiredUnless } of entry.params) {
      if (requiredUnless === undefined) continue;
      const other = entry.params.find((param) => param.name === requiredUnless.name);
      expect(required, name).toBe(false);
      expect(other?.required, name).toBe(true);
      expect(other?.values, name).toContain(requiredUnless.is);
    }
  });
});
