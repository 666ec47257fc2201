import { expect, it } from 'vitest';
import { report } from '../../../src/cli/command-line.ts';
import { quietConsole } from '../../fixtures/quiet-console.ts';

/** Goal: an error of the operating system that no stage has named is told in words. */

it.each([
  ['ENOSPC', /The disk is full\. Make room/],
  ['EIO', /The disk failed\. Check the disk/],
  ['EACCES', /The operating system reports: .*permissions/],
])('%s is no stack trace', (code, words) => {
  const notes: string[] = [];
  const error = Object.assign(new Error(`${code}: told by the system, write`), { code });
  const output = { ...quietConsole, note: (text: string) => void notes.push(text) };
  expect(report(error, output)).toBe(1);
  expect(notes.join()).toMatch(words);
  expect(notes.join()).not.toContain('    at ');
});
