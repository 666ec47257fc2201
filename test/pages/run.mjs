/**
 * Pages of windrow in headless Chromium, light on a wide screen and dark on a phone: no
 * error on the console, charts drawn, nothing wider than the screen, no serious finding of axe, and
 * nothing of 80 hostile texts run. The pages are that of a run, those about a lake, and the API
 * reference, in which a request is signed and answered.
 *
 *     npm ci --prefix test/pages && node test/pages/run.mjs [DATA_ROOT]
 *
 * Needs Chromium (CHROMIUM names another path). SCREENSHOTS=DIR keeps images of all pages.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { packageOf } from '../interop/package-of.mjs';
import { Tally } from '../interop/tally.mjs';
import { checkLake } from './lake.mjs';
import { checkReference } from './reference.mjs';
import { LOOKS } from './screens.mjs';

const axe = packageOf('test/pages', 'axe-core');
const { chromium } = packageOf('test/pages', 'playwright-core');
const run = promisify(execFile);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const MAIN = here('../../dist/cli/main.js');
const TITLES = [
  'Planned and actual',
  'Coverage',
  'Reconciliations',
  'Rate',
  'Rows per day',
  'Captures',
  'Checks',
  'Quarantine',
  'Drift',
  'Storage',
];

/** Ends a wait that hangs, and no other one, however slow the machine is. */
const HANG_MS = 1_200_000;

const tally = new Tally();
const tabs = new Map();
const folder = await mkdtemp(join(tmpdir(), 'windrow-pages-'));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
  timeout: HANG_MS,
});
try {
  const data = process.argv[2] ?? (await demo());
  const report = join(folder, 'report.html');
  await windrow('report', '--data', data, '--out', report);
  await checkPage('report', report, 4);
  const hostile = join(folder, 'hostile.html');
  await writeFile(hostile, await hostilePage());
  await checkPage('hostile', hostile, 4);
  await checkLake(data, visit, tally);
  await checkReference(visit);
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
  for (const { screen, colorScheme } of LOOKS) {
    await checkOn(`${name}, ${screen.name}, ${colorScheme}`, file, charts, screen, colorScheme);
  }
}

async function checkOn(label, file, charts, screen, colorScheme) {
  const url = pathToFileURL(file).href;
  await visit(label, url, { screen, colorScheme }, async (page) => {
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
    await page.keyboard.press('Tab');
    const focused = 'document.activeElement.getAttribute("href")';
    tally.equal(
      `${label}: the first key reaches the content`,
      await page.evaluate(focused),
      '#main',
    );
  });
}

/**
 * Opens a page under its policy on the wide screen, and on each screen without it, because axe runs
 * in the page; judges messages and requests elsewhere. `use` looks at the page without a policy.
 * `loads` are beginnings of further addresses that the page may load.
 */
async function visit(label, url, { screen, colorScheme, loads = [] }, use) {
  if (screen === LOOKS[0].screen) {
    const strict = await opened(url, screen, colorScheme, loads, false);
    await strict.page.waitForLoadState('networkidle');
    tally.equal(`${label}: console under its policy`, strict.messages, []);
    tally.equal(`${label}: requests under its policy`, strict.requests, []);
    strict.page.removeAllListeners();
  }
  const { page, messages, requests } = await opened(url, screen, colorScheme, loads, true);
  await page.waitForLoadState('networkidle');
  tally.equal(`${label}: console`, messages, []);
  tally.equal(`${label}: requests`, requests, []);
  await use(page, tally);
  const wide = await page.evaluate('document.documentElement.scrollWidth');
  tally.holds(`${label}: fits the screen (${wide})`, wide <= screen.width);
  await page.evaluate(axe.source);
  const closed = page.locator('details:not([open])');
  await closed.evaluateAll((all) => {
    for (const element of all) element.open = true;
  });
  const { violations } = await page.evaluate('axe.run()');
  const serious = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.length} times, ${nodes[0].html.slice(0, 120)}`);
  tally.equal(`${label}: axe`, serious, []);
  await page.locator('details').evaluateAll((all) => {
    for (const element of all) element.open = false;
  });
  const images = process.env.SCREENSHOTS;
  if (images !== undefined) {
    const path = join(images, `${label.replaceAll(', ', '-')}.png`);
    await page.screenshot({ path, fullPage: true });
  }
  page.removeAllListeners();
}

/** Opens an address in the tab of these options, whose process is started once for all pages. */
async function opened(url, { width, height }, colorScheme, loads, bypassCSP) {
  const options = { viewport: { width, height }, colorScheme, bypassCSP };
  const name = JSON.stringify(options);
  if (!tabs.has(name)) {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(HANG_MS);
    tabs.set(name, await context.newPage());
  }
  const page = tabs.get(name);
  const messages = [];
  const requests = [];
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(String(error)));
  page.on('request', (request) => {
    const target = request.url();
    if (target !== url && !loads.some((start) => target.startsWith(start))) requests.push(target);
  });
  await page.goto(url);
  return { page, messages, requests };
}

/** A page in which every text is an attack. */
async function hostilePage() {
  const { reportPage } = await import(here('../../dist/export/report/page.js'));
  const code = await readFile(here('../fixtures/injections.ts'), 'utf8');
  const lists = [...code.matchAll(/readonly string\[\] = (\[[\s\S]*?\n\]);/g)];
  const texts = lists.flatMap(([, list]) => Function(`return ${list}`)());
  const perText = (make) => texts.map((text, i) => make(text, i));
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
        statuses: Object.fromEntries(perText((text, i) => [text, i])),
        drift: Object.fromEntries(perText((text, i) => [text, i])),
        absent: Object.fromEntries(perText((text, i) => [text, i])),
      },
      pace: { ceilingPerSecond: 20, limitedBy: texts[60] },
      rate: [0, 1, 2, 3, 4].map((second) => ({
        seconds: second,
        requests: second * second * 3,
        rejections: 0,
        ceilingPerSecond: second > 1 ? 20 : null,
      })),
      failed: perText((text) => ({ endpoint: text, from: 1, to: 2, reason: text })),
      checks: perText((text, i) => ({
        check: text,
        severity: 'error',
        findings: i,
        examples: [{ finding: text, [text]: text }],
      })),
    },
    {
      windows: perText((text, i) => ({
        axis: 'primary',
        dataset: text,
        from: i,
        to: i + 9,
        share: i % 2,
      })),
      evidence: perText((text) => ({ dataset: text, complete: 2, complete_and_reconciled: 1 })),
      reconciliations: {
        titles: texts.slice(0, 5),
        rows: perText((text, i) => ({ address: text, results: [text, String(i), 'agrees'] })),
        addresses: 1000,
        assets: 5,
      },
      rowsPerDay: texts
        .slice(40, 45)
        .flatMap((text) => days.map((day) => ({ day, dataset: text, rows: 7 }))),
      captures: {
        health: perText((text) => ({ hour: text, gaps: 1 })),
        gaps: perText((text) => ({ reason: text, gaps: 1 })),
        outcomes: perText((text) => ({ outcome: text, transactions: 1 })),
        pending: perText((text) => ({ comparison: text, values: 1 })),
      },
      quarantine: perText((text) => ({ state: text, dataset: text, reason: text, records: 1 })),
      tables: perText((text, i) => ({
        chain: text,
        dataset: text,
        files: 1,
        rows: i,
        bytes: i * 1e6,
      })),
    },
  );
}
