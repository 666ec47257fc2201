/**
 * Writes the pictures of the start page from a lake, with `windrow report`, a notebook and Chromium:
 *
 *     npm ci --prefix test/pages && node docs/site/pictures.mjs data/demo
 *
 * Needs the packages of notebooks/requirements.txt (WINDROW_PYTHON names their Python) and Chromium
 * (CHROMIUM names another path).
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { packageOf } from '../../test/interop/package-of.mjs';

const { chromium } = packageOf('test/pages', 'playwright-core');
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const data = process.argv[2] ?? 'data/demo';
const folder = await mkdtemp(join(tmpdir(), 'windrow-pictures-'));
const windrow = (...args) => {
  execFileSync(process.execPath, [here('../../dist/cli/main.js'), ...args, '--data', data]);
};
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1300 } });
  windrow('report', '--out', join(folder, 'report.html'));
  await page.goto(pathToFileURL(join(folder, 'report.html')).href);
  await page.screenshot({ path: here('pictures/report.png') });
  const notebook = join(folder, 'notebook.ipynb');
  windrow('notebook', 'analyst-questions', '--out', notebook, '--execute', '--html');
  await page.goto(pathToFileURL(join(folder, 'notebook.html')).href);
  // The first chart shows the coverage.
  await page
    .locator('img')
    .nth(1)
    .screenshot({ path: here('pictures/notebook.png') });
} finally {
  await browser.close();
  await rm(folder, { recursive: true, force: true });
}
