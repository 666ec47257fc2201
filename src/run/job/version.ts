import { z } from 'zod';
import { packageText } from '../../land/storage/package-file.ts';

/** The version in package.json. */
export function windrowVersion(): string {
  const document: unknown = JSON.parse(packageText('package.json'));
  return z.object({ version: z.string() }).parse(document).version;
}
