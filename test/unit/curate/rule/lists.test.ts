import { describe, expect, test } from 'vitest';
import {
  isWider,
  keyKindOf,
  type LandedList,
  scopeOf,
  scopeText,
  sideOf,
  traitsOf,
} from '../../../../src/curate/rule/lists.ts';
import {
  BLOCK_DETAILS,
  BLOCKS,
  CROSS_CHAIN,
  CROSS_DETAILS,
  IN_BLOCK,
  INTERNAL,
  INTERNAL_BY_HASH,
  OWN_TRANSACTIONS,
  TOKENS,
  TOKENS_BY_HASH,
  TOKENS_OF_CONTRACT,
  TRANSACTIONS,
  TRANSACTIONS_BY_HASH,
  ZONE_OF_ADDRESS,
} from '../../../fixtures/load-lake.ts';

const list = (dataset: string, endpoint: string, variant = ''): LandedList => ({
  dataset,
  endpoint,
  variant,
});
const tokens = (variant: string): LandedList => list('token_transfers', TOKENS, variant);
const internals = list('internal_transactions', INTERNAL);
const blocks = list('blocks', BLOCKS);
const gone = list('transactions', 'mainchain/gone', 'a=1');

describe('the side of a list', () => {
  test.each([
    [tokens('protocolType=token_20'), 'both'],
    [tokens('isFromOrTo=from&protocolType=token_20'), 'from'],
    [tokens('isFromOrTo=to&protocolType=token_20'), 'to'],
    [internals, 'both'],
    [list('zone_transactions', ZONE_OF_ADDRESS), 'from'],
    [list('cross_chain_transfers', CROSS_CHAIN, 'address=*'), 'both'],
    [blocks, undefined],
    [gone, undefined],
  ])('of %j is %s', (each, side) => {
    expect(sideOf(each)).toBe(side);
  });
});

describe('what a list is asked by', () => {
  test.each([
    [internals, 'address'],
    [list('transactions', TRANSACTIONS_BY_HASH), 'transaction'],
    [list('cross_chain_transfers', CROSS_DETAILS), 'transaction'],
    [list('token_transfers', TOKENS_OF_CONTRACT), 'token'],
    [list('token_transfers', IN_BLOCK, 'protocolType=token_20'), 'all'],
    [list('cross_chain_transfers', CROSS_CHAIN), 'all'],
    [list('cross_chain_transfers', CROSS_CHAIN, 'address=*'), 'address'],
    [gone, 'all'],
  ])('%j by %s', (each, kind) => {
    expect(keyKindOf(each)).toBe(kind);
  });
});

describe('the scope of a list', () => {
  test.each([
    ['nothing narrows it', list('transactions', TRANSACTIONS), ''],
    ['a side is none', list('transactions', TRANSACTIONS, 'isFromOrTo=to'), ''],
    ['keys are none', list('cross_chain_transfers', CROSS_CHAIN, 'address=*'), ''],
    [
      'the choice of a dataset is none',
      list('transactions', IN_BLOCK, 'protocolType=transaction'),
      '',
    ],
    [
      'a standard, however it is asked',
      list('token_transfers', IN_BLOCK, 'protocolType=token_20'),
      'token_standard=token_20',
    ],
    [
      'filters, by the names of their columns',
      tokens('protocolType=token_20&tokenContractAddress=0x70'),
      'token_address=0x70&token_standard=token_20',
    ],
    [
      'bounds, by their own names',
      list('token_transfers', TOKENS_OF_CONTRACT, 'maxAmount=5'),
      'maxAmount=5',
    ],
    ['all params of an endpoint that is gone', gone, 'a=1'],
  ])('%s', (_, each, scope) => {
    expect(scopeText(scopeOf(each))).toBe(scope);
  });

  test('is wider than another when it asks for nothing that the other does not', () => {
    const wide = scopeOf(tokens('protocolType=token_20'));
    const narrow = scopeOf(tokens('protocolType=token_20&tokenContractAddress=0x70'));
    expect(isWider(new Map(), wide)).toBe(true);
    expect(isWider(wide, narrow)).toBe(true);
    expect(isWider(wide, wide)).toBe(true);
    expect(isWider(narrow, wide)).toBe(false);
    expect(isWider(wide, scopeOf(tokens('protocolType=token_721')))).toBe(false);
  });
});

describe('the order in which lists are believed', () => {
  const ranked = (lists: readonly LandedList[]): string[] =>
    traitsOf(lists).map(({ endpoint, endpointRank }) => `${endpointRank} ${endpoint}`);

  test.each([
    ['transactions', [TRANSACTIONS_BY_HASH, OWN_TRANSACTIONS, TRANSACTIONS, IN_BLOCK]],
    ['internal_transactions', [INTERNAL_BY_HASH, INTERNAL, IN_BLOCK]],
    ['token_transfers', [TOKENS_BY_HASH, TOKENS, TOKENS_OF_CONTRACT, IN_BLOCK]],
    ['blocks', [BLOCK_DETAILS, BLOCKS]],
  ])('of %s is by what they are asked by, then by how much they serve', (dataset, endpoints) => {
    const lists = endpoints.map((endpoint) => list(dataset, endpoint));
    const expected = endpoints.map((endpoint, i) => `${i + 1} ${endpoint}`);
    expect(ranked(lists)).toEqual(expected);
    expect(ranked(lists.toReversed())).toEqual(expected);
  });

  test('numbers every list, and gives all variants of an endpoint one rank', () => {
    const lists = [tokens('protocolType=token_721'), tokens('protocolType=token_20'), blocks];
    expect(traitsOf(lists).map(({ number, endpointRank }) => [number, endpointRank])).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
    ]);
  });
});
