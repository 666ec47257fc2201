import { expect, test } from 'vitest';
import { systemConsole } from '../../../../src/cli/terminal/console.ts';

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
