import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { GUARDS } from '../mutation/guards.mjs';

test('the text of every guard stands in its file exactly once', async () => {
  const moved: string[] = [];
  for (const { name, file, text } of GUARDS) {
    const source = await readFile(file, 'utf8').catch(() => '');
    if (source.split(text).length !== 2) moved.push(`${name}: ${file}`);
  }
  expect(moved).toEqual([]);
});
