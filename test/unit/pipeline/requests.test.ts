import { describe, expect, it } from 'vitest';
import { endpoints } from '../../../src/catalogue/index.ts';
import {
  A,
  added,
  changed,
  DATASETS,
  PLAIN,
  refusal,
  SMALL,
} from '../../fixtures/pipeline-small.ts';

const TRANSACTIONS = endpoints
  .filter(({ dataset }) => dataset === 'transactions')
  .map(({ path }) => path)
  .join(', ');

const cases: [title: string, text: string, message: string][] = [
  [
    'an unknown dataset',
    changed(6, '  transaction:'),
    '6:3: unknown key in datasets (transaction). Did you mean transactions?',
  ],
  [
    'no dataset at all',
    [...SMALL.slice(0, 4), 'datasets: {}'].join('\n'),
    `5:11: datasets names no dataset (a mapping). Allowed here: ${DATASETS}.`,
  ],
  [
    'a dataset without requests',
    [...SMALL.slice(0, 4), 'datasets: { transactions: [] }'].join('\n'),
    '5:27: datasets.transactions is not a list of requests (a list). ' +
      'Begin each with - endpoint: and its path.',
  ],
  [
    'a request that is no mapping',
    [...SMALL.slice(0, 4), 'datasets: { transactions: [all] }'].join('\n'),
    '5:28: datasets.transactions[0] is not a request (all). ' +
      'Begin it with - endpoint: and its path.',
  ],
  [
    'a request without an endpoint',
    changed(7, '    - pageSize: 5'),
    `7:7: datasets.transactions[0].endpoint is missing. Allowed here: ${TRANSACTIONS}.`,
  ],
  [
    'an unknown endpoint, named by its last segment',
    changed(7, '    - endpoint: normal-transaction-list-multi'),
    '7:17: datasets.transactions[0].endpoint is not an endpoint of this dataset ' +
      '(normal-transaction-list-multi). ' +
      'Did you mean mainchain/address/normal-transaction-list-multi?',
  ],
  [
    'an unknown endpoint, misspelled',
    changed(10, '    - endpoint: mainchain/adress/token-transaction-lists'),
    '10:17: datasets.token_transfers[0].endpoint is not an endpoint of this dataset ' +
      '(mainchain/adress/token-transaction-lists). ' +
      'Did you mean mainchain/address/token-transaction-list?',
  ],
  [
    'an endpoint that feeds another dataset',
    changed(7, '    - endpoint: mainchain/address/internal-transaction-list-multi'),
    '7:17: datasets.transactions[0].endpoint feeds another dataset ' +
      '(mainchain/address/internal-transaction-list-multi). ' +
      'Move the request under internal_transactions.',
  ],
  [
    'an endpoint with keys that is given none',
    SMALL.toSpliced(7, 1).join('\n'),
    '7:7: datasets.transactions[0].keys is missing. Use lower-case letters, digits, hyphens ' +
      'and underscores, and begin with a letter.',
  ],
  [
    'an endpoint without keys that is given some',
    added('  blocks:', '    - endpoint: mainchain/block/block-fills', '      keys: addresses'),
    '14:7: unknown key in datasets.blocks[0] (keys). Remove it: this endpoint has no keys.',
  ],
  [
    'a page size for a reply without pages',
    added('  blocks:', '    - endpoint: mainchain/block/block-fills', '      pageSize: 10'),
    '14:7: unknown key in datasets.blocks[0] (pageSize). Remove it: this endpoint has no pages.',
  ],
  [
    'a key set that does not exist',
    changed(8, '      keys: adresses'),
    '8:13: datasets.transactions[0].keys is not one of the key sets (adresses). ' +
      'Did you mean addresses?',
  ],
  [
    'a key set where there is none',
    SMALL.toSpliced(3, 1).slice(0, 7).join('\n'),
    '7:13: datasets.transactions[0].keys is not one of the key sets (addresses). ' +
      'Add it: keys: { addresses: { file: ... } }.',
  ],
  [
    'a key set with a file and a list',
    changed(4, `keys: { addresses: { file: a.csv, list: ["${A}"] } }`),
    '4:9: keys.addresses has file and list (addresses). ' +
      'Give it one of file, list and from, as in { file: addresses.csv }.',
  ],
  [
    'a key set with none of the three',
    changed(4, 'keys: { addresses: {} }'),
    '4:9: keys.addresses has no keys (addresses). ' +
      'Give it one of file, list and from, as in { file: addresses.csv }.',
  ],
  [
    'a key set whose name is no name',
    changed(4, 'keys: { addresses: { file: a.csv }, 2nd: { file: b.csv } }'),
    '4:37: keys.2nd is not the name of a key set (2nd). Use lower-case letters, digits, ' +
      'hyphens and underscores, and begin with a letter.',
  ],
  [
    'an empty list of addresses',
    changed(4, 'keys: { addresses: { list: [] } }'),
    '4:28: keys.addresses.list is an empty list (a list). Name at least one address.',
  ],
  [
    'a page larger than the endpoint allows',
    added('      pageSize: 51'),
    `12:17: datasets.token_transfers[0].pageSize is not a whole number from 1 to 50 (51). ${PLAIN}`,
  ],
  [
    'a filter the endpoint does not have',
    changed(8, '      keys: addresses', '      where: { protocolType: token_20 }'),
    '9:16: unknown key in datasets.transactions[0].where (protocolType). ' +
      'Allowed here: isFromOrTo.',
  ],
  [
    'a parameter that windrow sets itself',
    added('      where: { startBlockHeight: 5 }'),
    '12:16: unknown key in datasets.token_transfers[0].where (startBlockHeight). ' +
      'Remove it: windrow sets this parameter itself.',
  ],
  [
    'a parameter that would narrow a list',
    added(
      '  cross_chain_transfers:',
      '    - endpoint: mainchain/zone/cross/transaction-list',
      '      where: { txid: "0x1" }',
    ),
    '14:16: unknown key in datasets.cross_chain_transfers[0].where (txid). ' +
      'Remove it: lists are read whole, and queries select from their rows.',
  ],
  [
    'a filter for an endpoint without filters',
    added(
      '  internal_transactions:',
      '    - endpoint: mainchain/address/internal-transaction-list-multi',
      '      keys: addresses',
      '      where: { isFromOrTo: from }',
    ),
    '15:7: unknown key in datasets.internal_transactions[0] (where). ' +
      'Remove it: this endpoint has no filters.',
  ],
  [
    'a value the filter does not allow',
    added('      each: { protocolType: [token_20, token_72] }'),
    '12:40: datasets.token_transfers[0].each.protocolType[1] is not one of the allowed values ' +
      '(token_72). Did you mean token_721?',
  ],
  [
    'one value where several are listed',
    added('      each: { protocolType: token_20 }'),
    '12:29: datasets.token_transfers[0].each.protocolType is not a list of values (token_20). ' +
      'List at least one value in brackets.',
  ],
  [
    'no value where several are listed',
    added('      each: { protocolType: [] }'),
    '12:29: datasets.token_transfers[0].each.protocolType is not a list of values (a list). ' +
      'List at least one value in brackets.',
  ],
  [
    'a value listed twice in two spellings',
    added(`      each: { tokenContractAddress: ["${A}", "0x${'A'.repeat(40)}"] }`),
    '12:84: datasets.token_transfers[0].each.tokenContractAddress[1] is listed twice ' +
      `("0x${'A'.repeat(40)}"). Remove it here; windrow walks the list of each value once.`,
  ],
  [
    'a filter under each and under where',
    added('      each: { isFromOrTo: [from, to] }', '      where: { isFromOrTo: to }'),
    '13:16: datasets.token_transfers[0].where.isFromOrTo is also under each (isFromOrTo). ' +
      'Keep one of the two.',
  ],
  [
    'a request that repeats another, the default spelled out',
    added(
      '    - endpoint: mainchain/address/token-transaction-list',
      '      keys: addresses',
      '      each: { protocolType: [token_10, token_20] }',
    ),
    '12:17: datasets.token_transfers[1].endpoint requests the same records as a request above ' +
      '(mainchain/address/token-transaction-list). ' +
      'Remove one of the two, or give them different filters.',
  ],
];

describe('the requests of a pipeline file', () => {
  it.each(cases)('refuse %s', (_title, text, message) => {
    expect(refusal(text)).toBe(`p.yaml:${message}`);
  });
});
