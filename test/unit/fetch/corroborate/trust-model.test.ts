import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FAMILIES } from '../../../hostile/families.ts';

/**
 * Goal: docs/trust-model.md states the constants of the program and the promises that test/hostile
 * tests.
 */

const read = (path: string): string =>
  readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');
const text = read('docs/trust-model.md').replaceAll(/\s+/g, ' ');

/** The value of a constant as written in a source file. */
function constant(file: string, name: string): number {
  const match = new RegExp(`const ${name} = ([0-9._e-]+);`).exec(read(`src/fetch/${file}.ts`));
  return Number(match?.[1]?.replaceAll('_', ''));
}

describe('the trust model', () => {
  it.each([
    ['walk/list-facts', 'RECENT_PAGES', (n: number) => `among the latest ${n}`],
    ['walk/heights/page-judge', 'NEARLY_FULL', (n: number) => `filled to ${n} or more`],
    ['corroborate/empty-answers', 'BATCH', (n: number) => `for every ${n} empty answers`],
    [
      'corroborate/empty-answers',
      'SAMPLE',
      (n: number) => `${n * 100} in 100 empty answers is read`,
    ],
    ['corroborate/empty-answers', 'MIN_SAMPLE', (n: number) => `${n} at least and`],
    ['corroborate/empty-answers', 'MAX_SAMPLE', (n: number) => `and ${n} at most`],
    ['corroborate/empty-answers', 'MAX_SILENT', (n: number) => `Up to ${n} empty answers of lists`],
    [
      'walk/heights/request-budget',
      'SPARE_REQUESTS',
      (n: number) => `a budget of requests: ${n}, and`,
    ],
    ['walk/heights/request-budget', 'REQUESTS_PER_PAGE', (n: number) => `and ${n} for each page`],
  ])('states the value of %s %s', (file, name, sentence) => {
    expect(text).toContain(sentence(constant(file, name)));
  });

  it('states the number of head readings', () => {
    const [, standard, strict] =
      /HEAD_READINGS = \{ standard: (\d+), strict: (\d+) \}/.exec(
        read('src/fetch/chain/pipeline-heads.ts'),
      ) ?? [];
    expect(text).toContain(`Each head is read ${standard} times`);
    expect(text).toContain(`(${strict} times with`);
    for (const [share, subject] of [
      [0.1, '10 %'],
      [0.5, 'half'],
    ] as const) {
      expect(text).toContain(`${((1 - share) ** Number(standard)).toFixed(3)} for ${subject}`);
    }
  });

  it.each([0.01, 0.03, 0.05, 0.1, 0.2])(
    'states the probability that false empty answers of share %d are missed',
    (p) => {
      const row = [10, 50, 200].map((e) => ((1 - p) ** e).toFixed(3)).join(' | ');
      expect(text).toContain(`| ${Math.round(p * 100)} % | ${row} |`);
    },
  );

  it('states the tested promise for each departure', () => {
    const words = { exact: 'always', likely: 'likely', strict: 'strict', open: 'not noticed' };
    for (const { name, promise } of FAMILIES) {
      expect(text).toContain(`| ${name} | ${words[promise]} |`);
    }
  });
});
