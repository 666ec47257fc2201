import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dataDictionary, TABLE_JOINS } from '../../../src/load/data-dictionary.ts';
import { type Description, describeAll } from '../../../src/load/describe.ts';
import {
  type WarehouseRelation,
  warehouseRelations,
} from '../../../src/load/warehouse-relations.ts';
import { LIST, SmallLake, transaction } from '../../fixtures/load-lake.ts';

/** Goal: docs/data-dictionary.md is current, and its examples run. `UPDATE=1` writes the page. */

const DOCUMENT = fileURLToPath(new URL('../../../docs/data-dictionary.md', import.meta.url));

let all: Description;
let relations: WarehouseRelation[];
let small: SmallLake;

beforeAll(async () => {
  all = await describeAll(await warehouseRelations());
  relations = await warehouseRelations();
  small = await SmallLake.open();
  await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
  await small.publish();
});
afterAll(() => small.close());

test('the page is what the warehouse says', async () => {
  const page = dataDictionary(all, relations);
  if (process.env['UPDATE'] === '1') await writeFile(DOCUMENT, page);
  expect(await readFile(DOCUMENT, 'utf8')).toBe(page);
});

test('every column has a type, and no internal table is shown', () => {
  for (const { name, columns } of [...all.views, ...all.familiar]) {
    expect(columns.length, name).toBeGreaterThan(0);
    expect(
      columns.filter(({ type }) => type === ''),
      name,
    ).toEqual([]);
  }
  const schemas = new Set(relations.map(({ name }) => name.replace(/[^.]*$/, '')));
  expect([...schemas].sort()).toEqual([
    '',
    'bigquery.',
    'crypto_ethereum.',
    'curated.',
    'dune.',
    'erc1155_ethereum.',
    'erc20_ethereum.',
    'erc721_ethereum.',
    'ethereum.',
    'etherscan.',
    'lake.',
    'tokens.',
  ]);
});

describe('examples', () => {
  test('every view has one, and every macro that no other file needs', () => {
    const without = [...all.views, ...all.familiar].filter(({ example }) => example === '');
    expect(without.map(({ name }) => name)).toEqual([]);
    const shown = all.macros.filter(({ example }) => example !== '');
    expect(shown.length).toBeGreaterThanOrEqual(15);
    for (const { signature, name } of all.macros)
      expect(signature).toMatch(new RegExp(`^${name}\\(`));
  });

  test('every one runs, and names its view or macro', async () => {
    for (const { name, alias, example } of [...all.views, ...all.familiar, ...all.macros]) {
      if (example === '') continue;
      expect(example.toLowerCase()).toContain((alias || name).toLowerCase());
      await expect(small.rows(example), name).resolves.toBeInstanceOf(Array);
    }
  });
});

test('tables of the diagram have the columns that join them', () => {
  const columns = new Map(
    relations.map(({ name, columns: options }) => [name, options.map((column) => column.name)]),
  );
  for (const { one, many, on } of TABLE_JOINS) {
    for (const [left, right] of on) {
      expect(columns.get(one), one).toContain(left);
      expect(columns.get(many), many).toContain(right);
    }
  }
});

test('SHOW TABLES lists the views of the dictionary and nothing else', async () => {
  const shown = await small.rows('SHOW TABLES');
  expect(shown.map(([name]) => name)).toEqual(all.views.map(({ name }) => name));
});

test('bars and tags in comments end no cell and become no markup', () => {
  const [view] = all.views;
  if (view === undefined) throw new Error('There are no views.');
  const page = dataDictionary({ ...all, views: [{ ...view, meaning: 'a | b <script>' }] }, []);
  expect(page).toContain('a \\| b \\<script>');
});
