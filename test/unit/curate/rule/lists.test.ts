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
import { LIST } from '../../../fixtures/load-lake.ts';

const list = (dataset: string, endpoint: string, variant = ''): LandedList => ({
  dataset,
  endpoint,
  variant,
});
const tokens = (variant: string): LandedList => list('token_transfers', LIST.tokens, variant);
const internals = list('internal_transactions', LIST.internal);
const blocks = list('blocks', LIST.blocks);
const gone = list('transactions', 'mainchain/gone', 'a=1');

describe('the side of a list', () => {
  test.each([
    [tokens('protocolType=token_20'), 'both'],
    [tokens('isFromOrTo=from&protocolType=token_20'), 'from'],
    [tokens('isFromOrTo=to&protocolType=token_20'), 'to'],
    [internals, 'both'],
    [list('zone_transactions', LIST.zoneOfAddress), 'from'],
    [list('cross_chain_transfers', LIST.crossChain, 'address=*'), 'both'],
    [blocks, undefined],
    [gone, undefined],
  ])('of %j is %s', (entry, side) => {
    expect(sideOf(entry)).toBe(side);
  });
});

describe('what a list is asked by', () => {
  test.each([
    [internals, 'address'],
    [list('transactions', LIST.transactionsByHash), 'transaction'],
    [list('cross_chain_transfers', LIST.crossDetails), 'transaction'],
    [list('token_transfers', LIST.tokensOfContract), 'token'],
    [list('token_transfers', LIST.inBlock, 'protocolType=token_20'), 'all'],
    [list('cross_chain_transfers', LIST.crossChain), 'all'],
    [list('cross_chain_transfers', LIST.crossChain, 'address=*'), 'address'],
    [gone, 'all'],
  ])('%j by %s', (entry, kind) => {
    expect(keyKindOf(entry)).toBe(kind);
  });
});

describe('the scope of a list', () => {
  test.each([
    ['nothing narrows it', list('transactions', LIST.transactions), ''],
    ['a side is none', list('transactions', LIST.transactions, 'isFromOrTo=to'), ''],
    ['keys are none', list('cross_chain_transfers', LIST.crossChain, 'address=*'), ''],
    [
      'the choice of a dataset is none',
      list('transactions', LIST.inBlock, 'protocolType=transaction'),
      '',
    ],
    [
      'a standard, however it is asked',
      list('token_transfers', LIST.inBlock, 'protocolType=token_20'),
      'token_standard=token_20',
    ],
    [
      'filters, by the names of their columns',
      tokens('protocolType=token_20&tokenContractAddress=0x70'),
      'token_address=0x70&token_standard=token_20',
    ],
    [
      'bounds, by their own names',
      list('token_transfers', LIST.tokensOfContract, 'maxAmount=5'),
      'maxAmount=5',
    ],
    ['all params of an endpoint that is gone', gone, 'a=1'],
  ])('%s', (_, entry, scope) => {
    expect(scopeText(scopeOf(entry))).toBe(scope);
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
    [
      'transactions',
      [LIST.transactionsByHash, LIST.ownTransactions, LIST.transactions, LIST.inBlock],
    ],
    ['internal_transactions', [LIST.internalByHash, LIST.internal, LIST.inBlock]],
    ['token_transfers', [LIST.tokensByHash, LIST.tokens, LIST.tokensOfContract, LIST.inBlock]],
    ['blocks', [LIST.blockDetails, LIST.blocks]],
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
