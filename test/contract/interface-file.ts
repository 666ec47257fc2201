import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';

/**
 * The document of the interface is not part of the repository: it lies beside it where the
 * interface is worked on. Elsewhere, what reads it is skipped, and says so.
 */
const file = fileURLToPath(new URL('../../../shared/spec/interface.md', import.meta.url));

/** Describes tests of the document's text; where it is absent, they are skipped with a line. */
export function withDocument(name: string, tests: (text: string) => void): void {
  if (existsSync(file)) {
    const text = readFileSync(file, 'utf8');
    describe(name, () => tests(text));
    return;
  }
  process.stdout.write(`Skipped: ${name} (there is no ${file}).\n`);
  describe.skip(name, () => undefined);
}
