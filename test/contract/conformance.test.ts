import { expect, it } from 'vitest';
import { datasets, endpoints } from '../../src/catalogue/index.ts';
import { conformanceFindings } from './conformance.ts';
import { exceptions } from './conformance-exceptions.ts';
import { parseInterface } from './interface-document.ts';
import { withDocument } from './interface-file.ts';
import { recordOf } from './stated-facts.ts';

/**
 * Goal: the catalogue is what the interface's document states, read from its tables and its prose,
 * word for word. Plain counts of lines guard against a parser that finds nothing.
 */

/** Rows of all tables with this head. */
function rowsBelow(text: string, head: string): number {
  const lines = text.split('\n');
  let rows = 0;
  lines.forEach((line, at) => {
    if (line !== head) return;
    for (let below = at + 2; lines[below]?.startsWith('|'); below += 1) rows += 1;
  });
  return rows;
}

withDocument('the catalogue, beside the document of the interface', (text) => {
  const document = parseInterface(text);
  const { operations, records, limits } = document;
  const used = operations.flatMap((operation) => recordOf(document, operation) ?? []);
  const count = (numbers: readonly { readonly length: number }[]): number =>
    numbers.reduce((sum, { length }) => sum + length, 0);

  it('has every operation, parameter row and limit of the document', () => {
    const targets = text.match(/^`(GET|POST) \/api\/v5\//gm) ?? [];
    expect(targets.length).toBeGreaterThan(0);
    expect(operations).toHaveLength(targets.length);
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
    const rows = rowsBelow(text, '| Parameter | Type | Required | Meaning |');
    expect(rows).toBeGreaterThan(targets.length);
    const inTables = operations.filter(({ params }) => params.some(({ type }) => type));
    expect(count(inTables.map(({ params }) => params))).toBeGreaterThanOrEqual(rows);
    expect(limits).toHaveLength(rowsBelow(text, '| Limit | Applies to | Value |'));
    expect(count(records.map(({ fields }) => fields))).toBeGreaterThanOrEqual(
      rowsBelow(text, '| Field | Type | Meaning |'),
    );
  });

  it('finds as many of each in the catalogue', () => {
    expect(endpoints).toHaveLength(operations.length);
    const params = operations.map((operation) => operation.params);
    expect(count(endpoints.map((entry) => entry.params))).toBe(count(params));
    const fields = used.map((record) => record.fields);
    expect(count(endpoints.map((entry) => entry.fields))).toBe(count(fields));
  });

  it('differs in nothing but what its entries call contradictions', () => {
    expect(conformanceFindings(document, endpoints, datasets, exceptions)).toEqual([]);
  });

  it('needs every exception, and each of them needs its contradiction', () => {
    expect(exceptions.length).toBeGreaterThan(0);
    exceptions.forEach((left, i) => {
      const others = exceptions.filter((_, place) => place !== i);
      expect(conformanceFindings(document, endpoints, datasets, others)).toEqual([left.finding]);
      const silent = endpoints.map((entry) =>
        entry.path === left.path ? { ...entry, contradictions: [] } : entry,
      );
      const findings = conformanceFindings(document, silent, datasets, exceptions);
      expect(findings).toContain(
        `${left.path}: its contradictions do not say: ${left.contradiction}`,
      );
    });
    const unused = { ...exceptions[0], finding: 'nothing is wrong' } as (typeof exceptions)[number];
    expect(conformanceFindings(document, endpoints, datasets, [...exceptions, unused])).toEqual([
      'no exception is needed for: nothing is wrong',
    ]);
  });

  it.each([
    [
      'a maximum',
      '| limit | String | no | page size; maximum 50, default 20 |',
      '| limit | String | no | page size; maximum 60, default 20 |',
    ],
    [
      'a maximum in prose',
      'page, limit (maximum 50, default 20)',
      'page, limit (maximum 51, default 20)',
    ],
    [
      'a limit in the table',
      '| E12, E19, E6 | at most 10,000 |',
      '| E12, E19, E6 | at most 9,000 |',
    ],
    ['whom a limit binds', '| E15, E16, E13a |', '| E15, E16 |'],
    ['a new limit', '| Depth of block list |', '| Depth of block lists |'],
    [
      'the page size of zone lists',
      'optional Integer (maximum 100, default 20)',
      'optional Integer (maximum 100, default 25)',
    ],
    [
      'the first page of zone lists',
      'optional Integer (default 1)',
      'optional Integer (default 0)',
    ],
    ['a field of a table', '| zoneEventIndex |', '| eventIndex |'],
    ['a field that is left out', 'It has no `state` field', 'It has no `nonce` field'],
    [
      'a type in prose',
      'startBlockHeight (Long, optional, inclusive)',
      'startBlockHeight (Integer, optional, inclusive)',
    ],
    ['a need in prose', 'txId (required), page (optional)', 'txId (optional), page (optional)'],
    ['a list', '`internalTransactionDetails`', '`details`'],
    [
      'an extra',
      'totalPage, total, `data` (array of Zone block record)',
      'totalPage, `data` (array of Zone block record)',
    ],
    ['a path', '/api/v5/mainchain/zone/block/block-list', '/api/v5/mainchain/zone/block/list'],
    ['a flag', '| viaIr | Boolean |', '| viaIr | String |'],
    ['a spelling', 'spells the key `difficuity`', 'spells the key `dificulty`'],
  ])('follows the document when it states otherwise: %s', (_what, from, to) => {
    expect(text).toContain(from);
    let findings: string[];
    try {
      const other = parseInterface(text.replace(from, to));
      findings = conformanceFindings(other, endpoints, datasets, exceptions);
    } catch (error) {
      findings = [String(error)];
    }
    expect(findings).not.toEqual([]);
  });
});
