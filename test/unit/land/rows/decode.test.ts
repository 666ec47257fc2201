import { describe, expect, it } from 'vitest';
import type { Cell } from '../../../../src/catalogue/column-kind.ts';
import type { Endpoint } from '../../../../src/catalogue/entry.ts';
import { endpointAt } from '../../../../src/catalogue/index.ts';
import type { WireRecord } from '../../../../src/catalogue/record.ts';
import { listOf } from '../../../../src/coverage/list.ts';
import { tableColumns } from '../../../../src/land/rows/columns.ts';
import { type DecodedRecords, decode, type Row } from '../../../../src/land/rows/decode.ts';

const TRANSACTIONS = endpointAt('mainchain/address/normal-transaction-list-multi');
const TRANSFERS = endpointAt('mainchain/address/token-transaction-list');
const INTERNAL = endpointAt('mainchain/address/internal-transaction-list-multi');
const BLOCKS = endpointAt('mainchain/block/block-fills');

const HASH = `0x${'ab'.repeat(32)}`;
const ALICE = `0x${'a1'.repeat(20)}`;
const BOB = `0x${'b2'.repeat(20)}`;
const CAROL = `0x${'c3'.repeat(20)}`;

const TRANSFER = {
  txId: HASH,
  blockHash: HASH,
  height: '17',
  transactionTime: '1700000000123',
  from: ALICE,
  to: BOB,
  tokenContractAddress: CAROL,
  isFromContract: false,
  isToContract: true,
  amount: '12.5',
  symbol: 'TOK',
  tokenId: '',
};

function decodedAs(endpoint: Endpoint, ...records: WireRecord[]): DecodedRecords {
  return decode(listOf(endpoint, { protocolType: 'token_721' }), records);
}

/** The only row, which must have come without complaint. */
function rowOf(endpoint: Endpoint, record: WireRecord): Row {
  const { rows, broken } = decodedAs(endpoint, record);
  const [row] = rows;
  if (row === undefined) throw new Error(broken[0]?.reason);
  return row;
}

/** A row's cell by the name of its column. */
function cell(endpoint: Endpoint, row: Row | undefined, column: string): Cell | undefined {
  return row?.cells[tableColumns(endpoint.dataset).findIndex(({ name }) => name === column)];
}

function cellsOf(endpoint: Endpoint, record: WireRecord, ...columns: string[]) {
  const row = rowOf(endpoint, record);
  return columns.map((column) => cell(endpoint, row, column));
}

/** Why the record was refused. */
function reasonFor(endpoint: Endpoint, record: WireRecord): string {
  const { rows, broken } = decodedAs(endpoint, record);
  expect(rows).toEqual([]);
  expect(broken).toHaveLength(1);
  expect(broken[0]?.raw).toBe(JSON.stringify(record));
  return broken[0]?.reason ?? '';
}

describe('a decoded record', () => {
  it('has one typed cell for every column of the table', () => {
    const row = rowOf(TRANSFERS, TRANSFER);
    expect(row.cells).toHaveLength(tableColumns(TRANSFERS.dataset).length);
    expect(cellsOf(TRANSFERS, TRANSFER, 'block_number', 'block_time', 'to_is_contract')).toEqual([
      17n,
      1_700_000_000_123_000n,
      true,
    ]);
    expect(row.height).toBe(17);
  });

  it('holds hashes and addresses in lower case', () => {
    const mixed = {
      ...TRANSFER,
      txId: HASH.toUpperCase().replace('0X', '0x'),
      from: ALICE.replaceAll('a', 'A'),
      tokenContractAddress: CAROL.replaceAll('c', 'C'),
    };
    expect(mixed.from).not.toBe(ALICE);
    expect(cellsOf(TRANSFERS, mixed, 'tx_hash', 'from_address', 'token_address')).toEqual([
      HASH,
      ALICE,
      CAROL,
    ]);
    expect(rowOf(TRANSFERS, mixed).touches).toEqual([ALICE, BOB]);
  });

  it('keeps symbols and other texts as they were spelled', () => {
    expect(cellsOf(TRANSFERS, { ...TRANSFER, symbol: ' =ToK\n' }, 'symbol')).toEqual([' =ToK\n']);
  });

  it('has NULL for what is empty, null or absent, and invents nothing', () => {
    const { tokenId: _tokenId, ...rest } = TRANSFER;
    const sparse = { ...rest, amount: '', to: '', isToContract: '', transactionTime: null };
    const columns = ['to_address', 'to_addresses', 'to_is_contract', 'block_time', 'token_id'];
    expect(cellsOf(TRANSFERS, sparse, ...columns, 'amount', 'amount_text')).toEqual(
      new Array(7).fill(null),
    );
    expect(rowOf(TRANSFERS, sparse).touches).toEqual([ALICE]);
  });

  it('takes the token standard from what was asked', () => {
    expect(cellsOf(TRANSFERS, TRANSFER, 'token_standard')).toEqual(['token_721']);
    const { rows } = decode(listOf(TRANSFERS), [TRANSFER]);
    expect(cell(TRANSFERS, rows[0], 'token_standard')).toBeNull();
  });

  it('takes safe whole numbers and flags where text is documented', () => {
    const loose = { ...TRANSFER, height: 17, isFromContract: 'true' };
    expect(cellsOf(TRANSFERS, loose, 'block_number', 'from_is_contract')).toEqual([17n, true]);
  });
});

describe('parties', () => {
  const several = { ...TRANSFER, from: `${ALICE.toUpperCase()}, ${BOB},${ALICE}`, to: BOB };

  it('keep several addresses without blanks and list each of them', () => {
    expect(cellsOf(INTERNAL, several, 'from_address', 'from_addresses')).toEqual([
      `${ALICE},${BOB},${ALICE}`,
      [ALICE, BOB, ALICE],
    ]);
  });

  it('make a record touch every address once', () => {
    expect(rowOf(INTERNAL, several).touches).toEqual([ALICE, BOB]);
  });

  const PADDINGS = [
    ' ',
    '\n',
    '\t',
    '\u00a0',
    '\u3000',
    '\ufeff',
    '\u200b',
    '\u200d',
    '\u2060',
    '\0',
  ];

  it.each(PADDINGS)('are read without the padding around them: %j', (padding) => {
    const from = `${padding}${ALICE.toUpperCase()}${padding},${padding}${BOB}`;
    const padded = { ...TRANSFER, from, to: padding + BOB, txId: HASH + padding };
    const columns = ['from_address', 'from_addresses', 'to_address', 'tx_hash', 'extra'];
    expect(cellsOf(TRANSFERS, padded, ...columns)).toEqual([
      `${ALICE},${BOB}`,
      [ALICE, BOB],
      BOB,
      HASH,
      null,
    ]);
    expect(rowOf(TRANSFERS, padded).touches).toEqual([ALICE, BOB]);
  });

  const WRONG = [`${ALICE},,${BOB}`, `${ALICE}g`, '0x', ALICE.replace('a', '\u0430')];

  it.each(WRONG)('that are not 0x and hex digits are odd: %j', (from) => {
    const record = { ...TRANSFER, from };
    expect(cellsOf(INTERNAL, record, 'from_address', 'from_addresses', 'extra')).toEqual([
      null,
      null,
      JSON.stringify({ from, tokenContractAddress: CAROL, symbol: 'TOK', tokenId: '' }, [
        'from',
        'symbol',
        'tokenContractAddress',
        'tokenId',
      ]),
    ]);
  });

  it('that are odd break a record without another requested key', () => {
    const record = { ...TRANSFER, from: '0xodd' };
    const asked = (keys: string[]) => decode(listOf(INTERNAL), [record], undefined, keys);
    expect(asked([BOB]).rows).toHaveLength(1);
    expect(asked([ALICE]).broken).toMatchObject([
      { height: 17, reason: 'from is not of the kind party: "0xodd"' },
    ]);
  });

  it('may be names in capitals, as in the first block of a chain', () => {
    const genesis = {
      ...{ ...TRANSFER, height: '0', blockHash: '', nonce: '', txId: `GENESIS_${BOB}` },
      ...{ from: 'GENESIS', amount: '2000' },
    };
    const columns = ['tx_hash', 'from_address', 'block_hash', 'nonce', 'amount_text'];
    expect(cellsOf(TRANSACTIONS, genesis, ...columns)).toEqual([
      `GENESIS_${BOB}`,
      'GENESIS',
      null,
      null,
      '2000',
    ]);
  });

  it('do not matter to endpoints that are asked without keys', () => {
    expect(rowOf(BLOCKS, { height: '5', hash: HASH }).touches).toEqual(['']);
  });
});

describe('amounts and ids', () => {
  const amounts = (amount: string) =>
    cellsOf(TRANSFERS, { ...TRANSFER, amount }, 'amount_text', 'amount');

  it('are exact numbers where 20 digits before the point and 18 after hold them', () => {
    const most = `${'9'.repeat(20)}.${'9'.repeat(18)}`;
    expect(amounts(most)).toEqual([most, 10n ** 38n - 1n]);
    expect(amounts('0.000000000000000001')).toEqual(['0.000000000000000001', 1n]);
    expect(amounts('1.50000000000000000000000')).toEqual([
      '1.50000000000000000000000',
      15n * 10n ** 17n,
    ]);
  });

  it('keep their exact text, with NULL for the number, where they do not fit', () => {
    const tooLarge = `1${'0'.repeat(20)}`;
    const tooFine = '0.0000000000000000001';
    const uint256 = String(2n ** 256n - 1n);
    for (const text of [tooLarge, tooFine, uint256]) expect(amounts(text)).toEqual([text, null]);
  });

  it('keep the 78 digits of a token id', () => {
    const tokenId = String(2n ** 256n - 1n);
    expect(tokenId).toHaveLength(78);
    expect(cellsOf(TRANSFERS, { ...TRANSFER, tokenId }, 'token_id')).toEqual([tokenId]);
  });

  it.each([
    ['1.5E-7', '0.00000015', 150_000_000_000n],
    ['0E-18', '0', 0n],
    ['4.2e-5', '0.000042', 42_000_000_000_000n],
    ['1e18', '1000000000000000000', 10n ** 36n],
    ['.5', '0.5', 5n * 10n ** 17n],
    ['5.', '5', 5n * 10n ** 18n],
    [' 7\n', '7', 7n * 10n ** 18n],
  ])('are decimals in other spellings, too: %j', (text, plain, value) => {
    expect(amounts(text)).toEqual([plain, value]);
  });

  const ODD = [
    '-3',
    '+3',
    '-0.5',
    '1e400',
    'NaN',
    '0x10',
    '\u0661',
    '\uff17',
    '1 2',
    '.',
    'e5',
    '1,5',
  ];

  it.each(ODD)('cost no more than themselves where they are odd: %j', (amount) => {
    const columns = ['amount_text', 'amount', 'extra', 'from_address'];
    expect(cellsOf(TRANSFERS, { ...TRANSFER, amount }, ...columns)).toEqual([
      null,
      null,
      JSON.stringify({ amount }),
      ALICE,
    ]);
  });

  it('are odd where they are no text', () => {
    for (const amount of [0.1, { value: 1 }, [1]]) {
      const columns = ['amount_text', 'extra'];
      const extra = JSON.stringify({ amount });
      expect(cellsOf(TRANSFERS, { ...TRANSFER, amount }, ...columns)).toEqual([null, extra]);
    }
  });

  it('are whole numbers of 64 bits and more, exactly', () => {
    const columns = ['gas_limit', 'gas_used', 'nonce', 'gas_price', 'extra'];
    const values = [2n ** 64n - 1n, 2n ** 64n, 2n ** 63n, 10n ** 38n - 1n];
    const [gasLimit, gasUsed, nonce, gasPrice] = values.map(String);
    const { tokenContractAddress, tokenId, ...rest } = TRANSFER;
    const record = { ...rest, gasLimit, gasUsed, nonce, gasPrice };
    expect(cellsOf(TRANSACTIONS, record, ...columns)).toEqual([...values, null]);
    const larger = { ...record, gasLimit: String(2n ** 256n - 1n) };
    expect(cellsOf(TRANSACTIONS, larger, ...columns)).toEqual([
      null,
      ...values.slice(1),
      JSON.stringify({ gasLimit: larger.gasLimit }),
    ]);
  });
});

describe('a record that breaks its contract', () => {
  const bad: [string, WireRecord][] = [
    ['height is not of the kind height: "1.9"', { ...TRANSFER, height: '1.9' }],
    ['height is not of the kind height: "0x10"', { ...TRANSFER, height: '0x10' }],
    [
      'height is not of the kind height: "9007199254740993"',
      { ...TRANSFER, height: '9007199254740993' },
    ],
    ['the record has no height', { ...TRANSFER, height: '' }],
  ];

  it.each(bad)('is kept whole with its reason: %s', (reason, record) => {
    expect(reasonFor(TRANSFERS, record)).toBe(reason);
  });

  it('does not break the walk', () => {
    const { rows, broken } = decodedAs(TRANSFERS, TRANSFER, { ...TRANSFER, height: '' }, TRANSFER);
    expect(rows.map(({ occurrence }) => occurrence)).toEqual([1, 2]);
    expect(broken).toHaveLength(1);
  });

  it('shows no more than the beginning of a long value', () => {
    const reason = reasonFor(TRANSFERS, { ...TRANSFER, height: `0x${'z'.repeat(500)}` });
    expect(reason.length).toBeLessThan(120);
  });
});

describe('aliases', () => {
  const block = { hash: HASH, height: '9' };

  it('stand for the documented name', () => {
    expect(cellsOf(BLOCKS, { ...block, difficuity: '7' }, 'difficulty')).toEqual([7n]);
    expect(decodedAs(BLOCKS, { ...block, difficuity: '7' }).drift.size).toBe(0);
  });

  it('may come together when they agree, or when one is empty', () => {
    const both = { ...block, difficulty: '7', difficuity: '7' };
    expect(cellsOf(BLOCKS, both, 'difficulty')).toEqual([7n]);
    expect(cellsOf(BLOCKS, { ...both, difficulty: '' }, 'difficulty')).toEqual([7n]);
  });

  it('are odd when they disagree', () => {
    const both = { ...block, difficulty: '7', difficuity: '8' };
    expect(cellsOf(BLOCKS, both, 'difficulty', 'extra')).toEqual([
      null,
      '{"difficuity":"8","difficulty":"7"}',
    ]);
  });
});

describe('fields that are not there', () => {
  it('are counted where records should have them, and empty ones are not', () => {
    const { tokenId: _, isFromContract: _volatile, ...without } = TRANSFER;
    const { absent } = decodedAs(TRANSFERS, without, { ...TRANSFER, tokenId: '' }, TRANSFER);
    expect(Object.fromEntries(absent)).toEqual({ tokenId: 1 });
  });

  it('break the record where they name it', () => {
    const record = { height: '7', from: ALICE, to: BOB, amount: '1' };
    const { rows, broken } = decodedAs(TRANSACTIONS, { ...record, txId: HASH }, record);
    expect(rows).toHaveLength(1);
    expect(broken.map(({ reason }) => reason)).toEqual(['the record has no txId']);
  });

  const vital = ['txId', 'from', 'tokenContractAddress', 'amount'] as const;
  it.each(vital)('break the record without %s, and empty do not', (name) => {
    const { [name]: _, ...without } = TRANSFER;
    const { rows, broken, absent } = decodedAs(TRANSFERS, without, { ...TRANSFER, [name]: '' });
    expect(rows).toHaveLength(1);
    // Nothing is NULL in what did not land.
    expect(absent.size).toBe(0);
    expect(broken.map(({ reason }) => reason)).toEqual([`the record has no ${name}`]);
  });
});

describe('fields the catalogue does not know', () => {
  it('are kept as JSON, in the order of their names, and counted', () => {
    const odd = { ...TRANSFER, zeta: { deep: [1] }, alpha: '' };
    const { rows, drift } = decodedAs(TRANSFERS, odd, TRANSFER, { ...TRANSFER, zeta: null });
    expect(rows.map((row) => cell(TRANSFERS, row, 'extra'))).toEqual([
      '{"alpha":"","zeta":{"deep":[1]}}',
      null,
      '{"zeta":null}',
    ]);
    expect(Object.fromEntries(drift)).toEqual({ alpha: 1, zeta: 2 });
  });

  it('are counted in broken records, where they may be what is missed', () => {
    const { amount, ...rest } = TRANSFER;
    const renamed = { ...rest, amountNow: amount };
    const { broken, drift } = decodedAs(TRANSFERS, renamed, { ...renamed, amount: 'odd' });
    expect(broken).toHaveLength(1);
    expect(Object.fromEntries(drift)).toEqual({ amountNow: 2 });
  });

  it('do not tell two records apart', () => {
    const { rows } = decodedAs(TRANSFERS, { ...TRANSFER, zeta: 1 }, { ...TRANSFER, zeta: 2 });
    expect(rows.map(({ occurrence }) => occurrence)).toEqual([1, 2]);
  });
});

describe('occurrences', () => {
  it('number the records that are equal in every stable field', () => {
    const other = { ...TRANSFER, amount: '13' };
    const { rows } = decodedAs(TRANSFERS, TRANSFER, other, TRANSFER, TRANSFER, other);
    expect(rows.map(({ occurrence }) => occurrence)).toEqual([1, 1, 2, 3, 2]);
  });

  it('count equal records that others lie between, in any order of heights', () => {
    const [older, newer] = ['16', '18'].map((height) => ({ ...TRANSFER, height }));
    const listed = [TRANSFER, newer, TRANSFER, older, newer, TRANSFER].map((each) => each ?? {});
    const { rows } = decodedAs(TRANSFERS, ...listed);
    expect(rows.map(({ occurrence }) => occurrence)).toEqual([1, 1, 2, 1, 2, 3]);
  });

  it('look through spelling and volatile fields, and at everything else', () => {
    const same = { ...TRANSFER, txId: HASH.replaceAll('b', 'B'), symbol: 'X', isToContract: '' };
    const { rows } = decodedAs(TRANSFERS, TRANSFER, same, { ...TRANSFER, tokenId: '1' });
    expect(rows.map(({ occurrence }) => occurrence)).toEqual([1, 2, 1]);
  });

  it('begin anew with every walk', () => {
    expect(decodedAs(TRANSFERS, TRANSFER).rows[0]?.occurrence).toBe(1);
    expect(decodedAs(TRANSFERS, TRANSFER).rows[0]?.occurrence).toBe(1);
  });
});
