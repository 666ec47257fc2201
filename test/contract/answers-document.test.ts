import { describe, expect, it } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { chain, REQUESTS, requestOf } from './asked-requests.ts';
import { ask, askPost, serviceOver } from './asking.ts';
import { type DocumentedOperation, parseInterface } from './interface-document.ts';
import { withDocument } from './interface-file.ts';
import { recordOf } from './stated-facts.ts';

/**
 * Goal: what the service answers is what the document says it answers, operation by operation: the
 * envelope, the paging fields, the list by its name, every field of a record and no other, and the
 * type of every scalar. The document is read here, and the catalogue is not.
 */

const service = serviceOver(chainSource(chain));

type WireObject = Readonly<Record<string, unknown>>;

/** The members of `data[0]` in a paged reply, in the order of the text; undefined for bare ones. */
function membersStated({ response }: DocumentedOperation): string[] | undefined {
  const said = /^Response `data\[0\]`: (.+)$/.exec(response)?.[1];
  if (said === undefined) return undefined;
  // Where a sample has another name for the list, the documented one is served.
  const list = /names the list `(\w+)`|`(\w+)` \(array of /.exec(said)?.slice(1).join('') ?? '';
  const beside = (said.split(/`\w+` \(array of|and the list of/)[0] ?? '').replace(/\(.*?\)/g, '');
  return [...(beside.match(/\b(?!and\b)[a-zA-Z]+\b/g) ?? []), list];
}

/** The type by which JSON carries a field of this documented type. */
function jsonTypeOf(documented: string): 'string' | 'boolean' {
  if (documented === 'String') return 'string';
  if (documented === 'Boolean') return 'boolean';
  throw new Error(`${documented} is no type of a field`);
}

withDocument('the answers, beside the document of the interface', (text) => {
  const document = parseInterface(text);
  const queries = document.operations.filter(({ method }) => method === 'GET');

  it('has requests for all twenty operations that answer with records', () => {
    expect(queries.map(({ path }) => path).sort()).toEqual(Object.keys(REQUESTS).sort());
    expect(queries).toHaveLength(20);
  });

  describe.each(queries)('$id, $path', (operation) => {
    const { path } = operation;
    const fields = recordOf(document, operation)?.fields ?? [];
    const stated = membersStated(operation);

    /** The objects that the answer to a request holds beside its records, and the records. */
    async function answered(params: Readonly<Record<string, string>>) {
      const answer = await ask(service, path, requestOf(path, params));
      expect(answer.status).toBe(200);
      expect(Object.entries(JSON.parse(answer.text) as WireObject)).toEqual([
        ['code', '0'],
        ['msg', ''],
        ['data', answer.data],
      ]);
      if (stated === undefined) return { pages: [], records: answer.data };
      expect(answer.data).toHaveLength(1);
      const records = answer.data.flatMap((page) => page[stated.at(-1) ?? ''] as WireObject[]);
      return { pages: answer.data, records };
    }

    it('answers with the stated fields, each of its type', async () => {
      const seen = new Set<string>();
      for (const params of REQUESTS[path] ?? []) {
        const { pages, records } = await answered(params);
        for (const page of pages) {
          expect(Object.keys(page)).toEqual(stated);
          for (const name of (stated ?? []).slice(0, -1)) expect(page[name]).toBeTypeOf('string');
          for (const name of ['page', 'limit', 'totalPage']) expect(page[name]).toMatch(/^[0-9]+$/);
        }
        for (const record of records) {
          expect(Object.keys(record)).toEqual(fields.map(({ name }) => name));
          for (const { name, type } of fields) {
            const value = record[name];
            // Empty text is this interface's null. Flags have none; the chain knows all of them.
            expect(value, name).toBeTypeOf(jsonTypeOf(type));
            if (value !== '') seen.add(name);
          }
        }
      }
      const never = fields.map(({ name }) => name).filter((name) => !seen.has(name));
      expect(never, 'fields that no answer fills').toEqual([]);
    });

    it('pages as stated, whichever page is asked', async () => {
      const hasPages = operation.params.some(({ name }) => name === 'page');
      for (const page of hasPages ? ['1', '2', '9999'] : []) {
        const { pages } = await answered({ ...REQUESTS[path]?.[0], page, limit: '1' });
        for (const facts of pages) {
          expect(Object.keys(facts)).toEqual(stated);
          expect(facts).toMatchObject({ page, limit: '1' });
        }
      }
    });
  });

  it('answers a submission with one text', async () => {
    const operation = document.operations.find(({ method }) => method === 'POST');
    const { path = '', params = [] } = operation ?? {};
    const body = Object.fromEntries(
      params
        .filter(({ name, required }) => required !== 'no' && !name.includes('['))
        .map(({ name, meaning }) => [name, /`([^`]+)`/.exec(meaning)?.[1] ?? 'text']),
    );
    const query = { ...body, chainShortName: 'MAINCHAIN', contractAddress: `0x${'c'.repeat(40)}` };
    const { status, data } = await askPost(service, `/api/v5/${path}`, query);
    expect(status).toBe(200);
    expect(data).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
  });
});
