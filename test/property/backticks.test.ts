import fc from 'fast-check';
import { expect, test } from 'vitest';
import { identifier } from '../../src/land/storage/sql-text.ts';
import { withoutBackticks } from '../../src/load/query/backticks.ts';

/** Goal: of any SQL, only the names in backticks change. */

const SEED = 20_261;

/** Text with the characters that start and end tokens. */
const part = fc
  .array(fc.constantFrom('a', 'e', ' ', '`', "'", '"', '$', '-', '/', '*', '\\', '.', 'é', '\n'))
  .map((all) => all.join(''));

const kept = fc.oneof(
  part.map((text) => `'${text.replaceAll("'", "''")}'`),
  part.map((text) => `"${text.replaceAll('"', '""')}"`),
  part.map((text) => `E'${text.replace(/['\\]/g, '\\$&')}'`),
  part.map((text) => `-- ${text.replaceAll('\n', '')}\n`),
  part.map((text) => `/* ${text.replace(/[/*]/g, '')} /* ${text.replace(/[/*]/g, '')} */ */`),
  part.map((text) => `$x$ ${text.replaceAll('$', '')} $x$`),
  fc.constantFrom('SELECT', '$1', 'a$b$', '1.5', '- 2', 'é'),
);
const name = fc
  .tuple(fc.constantFrom('from', 'a b', 'x"y', "it's", '--', '/*', '$$'), fc.boolean())
  .map(([text, isPath]) => {
    const path = isPath ? ['t', text] : [text];
    return { text: `\`${path.join('.')}\``, wanted: path.map(identifier).join('.') };
  });

test(`only names in backticks change (seed ${SEED})`, () => {
  const piece = fc.oneof(
    kept.map((text) => ({ text, wanted: text })),
    name,
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const sql = pieces.map((entry) => entry.text).join(' ');
      expect(withoutBackticks(sql)).toBe(pieces.map((entry) => entry.wanted).join(' '));
    }),
    { seed: SEED, numRuns: 2000 },
  );
});
