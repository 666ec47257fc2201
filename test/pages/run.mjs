/**
 * Pages of windrow in headless Chromium, on a wide screen and on a phone, in light and dark: no
 * error on the console, charts drawn, nothing wider than the screen, no serious finding of axe, and
 * nothing of 80 hostile texts run.
 *
 *     node test/pages/run.mjs [DATA_ROOT]
 *
 * Needs Chromium (CHROMIUM names another path). SCREENSHOTS=DIR keeps images of all pages.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import axe from 'axe-core';
import { chromium } from 'playwright-core';
import { Tally } from '../interop/tally.mjs';

const run = promisify(execFile);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const MAIN = here('../../dist/cli/main.js');
const SCREENS = [
  { name: 'wide', width: 1280, height: 900 },
  { name: 'phone', width: 390, height: 844 },
];
const SCHEMES = ['light', 'dark'];
const TITLES = [
  'Planned and actual',
  'Coverage',
  'Rate',
  'Rows per day',
  'Checks',
  'Quarantine',
].concat(['Drift', 'Storage']);

const tally = new Tally();
const folder = await mkdtemp(join(tmpdir(), 'windrow-pages-'));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  const data = process.argv[2] ?? (await demo());
  const report = join(folder, 'report.html');
  await windrow('report', '--data', data, '--out', report);
  await checkPage('report', report, 4);
  const hostile = join(folder, 'hostile.html');
  await writeFile(hostile, await hostilePage());
  await checkPage('hostile', hostile, 4);
} catch (error) {
  tally.holds(`all steps can be taken: ${error.stack}`, false);
} finally {
  await browser.close();
  await rm(folder, { recursive: true, force: true });
}
tally.close();

async function windrow(...args) {
  return (await run(process.execPath, [MAIN, ...args], { maxBuffer: 64 * 1024 * 1024 })).stdout;
}

async function demo() {
  const data = join(folder, 'demo');
  await windrow('demo', '--data', data);
  return data;
}

async function checkPage(name, file, charts) {
  for (const screen of SCREENS) {
    for (const colorScheme of SCHEMES) {
      await checkOn(`${name}, ${screen.name}, ${colorScheme}`, file, charts, screen, colorScheme);
    }
  }
}

async function checkOn(label, file, charts, screen, colorScheme) {
  // axe runs in the page, whose policy allows no script; the policy itself is checked without it.
  const strict = await opened(file, screen, colorScheme, false);
  tally.equal(`${label}: console`, strict.messages, []);
  tally.equal(`${label}: requests`, strict.requests, []);
  await strict.context.close();
  const { context, page } = await opened(file, screen, colorScheme, true);
  tally.equal(`${label}: nothing ran`, await page.evaluate('window.hit'), undefined);
  tally.equal(`${label}: titles`, await page.locator('h2').allTextContents(), TITLES);
  const shown = await page.locator('svg:visible').count();
  tally.holds(`${label}: ${charts} charts are shown, not ${shown}`, shown >= charts);
  const marks = await page.locator('svg:visible').evaluateAll((all) =>
    all.map(
      (svg) =>
        [...svg.querySelectorAll('rect, path')].filter((mark) => {
          const { width, height } = mark.getBoundingClientRect();
          return width > 0.5 && height > 0.5;
        }).length,
    ),
  );
  tally.holds(
    `${label}: every chart has marks (${marks})`,
    marks.every((count) => count > 0),
  );
  const wide = await page.evaluate('document.documentElement.scrollWidth');
  tally.holds(`${label}: fits the screen (${wide})`, wide <= screen.width);
  await page.keyboard.press('Tab');
  tally.equal(`${label}: the first key reaches the content`, await focused(page), '#main');
  await page.evaluate(axe.source);
  await page.locator('details').evaluateAll((all) => {
    for (const each of all) each.open = true;
  });
  const { violations } = await page.evaluate('axe.run()');
  const serious = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.length} times, ${nodes[0].html.slice(0, 120)}`);
  tally.equal(`${label}: axe`, serious, []);
  await page.locator('details').evaluateAll((all) => {
    for (const each of all) each.open = false;
  });
  const images = process.env.SCREENSHOTS;
  if (images !== undefined) {
    await page.screenshot({
      path: join(images, `${label.replaceAll(', ', '-')}.png`),
      fullPage: true,
    });
  }
  await context.close();
}

function focused(page) {
  return page.evaluate('document.activeElement.getAttribute("href")');
}

async function opened(file, { width, height }, colorScheme, bypassCSP) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, bypassCSP });
  const page = await context.newPage();
  const messages = [];
  const requests = [];
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(String(error)));
  const url = pathToFileURL(file).href;
  page.on('request', (request) => {
    if (request.url() !== url) requests.push(request.url());
  });
  await page.goto(url);
  return { context, page, messages, requests };
}

/** A page in which every text is an attack. */
async function hostilePage() {
  const { reportPage } = await import(here('../../dist/report/page.js'));
  const code = await readFile(here('../fixtures/injections.ts'), 'utf8');
  const lists = [...code.matchAll(/readonly string\[\] = (\[[\s\S]*?\n\]);/g)];
  const texts = lists.flatMap(([, list]) => Function(`return ${list}`)());
  const each = (make) => texts.map((text, i) => make(text, i));
  const days = ['2024-01-03', '2024-01-04'];
  return reportPage(
    {
      run: texts[0],
      pipeline: texts[50],
      startedAt: '2024-01-02T03:04:05.000Z',
      endedAt: '2024-01-02T03:05:05.000Z',
      exitCode: 3,
      planned: { requests: 10, isLowerBound: true },
      actual: {
        requests: 12,
        rows: 5,
        statuses: Object.fromEntries(each((text, i) => [text, i])),
        drift: Object.fromEntries(each((text, i) => [text, i])),
        absent: Object.fromEntries(each((text, i) => [text, i])),
      },
      pace: { ceilingPerSecond: 20, limitedBy: texts[60] },
      rate: [0, 1, 2, 3, 4].map((second) => ({
        seconds: second,
        requests: second * second * 3,
        rejections: 0,
        ceilingPerSecond: second > 1 ? 20 : null,
      })),
      failed: each((text) => ({ endpoint: text, from: 1, to: 2, reason: text })),
      checks: each((text, i) => ({
        check: text,
        severity: 'error',
        findings: i,
        examples: [{ finding: text, [text]: text }],
      })),
    },
    {
      windows: each((text, i) => ({
        axis: 'primary',
        dataset: text,
        from: i,
        to: i + 9,
        share: i % 2,
      })),
      rowsPerDay: texts
        .slice(40, 45)
        .flatMap((text) => days.map((day) => ({ day, dataset: text, rows: 7 }))),
      quarantine: each((text) => ({ state: text, dataset: text, reason: text, records: 1 })),
      tables: each((text, i) => ({
        chain: text,
        dataset: text,
        files: 1,
        rows: i,
        bytes: i * 1e6,
      })),
    },
  );
}
