import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

/**
 * A package that one suite needs, from the folder of the suite. Ends the process with a line that
 * installs it, where it is missing.
 */
export function packageOf(folder, name) {
  try {
    return createRequire(`${REPOSITORY}${folder}/package.json`)(name);
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    process.stderr.write(`${name} is not installed: npm ci --prefix ${folder}\n`);
    process.exit(1);
  }
}
