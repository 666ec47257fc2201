import { beforeEach, describe, expect, test } from 'vitest';
import { freshLake } from '../../fixtures/fresh-lake.ts';
import {
  crossing,
  inBlock,
  LIST,
  TOKEN_20,
  transaction,
  transfer,
  type Walked,
} from '../../fixtures/load-lake.ts';

/** Goal: balances and NFTs are stated only where the lake proves them, and each row says why not. */

const small = freshLake(beforeEach);

const TOKEN_10 = { protocolType: 'token_10' } as const;
const TOKEN_721 = { protocolType: 'token_721' } as const;
const received = transfer({ from: '0xb', to: '0xa', amount: '25' });
const sent = transfer({ txId: '0x02', height: '20', amount: '5' });

describe('token_balances', () => {
  const columns = 'opening, balance_text, net_text, complete_from, complete_until';

  const balances = () =>
    small.published(`SELECT ${columns} FROM token_balances WHERE address = '0xa'`);

  const all = { keys: ['0xa'], params: TOKEN_20 };
  const ofOne = { ...TOKEN_20, tokenContractAddress: '0x70' };

  test.each<[string, Walked[], unknown[]]>([
    [
      'known, of a ledger from block 0',
      [{ ...all, records: [received, sent] }],
      ['zero', '20', '20', 0, 99],
    ],
    [
      'unknown without older blocks',
      [{ ...all, from: 5, records: [received, sent] }],
      ['unknown', null, '20', 5, 99],
    ],
    [
      'unknown without a block between',
      [
        { ...all, to: 14, records: [received] },
        { ...all, from: 16, records: [sent] },
      ],
      ['unknown', null, '20', 0, 14],
    ],
    ['unknown where more went out', [{ ...all, records: [sent] }], ['unknown', null, '-5', 0, 99]],
    [
      'unknown of recipients alone',
      [{ ...all, params: { ...TOKEN_20, isFromOrTo: 'to' }, records: [received] }],
      ['unknown', null, '25', 0, 99],
    ],
    [
      'known of a token by itself',
      [{ ...all, params: ofOne, records: [received] }],
      ['zero', '25', '25', 0, 99],
    ],
    [
      'unknown of a cut list',
      [{ ...all, status: 'truncated', records: [received] }],
      ['unknown', null, '25', null, null],
    ],
  ])('are %s', async (_, walks, row) => {
    await small.land(LIST.tokens, ...walks);
    expect(await balances()).toEqual([row]);
  });

  test('are as doubles the nearest ones, however large the movements were', async () => {
    const large = `1${'0'.repeat(29)}`;
    const records = [
      transfer({ from: '0xb', to: '0xa', amount: large }),
      transfer({ from: '0xb', to: '0xa', amount: '1' }),
      transfer({ txId: '0x02', height: '20', amount: large }),
    ];
    await small.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_20, records });
    await small.publish();
    const sql = "SELECT balance_text, balance_double FROM token_balances WHERE address = '0xa'";
    expect(await small.rows(sql)).toEqual([['1', 1]]);
  });

  test('are exact for tokens with 255 decimals', async () => {
    const [one, two] = [1, 2].map((digit) => `0.${'0'.repeat(254)}${digit}`);
    const records = [
      transfer({ from: '0xb', to: '0xa', amount: `3${two?.slice(1)}` }),
      transfer({ txId: '0x02', height: '20', amount: one }),
    ];
    await small.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_20, records });
    const sum = `3${one?.slice(1)}`;
    expect(await balances()).toEqual([['zero', sum, sum, 0, 99]]);
  });

  test('are unknown where tokens of the kind were asked for in one block alone', async () => {
    const comes = inBlock({ from: '0xb', to: '0xa', amount: '25', tokenContractAddress: '0x70' });
    const one = { keys: [''], from: 10, to: 10 };
    await small.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_20 });
    await small.land(LIST.inBlock, { ...one, params: TOKEN_10, records: [comes] });
    expect(await balances()).toEqual([['unknown', null, '25', 0, 99]]);
  });

  test('are known where whole blocks have all transfers of the kind', async () => {
    const comes = inBlock({ from: '0xb', to: '0xa', amount: '25', tokenContractAddress: '0x70' });
    await small.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_20 });
    await small.land(LIST.inBlock, { keys: [''], params: TOKEN_10, records: [comes] });
    expect(await balances()).toEqual([['zero', '25', '25', 0, 99]]);
  });
});

describe('nft_holdings', () => {
  const nft = { tokenId: '7', amount: '1' };
  const comes = transfer({ ...nft, from: '0xb', to: '0xa' });
  const goes = transfer({ ...nft, txId: '0x02', height: '20' });
  const returns = transfer({ ...nft, txId: '0x03', height: '30', from: '0xb', to: '0xa' });

  const columns = 'opening, is_held, amount_text, net_text';
  const holdings = () =>
    small.published(`SELECT ${columns} FROM nft_holdings WHERE address = '0xa'`);

  test('of one owner are known from the first movement, whatever was exported', async () => {
    await small.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_721, from: 5, records: [comes] });
    expect(await holdings()).toEqual([['zero', true, '1', '1']]);
  });

  test.each(['', '0', '0.0'])('are one piece where the amount is %j', async (amount) => {
    const records = [
      { ...goes, amount },
      { ...returns, amount },
    ];
    const other = [{ ...comes, tokenId: '8', amount }];
    await small.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_721, from: 5, records });
    await small.land(LIST.tokens, {
      keys: ['0xb'],
      params: TOKEN_721,
      from: 5,
      records: [...records, ...other],
    });
    const rows = await holdings();
    expect(rows).toContainEqual(['held', true, '1', '0']);
    expect(await small.rows('SELECT DISTINCT amount FROM token_transfers')).toEqual([
      ['1.000000000000000000'],
    ]);
  });

  const all = { keys: ['0xa'], params: TOKEN_721, from: 5 };
  const toItself = transfer({ ...nft, from: '0xa', to: '0xa' });
  const goesAtOnce = transfer({ ...nft, txId: '0x02', height: '10' });
  const mayGo = { ...goesAtOnce, from: '0xa,0xc' };
  const cut = { ...all, to: 14 };

  test.each<[string, Walked[], unknown[]?]>([
    ['no id that went away', [{ ...all, records: [comes, goes] }]],
    [
      'an id that was there, went and came back',
      [{ ...all, records: [goes, returns] }],
      ['held', true, '1', '0'],
    ],
    ['an id sent to itself', [{ ...all, records: [toItself] }], ['held', true, '1', '0']],
    [
      'no opening in a block in which it may have gone',
      [{ ...all, records: [comes, mayGo] }],
      ['unknown', null, null, '1'],
    ],
    [
      'no opening in a block that was cut off',
      [{ ...all, status: 'truncated', records: [comes] }],
      ['unknown', null, null, '1'],
    ],
    [
      'an id from the movement after the block in which it came and went',
      [{ ...all, records: [comes, goesAtOnce, returns] }],
      ['zero', true, '1', '1'],
    ],
    [
      'nothing known of an id that only came and went in one block',
      [{ ...all, records: [comes, goesAtOnce] }],
      ['unknown', null, null, '0'],
    ],
    [
      'no opening behind a missing block',
      [
        { ...cut, records: [comes, goesAtOnce] },
        { ...all, from: 22, records: [returns] },
      ],
      ['unknown', null, null, '1'],
    ],
    [
      'nothing known across a missing block',
      [
        { ...cut, records: [comes] },
        { ...all, from: 22, records: [returns] },
      ],
      ['zero', null, null, '2'],
    ],
    [
      'nothing known of recipients alone',
      [{ ...all, from: 0, params: { ...TOKEN_721, isFromOrTo: 'to' }, records: [comes] }],
      ['zero', null, null, '1'],
    ],
    [
      'at least what came in where ids have several owners',
      [{ ...all, params: { protocolType: 'token_1155' }, records: [{ ...comes, amount: '4' }] }],
      ['unknown', true, null, '4'],
    ],
  ])('have %s', async (_, walks, ...rows) => {
    await small.land(LIST.tokens, ...walks);
    expect(await holdings()).toEqual(rows.filter((row) => row !== undefined));
  });

  test('are not proven by a failed transfer to itself', async () => {
    const toItself = transfer({ ...nft, from: '0xa', to: '0xa' });
    await small.land(LIST.tokens, {
      keys: ['0xa'],
      params: TOKEN_721,
      from: 5,
      records: [toItself],
    });
    await small.land(LIST.transactionsByHash, {
      keys: ['0x01'],
      records: [transaction({ state: 'fail' })],
    });
    expect(await holdings()).toEqual([['unknown', null, null, '0']]);
  });

  test('are unknown on the zone chain, whose actions name no tokens', async () => {
    const comes = crossing({
      tokenType: 'ERC1155',
      tokenId: '7',
      targetAddress: '0xa',
      valueRaw: '1',
      value: '1',
    });
    await small.land(LIST.crossChain, {
      keys: ['0xa'],
      params: { address: '*' },
      records: [comes],
    });
    expect(await holdings()).toEqual([['unknown', null, null, '1']]);
  });
});
