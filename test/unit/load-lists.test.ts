import { describe, expect, test } from 'vitest';
import { type List, mayShareRecords, sideOf } from '../../src/load/lists.ts';
import { INTERNAL, TOKENS, TRANSACTIONS } from './load-lake.ts';

const tokens = (variant: string): List => ({
  dataset: 'token_transfers',
  endpoint: TOKENS,
  variant,
});
const internals: List = { dataset: 'internal_transactions', endpoint: INTERNAL, variant: '' };
const blocks: List = {
  dataset: 'blocks',
  endpoint: 'mainchain/block/block-list',
  variant: '',
};

describe('the side of a list', () => {
  test.each([
    [tokens('protocolType=token_20'), 'both'],
    [tokens('isFromOrTo=from&protocolType=token_20'), 'from'],
    [tokens('isFromOrTo=to&protocolType=token_20'), 'to'],
    [internals, 'both'],
    [blocks, undefined],
    [{ ...internals, endpoint: 'mainchain/gone' }, undefined],
  ])('of %j is %s', (list, side) => {
    expect(sideOf(list)).toBe(side);
  });
});

describe('two lists may share records', () => {
  test.each([
    ['a filtered and an unfiltered one', 'protocolType=token_20', ''],
    ['two filters on different columns', 'protocolType=token_20', 'tokenContractAddress=0x1'],
    ['what was sent and what was received', 'isFromOrTo=from', 'isFromOrTo=to'],
  ])('%s', (_, one, other) => {
    expect(mayShareRecords(tokens(one), tokens(other))).toBe(true);
    expect(mayShareRecords(tokens(other), tokens(one))).toBe(true);
  });

  test.each([
    ['one list, and itself', tokens('protocolType=token_20'), tokens('protocolType=token_20')],
    [
      'two values of one column',
      tokens('protocolType=token_20'),
      tokens('isFromOrTo=from&protocolType=token_721'),
    ],
    ['lists of two datasets', tokens(''), internals],
  ])('but not %s', (_, one, other) => {
    expect(mayShareRecords(one, other)).toBe(false);
    expect(mayShareRecords(other, one)).toBe(false);
  });

  test('two endpoints of one dataset do', () => {
    const one = { dataset: 'transactions', endpoint: TRANSACTIONS, variant: '' };
    expect(mayShareRecords(one, { ...one, endpoint: 'mainchain/gone' })).toBe(true);
  });
});
