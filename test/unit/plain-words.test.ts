import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Goal: comments and messages that users read first avoid words that stop a reader. */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const AVOIDED = /\b(anew|nobody|everybody|told|manyth|dear)\b/gi;

test.each(['src/cli', 'src/load', 'src/export', 'sql'])('%s avoids them', (folder) => {
  const files = readdirSync(join(ROOT, folder), { recursive: true })
    .map(String)
    .filter((name) => /\.(ts|sql)$/.test(name));
  const found = files.flatMap((name) => {
    const text = readFileSync(join(ROOT, folder, name), 'utf8');
    return [...text.matchAll(AVOIDED)].map(([word]) => `${name}: ${word}`);
  });
  expect(found).toEqual([]);
});
