import { expect, it } from 'vitest';
import { wholeNumber } from '../../../../src/pipeline/syntax/fields.ts';

it.each([
  ['99999', '--port is out of range (99999).'],
  ['-1', '--port is out of range (-1).'],
  ['1.5', '--port is not a whole number ("1.5").'],
  ['', '--port is not a whole number ("").'],
])('the number %j is refused with its range', (text, message) => {
  const advice = 'Give a whole number from 0 to 65535.';
  const refused = expect.objectContaining({ message, advice, exitCode: 2 }) as Error;
  expect(() => wholeNumber('--port', text, 0, 65_535)).toThrow(refused);
});
