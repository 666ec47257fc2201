import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ReferenceFile } from '../server/reference-page.ts';

/** Reads a file of the API reference; the build puts them into `dist/reference`. */
export function readReference(name: ReferenceFile): Promise<string> {
  const file = fileURLToPath(new URL(`../../reference/${name}`, import.meta.url));
  return readFile(file, 'utf8');
}
