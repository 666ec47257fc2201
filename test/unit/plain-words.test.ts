import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { namesBelow } from '../fixtures/names-below.ts';

/** Goal: comments, messages and pages avoid words that stop a reader. */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const AVOIDED = /\b(anew|nobody|everybody|told|manyth|dear)\b/gi;
const MOST_PER_THOUSAND = 3;

/** The texts of a folder's files, by their names. */
function textsIn(folder: string, names: RegExp): Map<string, string> {
  const files = namesBelow(join(ROOT, folder));
  const matches = files.filter((name) => names.test(name)).sort();
  return new Map(matches.map((name) => [name, readFileSync(join(ROOT, folder, name), 'utf8')]));
}

function commentsOf(code: string): string {
  return [...code.matchAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm)].map(([text]) => text).join('\n');
}

/** How often a text says the word, in 1,000 words. */
function perThousand(word: RegExp, text: string): number {
  const words = text.match(/[A-Za-z']+/g)?.length ?? 0;
  return ((text.match(word)?.length ?? 0) / Math.max(1, words)) * 1000;
}

test.each(['src', 'service/src', 'sql'])('%s avoids them', (folder) => {
  const findings = [...textsIn(folder, /\.(ts|sql)$/)].flatMap(([name, text]) =>
    [...text.matchAll(AVOIDED)].map(([word]) => `${name}: ${word}`),
  );
  expect(findings).toEqual([]);
});

test('docblocks begin with their subject', () => {
  const headless = /\/\*\*(\n *\*)? (Of|By|The same)\b/;
  expect('/** By name. */').toMatch(headless);
  const findings = ['src', 'service/src'].flatMap((root) =>
    [...textsIn(root, /\.ts$/)].filter(([, text]) => headless.test(text)).map(([name]) => name),
  );
  expect(findings).toEqual([]);
});

test('comments and pages name their subjects instead of "what"', () => {
  expect(perThousand(/\bwhat\b/gi, 'what is asked')).toBeGreaterThan(300);
  expect(commentsOf('/** One. */ what();\n  // two\n')).not.toContain('what');
  const texts = ['src', 'service/src'].flatMap((root) => [...textsIn(root, /\.ts$/).values()]);
  const comments = texts.map(commentsOf).join('\n');
  const pages = [
    ...textsIn('docs', /\.md$/).values(),
    readFileSync(join(ROOT, 'README.md'), 'utf8'),
  ];
  for (const text of [comments, pages.join('\n')]) {
    expect(perThousand(/\bwhat\b/gi, text)).toBeLessThanOrEqual(MOST_PER_THOUSAND);
  }
});
