import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import folders from '../mutation/folders.json' with { type: 'json' };
import { mutantsIn } from '../mutation/mutants.mjs';
import survivors from '../mutation/survivors.json' with { type: 'json' };

const SOURCE = `export function part(a: number, b?: Part): number | undefined {
  if (b === undefined) return undefined;
  if (a < b.from || b.isOpen) a = b.to + 1;
  return a > 3 ? a : (b as Whole).size;
}`;

test('mutants drop guards and halves of conditions, negate conditions and shift bounds', () => {
  const changed = mutantsIn('a.ts', SOURCE).map(({ line, kind, start, end, text }) => {
    const mutant = SOURCE.slice(0, start) + text + SOURCE.slice(end);
    return `${kind}:${mutant.split('\n')[line - 1]}`;
  });
  expect(changed).toEqual([
    'drop guard:  ;',
    'negate:  if (!(a < b.from || b.isOpen)) a = b.to + 1;',
    'drop half:  if (a < b.from) a = b.to + 1;',
    'shift bound:  if (a <= b.from || b.isOpen) a = b.to + 1;',
    'shift bound:  if (a < b.from || b.isOpen) a = b.to;',
    'negate:  return !(a > 3) ? a : (b as Whole).size;',
    'shift bound:  return a >= 3 ? a : (b as Whole).size;',
  ]);
});

test('listed survivors are mutants, and the tests of each folder exist', () => {
  for (const { file, kind, code } of survivors) {
    const mutants = mutantsIn(file).filter((mutant) => mutant.kind === kind);
    expect(
      mutants.map((mutant) => mutant.code),
      file,
    ).toContain(code);
  }
  for (const [source, tests] of Object.entries(folders)) {
    expect(existsSync(source), source).toBe(true);
    for (const folder of tests.filter((name) => name.endsWith('/'))) {
      expect(existsSync(folder), folder).toBe(true);
    }
  }
});
