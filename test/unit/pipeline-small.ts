import { expect } from 'vitest';
import { datasets } from '../../src/catalogue/index.ts';
import { Fault } from '../../src/fault.ts';
import { parsePipeline } from '../../src/plan/pipeline-yaml.ts';

export const A = `0x${'a'.repeat(40)}`;

/** A small pipeline; each bad input changes one line of it, or adds to its end. */
export const SMALL = [
  'version: 1',
  'name: small',
  'source: { url: "http://127.0.0.1:8080", chain: MAINCHAIN }',
  'keys: { addresses: { file: a.csv } }',
  'datasets:',
  '  transactions:',
  '    - endpoint: mainchain/address/normal-transaction-list-multi',
  '      keys: addresses',
  '  token_transfers:',
  '    - endpoint: mainchain/address/token-transaction-list',
  '      keys: addresses',
];
export const ALL_KEYS =
  'version, name, source, keys, blocks, zoneBlocks, windowBlocks, groupSize, order, proof, commit, ' +
  'datasets';
export const SOURCE_KEYS =
  'url, chain, zoneChain, pathSegment, zoneSegment, headerPrefix, credentials, ' +
  'finalityLagBlocks, finalityLagZoneBlocks, recordCap, concurrency, rate, timeouts, codes';
/** Those that lists feed: what is only handed in cannot be asked for. */
export const DATASETS = datasets
  .map(({ name }) => name)
  .filter((name) => name !== 'contract_verifications')
  .join(', ');
export const PLAIN = 'Write it in plain digits, without quotes or separators.';

/** The whole message, file and position included, of the fault that the text meets. */
export function refusal(text: string): string {
  try {
    parsePipeline({ text, file: 'p.yaml' });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    expect(error.kind).toBe('configuration');
    return error.paragraph();
  }
  throw new Error('the pipeline was accepted');
}

/** The small pipeline with line `number` (from 1) replaced. */
export function changed(number: number, ...lines: string[]): string {
  return SMALL.toSpliced(number - 1, 1, ...lines).join('\n');
}

export function added(...lines: string[]): string {
  return [...SMALL, ...lines].join('\n');
}

/** With a fourth line added to the source, which is line 6 of the file. */
export const source = (more: string) =>
  changed(3, 'source:', '  url: http://127.0.0.1', '  chain: C', `  ${more}`);
