import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { many, systemConsole } from '../../../../src/cli/terminal/console.ts';
import { toneOf } from '../../../../src/cli/verbs/status/status-head.ts';
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

test('a terminal that has no columns is as wide as one that does not tell', () => {
  const stream = { write: () => true, isTTY: true, columns: 0 };
  const { columns, tableWidth } = systemConsole(false, stream, stream);
  expect({ columns, tableWidth }).toEqual({ columns: 100, tableWidth: undefined });
  const texts: string[] = [];
  const stderr = { ...stream, write: (text: string) => texts.push(text) };
  systemConsole(false, stream, stderr).statusLine?.show('lists 2/770 slices');
  expect(texts.join('')).toContain('lists 2/770 slices');
});

test('the seconds of a step whose line ends with dots are shown until the next line', () => {
  const shown = (isTTY: boolean, text: string): string => {
    const texts: string[] = [];
    const ticks = new Set<() => void>();
    const stream = { write: (part: string) => texts.push(part), isTTY };
    const console = systemConsole(false, stream, stream, {}, (_, tick) => {
      ticks.add(tick);
      return () => ticks.delete(tick);
    });
    console.note(text);
    for (const tick of [...ticks, ...ticks]) tick();
    console.out('Done ...');
    expect(ticks.size).toBe(0);
    return texts.join('');
  };
  const clock = '\r\u001b[K1 s\r\u001b[K2 s\r\u001b[K';
  expect(shown(true, 'Step ...')).toBe(`Step ...\n${clock}Done ...\n`);
  expect(shown(true, 'Step.')).toBe('Step.\nDone ...\n');
  expect(shown(false, 'Step ...')).toBe('Step ...\nDone ...\n');
});

test('only a terminal without NO_COLOR gets colours', () => {
  const last = (isTTY: boolean, env: NodeJS.ProcessEnv): string => {
    const texts: string[] = [];
    const stream = { write: (part: string) => texts.push(part), isTTY };
    systemConsole(false, stream, stream, env).note('No.', 'error');
    return texts.join('');
  };
  expect(last(true, {})).toBe('\u001b[31mNo.\u001b[39m\n');
  expect(last(true, { NO_COLOR: '' })).toContain('[31m');
  for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) expect(last(true, env)).toBe('No.\n');
  expect(last(false, {})).toBe('No.\n');
});

test('lines of the status are red, yellow or green by their meaning', () => {
  expect(
    [
      'DAMAGED a: torn',
      'TOO OLD: p has no success yet.',
      '  the last run, of 2026-01-01, was killed or crashed',
      '  the last run ended with exit code 1, 5 min ago',
      '  the last run ended with exit code 3, 5 min ago',
      'Incomplete: failed in 1 list (1 block times keys); see below.',
      '    truncated for 1 key, blocks 1 to 2',
      'Incomplete: nothing that was read.',
      '    complete for 1 key, blocks 1 to 2',
      '    provisional for 1 key, blocks 1 to 2',
      'Next: windrow run',
    ].map(toneOf),
  ).toEqual([
    ...Array.from({ length: 4 }, () => 'error'),
    ...Array.from({ length: 3 }, () => 'warn'),
    'good',
    'good',
    undefined,
    undefined,
  ]);
});

test('counts have a noun in the singular or the plural, and no message chooses one itself', async () => {
  expect([many(1, 'more range'), many(2_000, 'more range')]).toEqual([
    '1 more range',
    '2,000 more ranges',
  ]);
  const tree = await readTree(fileURLToPath(new URL('../../../../', import.meta.url)), 'src/cli');
  const chosen = [...tree].flatMap(([file, text]) =>
    [...text.matchAll(/\$\{[^{}]*\} more (?!and )[a-z ]*s\b/g)].map(
      ([match]) => `${file}: ${match}`,
    ),
  );
  expect(tree.size).toBeGreaterThan(70);
  expect(chosen).toEqual([]);
});
