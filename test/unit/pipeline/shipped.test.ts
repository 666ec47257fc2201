import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { simulatedChain } from '../../../service/src/simulated/chain.ts';
import { parseAddressList } from '../../../src/pipeline/csv/address-list.ts';
import { parseMethodNames, parseTokenNames } from '../../../src/pipeline/csv/name-files.ts';
import type { Pipeline } from '../../../src/pipeline/pipeline.ts';
import { parsePipeline } from '../../../src/pipeline/read-pipeline.ts';
import type { PipelineRequest } from '../../../src/pipeline/requests.ts';
import { readSubmission } from '../../../src/run/submit/read-submission.ts';
import { submissionOf } from '../../fixtures/verification-setup.ts';

const folder = fileURLToPath(new URL('../../../pipelines/', import.meta.url));
const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));

const KINDS = ['token_20', 'token_721', 'token_1155', 'token_10'];
const EACH_TOKEN = KINDS.map((kind) => `protocolType=${kind}`).join(' ');

function textOf(file: string): string {
  return readFileSync(folder + file, 'utf8');
}

function parsed(file: string): Pipeline {
  return parsePipeline({ text: textOf(file), file });
}

/** `endpoint(keys) variants`, without the segment that all endpoints have. */
function summary({ entry, keySet = '', lists }: PipelineRequest): string {
  const ids = lists.map(({ variant }) => variant).join(' ');
  return `${entry.path.replace('mainchain/', '')}(${keySet}) ${ids}`.trim();
}

/** What each file asks: a newcomer can check it against the interface, line by line. */
const ASKED: Readonly<Record<string, readonly string[]>> = {
  'address-activity.yaml': [
    'zone/cross/transaction-list(addresses) address=*',
    'address/internal-transaction-list-multi(addresses)',
    'transaction/internal-transaction-detail(calls)',
    `address/token-transaction-list(addresses) ${EACH_TOKEN}`,
    'address/normal-transaction-list-multi(addresses)',
    'transaction/transaction-multi(unsettled)',
    'zone/address/transaction-list(addresses)',
  ],
  'chain-blocks.yaml': [
    'block/block-fills()',
    'block/block-list()',
    'block/transaction-list() protocolType=internal',
    'transaction/internal-transaction-detail(capped)',
    `block/transaction-list() ${EACH_TOKEN}`,
    `transaction/token-transfer-multi(capped) ${EACH_TOKEN}`,
    'block/transaction-list() protocolType=transaction',
  ],
  'cross-chain.yaml': ['zone/cross/transaction-list()', 'zone/cross/transaction-multi(found)'],
  'demo.yaml': [
    'block/block-fills()',
    'block/block-list()',
    'zone/cross/transaction-list()',
    'zone/cross/transaction-multi(crossings)',
    'address/internal-transaction-list-multi(addresses)',
    'transaction/internal-transaction-detail(calls)',
    'block/transaction-list() protocolType=internal',
    'address/native-token-position-list()',
    `address/token-transaction-list(addresses) ${EACH_TOKEN}`,
    `block/transaction-list() ${EACH_TOKEN}`,
    'address/normal-transaction-list-multi(addresses)',
    'transaction/transaction-multi(unsettled)',
    'block/transaction-list() protocolType=transaction',
    'zone/block/block-list()',
    'zone/block/transaction-list-multi()',
    'zone/transaction/transaction-fills(actions)',
  ],
  'holders.yaml': ['address/native-token-position-list()'],
  'pending.yaml': [],
  'stream.yaml': ['block/block-fills()', 'block/transaction-list() protocolType=transaction'],
  'token-transfers.yaml': [
    'token/transaction-list(tokens)',
    `transaction/token-transfer-multi(found) ${EACH_TOKEN}`,
  ],
  'zone-activity.yaml': [
    'zone/block/block-list()',
    'zone/block/transaction-list-multi()',
    'zone/transaction/transaction-fills(found)',
  ],
};

describe('the shipped pipelines', () => {
  it('of the demo names the tokens of its chain that have decimals', () => {
    const { names } = parsed('demo.yaml');
    const read = (file = '') => ({ text: textOf(file), file });
    const { tokens } = simulatedChain({ seed: 'demo', head: 30_000 });
    const expected = tokens.flatMap(({ address, symbol, decimals }) =>
      decimals === undefined ? [] : [[address, { symbol, decimals, amounts: 'whole' }]],
    );
    expect([...parseTokenNames(read(names.tokens)).names]).toEqual(expected);
    expect(parseMethodNames(read(names.methods)).names.get('0xa9059cbb')).toBe('transfer');
  });

  it('are those described here', () => {
    expect(files.sort()).toEqual(Object.keys(ASKED).sort());
  });

  it.each(files)('%s parses, and its address files lie beside it', (file) => {
    const pipeline = parsed(file);
    expect(pipeline.name).toBe(file.replace('.yaml', ''));
    expect(pipeline.requests.length > 0 || pipeline.pending !== undefined).toBe(true);
    for (const keySet of Object.values(pipeline.keySets)) {
      if (keySet.kind !== 'file') continue;
      const list = { text: textOf(keySet.file), file: keySet.file };
      expect(parseAddressList(list)).toMatchObject({ duplicates: 0 });
    }
  });

  it.each(files)('%s asks what is described here, in full pages', (file) => {
    const { requests } = parsed(file);
    expect(requests.map(summary)).toEqual(ASKED[file]);
    for (const { entry, pageSize } of requests) {
      const fifty = ['address/token-transaction-list', 'token/transaction-list'];
      const isOfFifty = fifty.some((path) => entry.path === `mainchain/${path}`);
      if (pageSize !== undefined) expect(pageSize).toBe(isOfFifty ? 50 : 100);
    }
  });

  it('look up what their lists find, and only there', () => {
    const sources = (file: string) =>
      parsed(file).requests.flatMap(({ keySet = '', foundIn }) =>
        foundIn === undefined ? [] : [[keySet, foundIn.datasets.join(' '), foundIn.without]],
      );
    expect(sources('address-activity.yaml')).toEqual([
      ['calls', 'internal_transactions', undefined],
      ['unsettled', 'transactions internal_transactions', 'tx_status'],
    ]);
    expect(sources('cross-chain.yaml')).toEqual([['found', 'cross_chain_transfers', undefined]]);
    expect(sources('token-transfers.yaml')).toEqual([['found', 'token_transfers', undefined]]);
    expect(sources('zone-activity.yaml')).toEqual([['found', 'zone_transactions', undefined]]);
  });

  it('name an alternative where one may be cheaper', () => {
    const routes = files.flatMap((file) =>
      parsed(file).requests.flatMap(({ entry, alternatives }) =>
        alternatives.map((route) => [file, entry.path, route.entry.path, route.pageSize]),
      ),
    );
    const [many, one] = ['normal-transaction-list-multi', 'normal-transaction-list'].map(
      (name) => `mainchain/address/${name}`,
    );
    const [range, block] = ['transaction-list-multi', 'transaction-list'].map(
      (name) => `mainchain/zone/block/${name}`,
    );
    expect(routes).toContainEqual(['address-activity.yaml', many, one, 50]);
    expect(routes).toContainEqual(['zone-activity.yaml', range, block, 100]);
  });

  it('spell out the defaults, so that leaving them out changes nothing', () => {
    const text = textOf('address-activity.yaml');
    const names =
      'zoneChain|credentials|finalityLagBlocks|finalityLagZoneBlocks|recordCap|concurrency|rate|' +
      'blocks|zoneBlocks|windowBlocks|groupSize|order|commit';
    const settings = new RegExp(`^ *(${names}):.*\n`, 'gm');
    expect(text.match(settings)).toHaveLength(13);
    const without = { text: text.replace(settings, ''), file: 'without.yaml' };
    expect(parsePipeline(without)).toEqual(parsed('address-activity.yaml'));
  });
});

it('the shipped submission is the source of the first contract of the demo', async () => {
  const file = `${folder}contracts/barn.yaml`;
  const text = readFileSync(file, 'utf8');
  const read = async (path: string): Promise<string> =>
    readFileSync(`${folder}contracts/${path}`, 'utf8');
  const { body } = await readSubmission({ text, file }, { chain: 'MAINCHAIN', read });
  const { viaIr, evmVersion, libraryInfo, ...written } = submissionOf(
    0,
    simulatedChain({ seed: 'demo', head: 0 }).addresses(44).slice(40),
  );
  expect([viaIr, evmVersion, libraryInfo]).toEqual([false, '', []]);
  expect(body).toEqual({ ...written, licenseType: 'MIT' });
});
