import { readdirSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { tablesSource } from '../../service/src/memory/records-source.ts';
import type { Cell } from '../../src/catalogue/column-kind.ts';
import type { Endpoint } from '../../src/catalogue/entry.ts';
import { endpointAt, endpoints, wordsOfDataset } from '../../src/catalogue/index.ts';
import type { CanonicalRecord } from '../../src/catalogue/record.ts';
import { listOf } from '../../src/coverage/list.ts';
import { codeTable } from '../../src/fetch/http/codes.ts';
import { openEnvelope } from '../../src/fetch/http/envelope.ts';
import { tableColumns } from '../../src/land/rows/columns.ts';
import { decode } from '../../src/land/rows/decode.ts';
import { askPost, askTarget, serviceOver } from './asking.ts';
import { type Exchange, sampleOf } from './literal-exchange.ts';

/**
 * Client and service read one catalogue, so a wrong entry would pass every round trip between them.
 * These exchanges were typed from the text of the interface, and know nothing of the catalogue.
 */

const folder = new URL('./literals/', import.meta.url);
const literals: readonly Exchange[] = await Promise.all(
  readdirSync(folder).map(
    async (file) => ((await import(new URL(file, folder).href)) as { literal: Exchange }).literal,
  ),
);
const queries = literals.filter((literal) => literal.body === undefined);
const submissions = literals.filter((literal) => literal.body !== undefined);
const samples = queries.flatMap((literal) => {
  const { sample } = literal;
  return sample === undefined ? [] : [{ ...literal, ...sample, response: sampleOf(literal) }];
});

/** The filters of a request, as a walk knows them: all but the chain, the pages and the blocks. */
const NO_FILTERS = /^(chainShortName|page|limit|height|(start|end)BlockHeight)$/;

function filtersIn({ target }: Exchange): Record<string, string> {
  const query = new URL(target, 'http://localhost').searchParams;
  return Object.fromEntries([...query].filter(([name]) => !NO_FILTERS.test(name)));
}

/** What a record is in the lake: every column of its dataset, but for those in `left`. */
function landed(dataset: string, record: CanonicalRecord, left: readonly string[]) {
  const cells: Record<string, Cell> = {};
  for (const { column, kind } of wordsOfDataset(dataset)) {
    const value = left.includes(column) ? null : (record[column] ?? null);
    const decoded = value === null ? [] : (kind.decode(String(value)) ?? []);
    kind.columns.forEach(({ suffix }, i) => {
      cells[column + suffix] = decoded[i] ?? null;
    });
  }
  return cells;
}

/** What a client makes of a response: rows of the dataset by column, without their lineage. */
function understood(
  exchange: Exchange,
  dataset: string,
  response: unknown,
  endpoint = endpointAt(exchange.endpoint),
) {
  const http = { status: 200, headers: {}, body: JSON.stringify(response) };
  const opened = openEnvelope(endpoint, http, codeTable());
  if (opened.outcome !== 'reply') throw new Error(opened.message);
  const { rows, broken, drift } = decode(
    listOf(endpoint, filtersIn(exchange)),
    opened.reply.records,
    exchange.readAt,
  );
  if (broken.length > 0 || drift.size > 0) return { broken, drift };
  const names = tableColumns(dataset).map((column) => column.name);
  const width = Object.keys(landed(dataset, {}, [])).length;
  return rows.map(({ cells }) =>
    Object.fromEntries(names.slice(0, width).map((name, i) => [name, cells[i]])),
  );
}

/** The entry with two fields of one kind in each other's columns, for every two of them. */
function swappedColumns(entry: Endpoint): { what: string; mutant: Endpoint }[] {
  const { fields } = entry;
  return fields.flatMap((one, i) =>
    fields.slice(i + 1).flatMap((other, further) => {
      if (one.kind !== other.kind) return [];
      const swapped = [...fields];
      swapped[i] = { ...other, wire: one.wire, aliases: one.aliases };
      swapped[i + 1 + further] = { ...one, wire: other.wire, aliases: other.aliases };
      return [{ what: `${one.wire} and ${other.wire}`, mutant: { ...entry, fields: swapped } }];
    }),
  );
}

/** The first dataset of the records, and of its records those that the response lists. */
function expected({ records, listed }: Exchange) {
  const [first] = Object.entries(records);
  if (first === undefined) throw new Error('the exchange has no records');
  const [dataset, all] = first;
  const asListed = (listed ?? all.map((_, i) => i)).map((place) => {
    const record = all[place];
    if (record === undefined) throw new Error(`there is no record ${place}`);
    return record;
  });
  return { dataset, asListed };
}

describe('the literal exchanges', () => {
  it('cover every endpoint of the catalogue, and no other', () => {
    const covered = new Set(literals.map((literal) => literal.endpoint));
    expect([...covered].sort()).toEqual(endpoints.map((entry) => entry.path).sort());
    expect(
      literals.map(({ endpoint, target }) => target.startsWith(`/api/v5/${endpoint}`)),
    ).toEqual(literals.map(() => true));
  });

  it.each(queries)('$endpoint answers to the letter: $target', async (exchange) => {
    const service = serviceOver(tablesSource(new Map(Object.entries(exchange.records))));
    const answer = await askTarget(service, exchange.target);
    expect(answer.text).toBe(JSON.stringify(exchange.response));
    expect(answer.status).toBe(200);
  });

  it.each(queries)('$endpoint is decoded into its records: $target', (exchange) => {
    const { dataset, asListed } = expected(exchange);
    const rows = understood(exchange, dataset, exchange.response);
    expect(rows).toEqual(
      asListed.map((record) => landed(dataset, record, exchange.unserved ?? [])),
    );
    expect(asListed).not.toEqual([]);
  });

  it.each(samples)('$endpoint is decoded alike in the spelling of the sample', (exchange) => {
    const { dataset, asListed } = expected(exchange);
    const left = [...(exchange.unserved ?? []), ...(exchange.missing ?? [])];
    expect(understood(exchange, dataset, exchange.response)).toEqual(
      asListed.map((record) => landed(dataset, record, left)),
    );
  });

  it('would show any two fields of a kind that landed in swapped columns', () => {
    const survivors: string[] = [];
    let tried = 0;
    for (const entry of endpoints) {
      const exchanges = queries.filter(({ endpoint }) => endpoint === entry.path);
      for (const { what, mutant } of swappedColumns(entry)) {
        tried += 1;
        const isShown = exchanges.some((exchange) => {
          const { dataset, asListed } = expected(exchange);
          const rows = understood(exchange, dataset, exchange.response, mutant);
          const wanted = asListed.map((record) => landed(dataset, record, exchange.unserved ?? []));
          return !isDeepStrictEqual(rows, wanted);
        });
        if (!isShown) survivors.push(`${entry.path}: ${what}`);
      }
    }
    expect(survivors).toEqual([]);
    expect(tried).toBeGreaterThan(250);
  });

  it('have a sample of every spelling that differs from the documented one', () => {
    expect(samples.map(({ endpoint }) => endpoint).sort()).toEqual([
      'mainchain/address/native-token-position-list',
      'mainchain/block/block-fills',
      'mainchain/token/transaction-list',
      'mainchain/transaction/token-transfer-multi',
    ]);
    const aliased = endpoints.filter(
      ({ fields, reply }) =>
        fields.some(({ aliases }) => aliases.length > 0) ||
        (reply.shape === 'paged' && reply.listAliases !== undefined),
    );
    for (const { path } of aliased) {
      expect(samples.map(({ endpoint }) => endpoint)).toContain(path);
    }
  });
});

describe('the literal submissions', () => {
  it.each(submissions)('$endpoint is answered with one GUID', async (exchange) => {
    const service = serviceOver(tablesSource(new Map(Object.entries(exchange.records))));
    const answer = await askPost(service, exchange.target, exchange.body);
    expect(answer.status).toBe(200);
    const [guid, ...more] = answer.data as readonly unknown[];
    expect([typeof guid, more]).toEqual(['string', []]);
    expect(guid).toMatch(/^[0-9a-f]{32}$/);
    expect(answer.text).toBe(JSON.stringify({ ...(exchange.response as object), data: [guid] }));
  });

  it.each(submissions)(
    '$endpoint is refused when a required member is missing',
    async (exchange) => {
      const service = serviceOver(tablesSource(new Map()));
      const required = ['chainShortName', 'contractAddress', 'contractName', 'sourceCode'];
      for (const name of [...required, 'codeFormat', 'compilerVersion', 'optimization']) {
        const { [name]: left, ...body } = exchange.body ?? {};
        expect(left, name).toBeDefined();
        const answer = await askPost(service, exchange.target, body);
        expect(answer.code, name).not.toBe('0');
      }
    },
  );
});
