import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The version in package.json, which lies beside both `src` and `dist`. */
export function windrowVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}
