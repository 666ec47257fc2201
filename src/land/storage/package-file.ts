import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Files that are part of the package: SQL, pipelines, templates of notebooks. */

/** The folder of the package, as seen from `src/land/storage` and from `dist/land/storage`. */
const PACKAGE = new URL('../../../', import.meta.url);

/** The path of a file, given its path in the package. */
export function packageFile(path: string): string {
  return fileURLToPath(new URL(path, PACKAGE));
}

/** The text of a file. There are hundreds of small ones: waiting for each would take longer. */
export function packageText(path: string): string {
  return readFileSync(packageFile(path), 'utf8');
}

/** Names of the files of a folder that end so, without the ending, in order. */
export function namesInPackage(folder: string, ending: string): string[] {
  return readdirSync(packageFile(folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
    .sort();
}
