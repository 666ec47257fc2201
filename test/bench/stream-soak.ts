import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { flooded, soaked } from '../e2e/stream-soak.ts';

/**
 * The capture of a stream through cut connections and kills, and from a server that sends 1 MiB
 * messages as fast as it can. Arguments: a folder, messages, messages per second, reconnects, kills,
 * messages of the flood.
 */
const [root = '', ...counts] = process.argv.slice(2);
const [messages = 0, perSecond = 0, reconnects = 0, kills = 0, flood = 0] = counts.map(Number);
const main = resolve('dist/cli/main.js');

await mkdir(root, { recursive: true });
const findings = await soaked(main, root, { messages, perSecond, reconnects, kills });
const share = findings.cpuSeconds / findings.seconds;
const rows = [
  ['messages with an open connection', findings.delivered],
  ['messages landed', findings.landed],
  ['messages neither landed nor in a named gap', findings.lost],
  ['messages landed twice', findings.landedTwice],
  ['gaps', JSON.stringify(findings.gaps)],
  ['peak memory of a process, MB', Math.round(findings.peakBytes / 1e6)],
  ['CPU of a core, %', (share * 100).toFixed(1)],
  ['seconds', Math.round(findings.seconds)],
];
if (flood > 0) {
  await mkdir(`${root}/flood`, { recursive: true });
  const { sentBytes, landed, peakBytes } = await flooded(main, `${root}/flood`, flood);
  rows.push(
    ['flood: MB sent', Math.round(sentBytes / 1e6)],
    ['flood: messages landed', landed],
    ['flood: peak memory of a process, MB', Math.round(peakBytes / 1e6)],
  );
}
process.stdout.write('| measure | figure |\n| --- | --- |\n');
for (const [measure, figure] of rows) process.stdout.write(`| ${measure} | ${figure} |\n`);
