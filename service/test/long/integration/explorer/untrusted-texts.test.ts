import { parseHTML } from 'linkedom';
import { expect, it } from 'vitest';
import { keepNames } from '../../../../../src/land/names.ts';
import {
  exploredLake,
  hashOf,
  MAIN_HASH,
  OTHER,
  OWN,
  TOKEN,
  ZONE_HASH,
} from '../../../../../test/fixtures/explored-lake.ts';
import { FORMULAS, MARKUP } from '../../../../../test/fixtures/injections.ts';
import { whenOver } from '../../../../../test/fixtures/when-over.ts';

/** Goal: texts of tokens, labels and requests stay texts on every page. */

const TARGETS = [
  `/explore/address/${OWN}`,
  `/explore/tx/${MAIN_HASH}`,
  `/explore/tx/${hashOf(6)}`,
  `/explore/journey/${ZONE_HASH}`,
  '/explore/block/primary/10',
  `/explore/token/${TOKEN}`,
];

async function elementsOf(symbol: string, label: string): Promise<string[][]> {
  const { small, explorer, close } = await exploredLake(symbol);
  whenOver(close);
  const labels = new Map([OWN, OTHER, TOKEN].map((entry) => [entry, label]));
  await keepNames(small.lake, { labels });
  await small.publish();
  const all: string[][] = [];
  for (const path of TARGETS) {
    const { status, body } = await explorer.answer(path, '');
    expect(status).toBe(200);
    const { document } = parseHTML(body);
    expect(document.body.textContent).toContain(label);
    all.push([...document.querySelectorAll('*')].map(({ localName }) => localName));
  }
  return all;
}

it('no text of 80 becomes an element', async () => {
  const clean = await elementsOf('TOK', 'label');
  const attacks = [...MARKUP, ...FORMULAS].join(' ');
  expect(await elementsOf(attacks, attacks.replace(/\s+/g, ' '))).toEqual(clean);
});

it('no text of 80 becomes an element of the page that answers a search for it', async () => {
  const { explorer, close } = await exploredLake();
  whenOver(close);
  const pages = [];
  for (const text of ['nothing', ...MARKUP, ...FORMULAS]) {
    const { body } = await explorer.answer('/explore/search', `q=${encodeURIComponent(text)}`);
    const { document } = parseHTML(body);
    pages.push([...document.querySelectorAll('*')].map(({ localName }) => localName));
  }
  const [first, ...others] = pages;
  for (const other of others) expect(other).toEqual(first);
});
