import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import type { ServiceRequest, ServiceResponse } from '../../service/src/protocol/exchange.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import type { Console } from '../../src/cli/terminal/console.ts';
import { printResult, type VerbResult } from '../../src/cli/terminal/verb-result.ts';
import { auditVerb } from '../../src/cli/verbs/audit.ts';
import { planVerb } from '../../src/cli/verbs/plan.ts';
import { runVerb } from '../../src/cli/verbs/run.ts';
import { statusVerb } from '../../src/cli/verbs/status/status.ts';
import { systemEffects } from '../../src/system.ts';
import { quietConsole } from '../fixtures/quiet-console.ts';
import { freshFolder } from '../fixtures/when-over.ts';
import { serve } from './harness.ts';

/**
 * Goal: the sample outputs in docs/ are what the verbs print. `UPDATE=1` writes them anew. Sizes
 * and times stand in for themselves, because they differ from machine to machine.
 */

const DOCUMENT = fileURLToPath(new URL('../../docs/sample-outputs.md', import.meta.url));
const chain = simulatedChain({ seed: 'samples', head: 12_000 });
const source = chainSource(chain);

/** Lists one broken internal record and no other, until it is mended. */
/** The block of the broken record. */
const BROKEN_AT = 11_700;

function breaking() {
  let isBroken = true;
  return {
    mend: () => {
      isBroken = false;
    },
    before: ({ target }: ServiceRequest): ServiceResponse | undefined => {
      if (!isBroken || !target.includes('/internal-transaction-list-multi?')) return undefined;
      const query = new URL(target, 'http://x').searchParams;
      const [from = ''] = chain.addresses(1);
      const isAsked =
        Number(query.get('startBlockHeight')) <= BROKEN_AT &&
        Number(query.get('endBlockHeight')) >= BROKEN_AT;
      const isListed = isAsked && query.get('address')?.includes(from) === true;
      const record = {
        txId: '0x1',
        height: String(BROKEN_AT),
        from: 'nobody',
        to: '',
        amount: '1',
      };
      const transactionList = isListed ? [record] : [];
      const page = { page: '1', limit: '100', totalPage: String(transactionList.length) };
      const body = JSON.stringify({ code: '0', msg: '', data: [{ ...page, transactionList }] });
      return { status: 200, headers: { 'content-type': 'application/json' }, body };
    },
  };
}

function pipeline(url: string): string {
  const addresses = chain.addresses(3).map((address) => `"${address}"`);
  return `version: 1
name: samples
source:
  url: ${url}
  chain: MAINCHAIN
  credentials: none
  finalityLagBlocks: 64
  concurrency: 1
  rate: { startPerSecond: 5000, maxPerSecond: 5000 }
keys: { addresses: { list: [${addresses.join(', ')}] } }
blocks: { from: 1900, to: head }
datasets:
  blocks:
    - { endpoint: mainchain/block/block-list, blocks: { from: 1900, to: safe } }
  transactions:
    - { endpoint: mainchain/address/normal-transaction-list-multi, keys: addresses, blocks: { from: 11700, to: head } }
  internal_transactions:
    - { endpoint: mainchain/address/internal-transaction-list-multi, keys: addresses, blocks: { from: 11700, to: head } }
`;
}

/** What differs from machine to machine, as something that does not. */
function settled(line: string, root: string): string {
  return line
    .replaceAll(root, 'data')
    .replace(' --data data', '')
    .replace(/[0-9,]+ KiB/g, '40 KiB')
    .replace(/\(walk [0-9a-f]+\)/, '(walk 0123456789abcdef)')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/, '2026-01-02 03:04:05 UTC')
    .replace(/, [0-9a-z ]+ ago/, ', 5 min ago')
    .replace(/[^ ]*samples\.yaml/g, 'samples.yaml');
}

test('the sample outputs are what the verbs print', async () => {
  const root = await freshFolder();
  const { before, mend } = breaking();
  const served = await serve(source, { before });
  const file = join(root, 'samples.yaml');
  await writeFile(file, pipeline(served.url));
  const data = join(root, 'data');
  const parts: string[] = [];
  const shown = async (
    title: string,
    command: string,
    verb: (to: Console) => Promise<VerbResult>,
  ) => {
    const lines: string[] = [];
    const keep = (text: string): void => {
      // How far a run is, it says by the clock.
      if (/^(lists|look-ups) [0-9,]+\/[0-9,]+ slices?, /.test(text)) return;
      lines.push(...text.split('\n').map((line) => settled(line, data)));
    };
    const effects = systemEffects('warn', process.env, keep);
    const to = { ...quietConsole, out: keep, note: keep, effects, isJson: false };
    const code = await printResult(verb(to), to);
    parts.push(`## ${title}\n`, '```', `$ ${command}`, ...lines, `(exit code ${code})`, '```\n');
  };
  const options = { pipeline: file, data, probe: false, seed: '', verbose: false };
  const running = { ...options, lock: true };
  const plan = 'windrow plan samples.yaml';
  await shown('The price, before the first call', plan, (to) => planVerb(options, to));
  await shown('The price, on a terminal', plan, (to) =>
    planVerb({ ...options, probe: undefined, seed: 'windrow' }, { ...to, isTerminal: true }),
  );
  const ran = 'windrow run samples.yaml';
  await shown('A run that ends short of what was asked', ran, (to) => runVerb(running, to));
  await shown('What is there, and what is not', 'windrow status', (to) => statusVerb({ data }, to));
  mend();
  await shown('Going on', ran, (to) => runVerb(running, to));
  source.reorganise(200);
  await shown('After a reorganisation below the safe height', plan, (to) => planVerb(options, to));
  await shown('Reading it again', ran, (to) => runVerb(running, to));
  source.delayInternal(150);
  const audited = { ...options, sample: '1000', seed: 'a', repair: false };
  const audit = 'windrow audit samples.yaml --sample 1000';
  await shown('What the service says otherwise now', audit, (to) => auditVerb(audited, to));

  const head = [
    '# What the verbs say',
    '',
    'Written by test/e2e/sample-outputs.test.ts over a simulated chain; sizes and times differ from',
    'machine to machine.',
    '',
  ];
  const document = `${[...head, ...parts].join('\n')}`;
  if (process.env['UPDATE'] === '1') await writeFile(DOCUMENT, document);
  expect(await readFile(DOCUMENT, 'utf8')).toBe(document);
});
