import { appendFile, copyFile, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OWN = fileURLToPath(new URL('./reference/', import.meta.url));
const OWN_FILES = ['reference.js', 'reference.css'];
const SWAGGER = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
const SWAGGER_FILES = ['swagger-ui-bundle.js', 'swagger-ui.css'];
const LICENSES = ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'];

/**
 * Puts the files of the API reference into `dist/reference`. Swagger UI is copied, so an installed
 * windrow needs two of its files and not the package, which is seven times as large.
 */
export async function copyReference(dist) {
  const to = join(dist, 'reference');
  await mkdir(to);
  for (const file of OWN_FILES) await copyFile(join(OWN, file), join(to, file));
  for (const file of SWAGGER_FILES) await copyFile(join(SWAGGER, file), join(to, file));
  const texts = await Promise.all(LICENSES.map((file) => readFile(join(SWAGGER, file), 'utf8')));
  const { version } = JSON.parse(await readFile(join(SWAGGER, 'package.json'), 'utf8'));
  const title = `${'-'.repeat(80)}\n\nswagger-ui-dist ${version}\n\n`;
  await appendFile(join(dist, 'THIRD-PARTY-LICENSES.txt'), `\n${title}${texts.join('\n')}`);
}
