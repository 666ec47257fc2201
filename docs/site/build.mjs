/**
 * Builds the site from README.md, ARCHITECTURE.md, CHANGELOG.md and docs/ into docs/site/dist, and
 * compares every link and anchor with the pages. VitePress itself ends for a dead page.
 *
 *     npm ci --prefix docs/site
 *     npm run docs
 *
 * Ends with one line, `N passed, N failed`: the links that were followed.
 */
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'vitepress';
import { brokenLinks } from './links.mjs';
import { sitePages } from './pages.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

await rm(here('pages'), { recursive: true, force: true });
await mkdir(here('pages/public'), { recursive: true });
await cp(here('start.md'), here('pages/index.md'));
await cp(here('pictures'), here('pages/public'), { recursive: true });
for (const { pages } of await sitePages()) {
  for (const { name, text } of pages) await writeFile(here(`pages/${name}.md`), text);
}
await build(here('.'));
const { links, broken } = await brokenLinks(here('dist'), process.env.DOCS_BASE ?? '/');
for (const link of broken) process.stdout.write(`FAILED ${link}\n`);
process.stdout.write(`${links - broken.length} passed, ${broken.length} failed\n`);
process.exitCode = links === 0 || broken.length > 0 ? 1 : 0;
