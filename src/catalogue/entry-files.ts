import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));

/**
 * All that the files under a folder of the catalogue export, in the order of their paths. The build
 * replaces this module by one that imports the same files, so that they are part of the bundle.
 */
export async function entriesUnder<T>(folder: string): Promise<T[]> {
  const files = await readdir(`${here}${folder}`, { recursive: true }).catch(() => []);
  const modules = files.filter((file) => /(?<!\.d)\.(ts|js)$/.test(file)).sort();
  const entries: T[] = [];
  for (const file of modules) {
    const exported = Object.values(
      (await import(new URL(`${folder}/${file}`, import.meta.url).href)) as Record<string, T>,
    );
    entries.push(...exported);
  }
  return entries;
}
