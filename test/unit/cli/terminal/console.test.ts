import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { many, systemConsole } from '../../../../src/cli/terminal/console.ts';
import { readTree } from '../../../model/source-tree.ts';

/** What a console writes for a text, as a result and as a message. */
function written(text: string, isTTY: boolean): string[] {
  const texts: string[] = [];
  const stream = { write: (part: string) => texts.push(part), isTTY };
  const console = systemConsole(false, stream, stream);
  console.out(text);
  console.note(text);
  return texts;
}

test('a terminal gets no control characters of paths but tabs and ends of lines', () => {
  const text = 'data/\u001b[2Jroot\u0007\u009b1A\r\n\tnext é';
  const shown = 'data/\\u001b[2Jroot\\u0007\\u009b1A\\u000d\n\tnext é\n';
  expect(written(text, true)).toEqual([shown, shown]);
  expect(written(text, false)).toEqual([`${text}\n`, `${text}\n`]);
});

test('counts have a noun in the singular or the plural, and no message chooses one itself', async () => {
  expect([many(1, 'more range'), many(2_000, 'more range')]).toEqual([
    '1 more range',
    '2,000 more ranges',
  ]);
  const tree = await readTree(fileURLToPath(new URL('../../../../', import.meta.url)), 'src/cli');
  const chosen = [...tree].flatMap(([file, text]) =>
    [...text.matchAll(/\$\{[^{}]*\} more (?!and )[a-z ]*s\b/g)].map(
      ([found]) => `${file}: ${found}`,
    ),
  );
  expect(tree.size).toBeGreaterThan(90);
  expect(chosen).toEqual([]);
});
