import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { localDisk } from '../../src/land/storage/disk.ts';
import { type LakeVerification, verifyLake } from '../../src/land/verify/verify-lake.ts';
import { windrowProcess } from '../e2e/command-line.ts';
import { digestsOf, exportLake, serve, temporaryRoot } from '../e2e/harness.ts';
import { askingFor, MANY_COMMITS, repairLake } from '../e2e/repairing.ts';
import { quietEffects } from '../fixtures/quiet-effects.ts';
import { Chance } from '../model/chance.ts';
import { type Corruption, cutEnd, flipBit, lakeFiles } from '../model/corrupter.ts';
import { DiskStore } from '../model/disk-store.ts';
import { actions, play } from '../model/history.ts';

/**
 * How much damage on disk is found, how much is found where there is none, and whether a repair
 * gives back the same rows. Bits are flipped and ends are cut in data files and in logs, as often in
 * one as in the other; healthy lakes are exports, random histories, lakes of a windrow that sealed
 * no entries, and lakes that another program has compacted. Prints a Markdown table; exits 1 where
 * anything was missed.
 *
 *     npm run build && npx tsc -p tsconfig.json --noEmit false --outDir node_modules/.bench &&
 *       cp -r sql node_modules/.bench && ln -sfn ../../dist node_modules/.bench/dist &&
 *       node node_modules/.bench/test/bench/bit-rot.js [flips] [cuts] [healthy] [repairs] [seed]
 */

const [flips = 2000, cuts = 200, healthy = 50, repairs = 30, seed = 1] = process.argv
  .slice(2)
  .map(Number);
const COMMAND_LINES = 5;
const chain = simulatedChain({ seed: 'rot', head: 250 });
const addresses = chain.addresses(4);
const text = askingFor(addresses, MANY_COMMITS).concat(
  '  blocks: [{ endpoint: mainchain/block/block-list, blocks: { from: 150 } }]\n',
);
const chance = new Chance(seed);
const roots: string[] = [];

async function folder(): Promise<string> {
  const { root } = await temporaryRoot();
  roots.push(root);
  return root;
}

async function exported(url: string): Promise<string> {
  const root = await folder();
  await exportLake({ url, root, addresses, text });
  return root;
}

/** A lake that went through a random history of commits, reorganisations and compactions. */
async function lakeOfHistory(at: number): Promise<string> {
  const [history = []] = fc.sample(actions, { seed: at, numRuns: 1 });
  const root = await folder();
  // The log names its place: a copy of a table in another one is a finding.
  const place = join('lake', 'CHAIN');
  const store = await DiskStore.open(quietEffects(), localDisk, join(root, 'made', place));
  await play(history, store, () => Promise.resolve());
  await cp(join(root, 'made', place, 'table'), join(root, place, 'table'), { recursive: true });
  await store.close();
  return root;
}

/** The lake as a windrow would have left it that did not seal entries. */
async function unsealed(root: string): Promise<void> {
  for (const path of (await lakeFiles(root)).log) {
    const entry = await readFile(path, 'utf8');
    const seal = /"seal":\{"before":"[0-9a-f]+","sha256":"[0-9a-f]+"\},/;
    await writeFile(path, entry.replace(seal, '').replace(',"sealed":true', ''));
  }
}

interface Line {
  readonly add?: { readonly path: string; readonly size: number; readonly stats: string };
  readonly remove?: { readonly path: string };
}

/** The folders of all logs. */
async function logsOf(root: string): Promise<string[]> {
  return [...new Set((await lakeFiles(root)).log.map((path) => dirname(path)))];
}

/** Names of the entries of a log, oldest first. */
async function entriesOf(log: string): Promise<string[]> {
  return (await readdir(log)).filter((name) => name.endsWith('.json')).sort();
}

/** The lines of all entries of a log. */
async function linesOf(log: string): Promise<Line[]> {
  const entries = (await entriesOf(log)).map((name) => readFile(join(log, name), 'utf8'));
  const lines = (await Promise.all(entries)).flatMap((entry) => entry.trim().split('\n'));
  return lines.map((line) => JSON.parse(line) as Line);
}

/**
 * Every data file of the newest versions. Files that a merge at the end of a run replaced lie on
 * disk, too: no row is lost with these.
 */
async function newestFiles(root: string): Promise<string[]> {
  const files = new Set<string>();
  for (const log of await logsOf(root)) {
    for (const { add, remove } of await linesOf(log)) {
      if (add !== undefined) files.add(join(dirname(log), add.path));
      if (remove !== undefined) files.delete(join(dirname(log), remove.path));
    }
  }
  return [...files].sort();
}

/** Another program replaces one data file of every table by a copy, without windrow's tags. */
async function compacted(root: string): Promise<void> {
  for (const log of await logsOf(root)) {
    const names = await entriesOf(log);
    const adds = await linesOf(log);
    const add = adds.findLast((line) => line.add !== undefined)?.add;
    if (add === undefined) continue;
    const path = `part-of-another-${basename(add.path)}`;
    await cp(join(dirname(log), add.path), join(dirname(log), path));
    const lines = [
      { commitInfo: { operation: 'OPTIMIZE', engineInfo: 'another' } },
      { remove: { path: add.path, dataChange: false } },
      { add: { ...add, path, tags: null, partitionValues: {}, dataChange: false } },
    ];
    const name = `${String(names.length).padStart(20, '0')}.json`;
    await writeFile(join(log, name), `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  }
}

/** Whether the verification names the file, as damaged or as one of an older version. */
function names({ damages, tables }: LakeVerification, path: string): boolean {
  const outdated = tables.flatMap((table) =>
    table.outdated.map((name) => join(table.folder, name)),
  );
  return [...damages.map((damage) => damage.path), ...outdated].includes(path);
}

interface Tally {
  tried: number;
  found: number;
  readonly missed: string[];
}

async function corrupt(
  lakes: readonly string[],
  times: number,
  how: (path: string, by: Chance) => Promise<Corruption>,
): Promise<Tally> {
  const tally: Tally = { tried: 0, found: 0, missed: [] };
  for (let i = 0; i < times; i += 1) {
    const root = chance.pick(lakes);
    const { log, data } = await lakeFiles(root);
    const path = chance.pick(data.length === 0 || chance.is(0.5) ? log : data);
    const { what, undo } = await how(path, chance);
    const isFound = names(await verifyLake(root, localDisk), path);
    await undo();
    tally.tried += 1;
    if (isFound) tally.found += 1;
    else tally.missed.push(`${path}: ${what}`);
  }
  return tally;
}

/** What is found in healthy lakes, of all the kinds there are. */
async function falseAlarms(url: string): Promise<Tally> {
  const tally: Tally = { tried: 0, found: 0, missed: [] };
  const original = await exported(url);
  for (let i = 0; i < healthy; i += 1) {
    const root = i % 2 === 0 ? await lakeOfHistory(seed * 1000 + i) : await folder();
    if (i % 2 === 1) await cp(join(original, 'lake'), join(root, 'lake'), { recursive: true });
    if (i % 5 === 1) await unsealed(root);
    if (i % 5 === 2) await compacted(root);
    if (i % 10 === 3) await exportLake({ url, root, addresses: chain.addresses(5), text });
    const { damages, tables } = await verifyLake(root, localDisk);
    const orphans = tables.flatMap((table) => [...table.orphans, ...table.outdated]);
    tally.tried += 1;
    if (damages.length + orphans.length === 0) continue;
    tally.found += 1;
    tally.missed.push(`lake ${i}: ${JSON.stringify(damages)} ${orphans.join(' ')}`);
  }
  return tally;
}

/**
 * One file of the newest versions is damaged or removed; afterwards all rows and the verdict must
 * be as before.
 */
async function repaired(url: string, times: number, isCommandLine: boolean): Promise<Tally> {
  const original = await exported(url);
  const before = JSON.stringify(await digestsOf(original));
  const tally: Tally = { tried: 0, found: 0, missed: [] };
  const pipeline = join(await folder(), 'rot.yaml');
  await writeFile(pipeline, text);
  for (let i = 0; i < times; i += 1) {
    const root = await folder();
    await cp(original, root, { recursive: true });
    const path = chance.pick(
      chance.is(0.4) ? (await lakeFiles(root)).log : await newestFiles(root),
    );
    const how = chance.pick(['flip', 'cut', 'remove'] as const);
    if (how === 'remove') await rm(path);
    else await (how === 'flip' ? flipBit : cutEnd)(path, chance);
    const at = { url, root, addresses, text };
    const line = ['verify', pipeline, '--data', root, '--source-url', url, '--repair'];
    const isWhole = isCommandLine
      ? (await windrowProcess(['verify', '--data', root])).code === 1 &&
        (await windrowProcess(line)).code === 0
      : (await repairLake(at)).after.damages.length === 0;
    tally.tried += 1;
    if (isWhole && JSON.stringify(await digestsOf(root)) === before) tally.found += 1;
    else tally.missed.push(`${how} ${path}`);
    await rm(root, { recursive: true });
  }
  return tally;
}

const served = await serve(chainSource(chain));
try {
  const lakes = [await exported(served.url)];
  for (let i = 0; i < 20; i += 1) {
    const lake = await lakeOfHistory(seed * 2000 + i);
    // A history may end before its first commit.
    if ((await lakeFiles(lake)).log.length > 0) lakes.push(lake);
  }
  const rows: (readonly [string, Tally, 'found' | 'alarms'])[] = [
    ['flipped bits found', await corrupt(lakes, flips, flipBit), 'found'],
    ['cut ends found', await corrupt(lakes, cuts, cutEnd), 'found'],
    ['false alarms on healthy lakes', await falseAlarms(served.url), 'alarms'],
    ['repairs with equal digests', await repaired(served.url, repairs, false), 'found'],
    ['... by the command line', await repaired(served.url, COMMAND_LINES, true), 'found'],
  ];
  const lines = rows.map(([name, { tried, found }]) => `| ${name} | ${found} | ${tried} |`);
  process.stdout.write(`| | count | of |\n|---|---|---|\n${lines.join('\n')}\n`);
  for (const [name, { missed }] of rows) {
    for (const each of missed) process.stdout.write(`${name}: ${each}\n`);
  }
  const isWrong = rows.some(([, { tried, found }, of]) => found !== (of === 'alarms' ? 0 : tried));
  process.exitCode = isWrong ? 1 : 0;
} finally {
  await served.close();
  for (const root of roots) await rm(root, { recursive: true, force: true });
}
