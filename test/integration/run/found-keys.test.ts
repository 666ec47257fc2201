import { beforeEach, describe, expect, it } from 'vitest';
import type { WireRecord } from '../../../src/catalogue/record.ts';
import type { Coverage } from '../../../src/coverage/coverage.ts';
import type { Pipeline } from '../../../src/pipeline/pipeline.ts';
import { foundKeys } from '../../../src/run/found/found-keys.ts';
import { freshLake } from '../../fixtures/fresh-lake.ts';
import { internal, LIST, transaction } from '../../fixtures/load-lake.ts';
import { lengthened, shortened } from '../../fixtures/short-addresses.ts';
import { asking } from '../../model/plan-input.ts';

const E9 = 'mainchain/address/normal-transaction-list';
const E11 = 'mainchain/block/transaction-list';
const E15 = 'mainchain/transaction/transaction-multi';
const E3 = 'mainchain/zone/cross/transaction-list';
const E4 = 'mainchain/zone/address/transaction-list';
const E6 = 'mainchain/zone/block/transaction-list-multi';
const E13A = 'mainchain/zone/cross/transaction-multi';

const KEYS = { addresses: ['0xa', '0xb'] };

const OPEN = { status: 'inconsistent', reason: '', head: 99, readAtMs: 0 } as const;

const small = freshLake(beforeEach);

/** Look-ups by hashes that are found in this way, beside the requests given. */
function lookingUp(set: string, ...requests: string[]): Pipeline {
  const lookUp = `    - { endpoint: ${E15}, keys: found }`;
  return asking(['  transactions:', lookUp, ...requests], {}, `found: ${set}`);
}

const MULTI = `    - { endpoint: ${LIST.transactions}, keys: addresses }`;
const INTERNALS = [
  '  internal_transactions:',
  `    - { endpoint: ${LIST.internal}, keys: addresses }`,
];
const FROM_TRANSACTIONS = '{ from: [transactions] }';

async function keysInRows(pipeline: Pipeline, keys: Record<string, string[]>, coverage?: Coverage) {
  const covered = coverage ?? (await small.lake.coverage());
  return (await foundKeys({ lake: small.lake, pipeline, keys, coverage: covered })).rowKeys;
}

/** `key@height` of what is found for the one request that looks. */
async function results(
  pipeline: Pipeline,
  keys: Record<string, string[]> = KEYS,
): Promise<string[]> {
  const wanted = Object.fromEntries(
    Object.entries(keys).map(([set, short]) => [set, short.map(lengthened)]),
  );
  const all = await keysInRows(pipeline, wanted);
  const looking = pipeline.requests.filter(({ foundIn }) => foundIn !== undefined);
  expect([...all.keys()]).toEqual(looking);
  const [only] = looking;
  const rows = only === undefined ? [] : (all.get(only) ?? []);
  return shortened(rows.map(({ key, height }) => `${key}@${height}`));
}

/** A transaction with this hash at this height. */
function at(txId: string, height: number, more: WireRecord = {}): WireRecord {
  return transaction({ txId, height: String(height), ...more });
}

describe('found keys', () => {
  it('are none in an empty lake, and none where the dataset has no rows', async () => {
    const pipeline = lookingUp(FROM_TRANSACTIONS, MULTI);
    expect(await results(pipeline)).toEqual([]);
    await small.land(LIST.transactions, { keys: ['0xa'] });
    expect(await results(pipeline)).toEqual([]);
  });

  it('are not looked for where no request wants them', async () => {
    await small.land(LIST.transactions, { keys: ['0xa'], records: [at('0x1', 5)] });
    const pipeline = asking(['  transactions:', MULTI]);
    expect((await keysInRows(pipeline, KEYS)).size).toBe(0);
  });

  it('are each given once, with the height of its row, in order of height', async () => {
    const records = [at('0x9', 3), at('0x1', 7), at('0x5', 5), at('0x4', 5)];
    await small.land(LIST.transactions, { keys: ['0xa', '0xb'], records });
    await small.land(E9, { keys: ['0xa'], records: [at('0x1', 7)] });
    expect(await results(lookingUp(FROM_TRANSACTIONS, MULTI))).toEqual([
      '0x9@3',
      '0x4@5',
      '0x5@5',
      '0x1@7',
    ]);
  });

  it('are those of the keys that the pipeline asks for', async () => {
    const records = [
      at('0x1', 1, { from: '0xa', to: '0xee' }),
      at('0x2', 2, { from: '0xee', to: '0xb' }),
      at('0x3', 3, { from: '0xc', to: '0xee' }),
    ];
    await small.land(LIST.transactions, { keys: ['0xa', '0xb', '0xc'], records });
    const pipeline = lookingUp(FROM_TRANSACTIONS, MULTI);
    expect(await results(pipeline)).toEqual(['0x1@1', '0x2@2']);
    expect(await results(pipeline, { addresses: ['0xc'] })).toEqual(['0x3@3']);
    expect(await results(pipeline, { addresses: [] })).toEqual([]);
  });

  it('are found by any of several addresses that a party names', async () => {
    const records = [
      at('0x1', 1, { from: '0xee,0xA', to: '0xdd' }),
      at('0x2', 2, { from: '0xee', to: '0xdd, 0xb' }),
      at('0x3', 3, { from: '0xee,0xaa', to: '' }),
    ];
    await small.land(LIST.transactions, { keys: ['0xa', '0xb', '0xee'], records });
    expect(await results(lookingUp(FROM_TRANSACTIONS, MULTI))).toEqual(['0x1@1', '0x2@2']);
  });

  it('are not found in what other endpoints or variants have landed', async () => {
    await small.land(LIST.transactions, { keys: ['0xa'], records: [at('0x1', 1)] });
    await small.land(E9, { keys: ['0xa'], records: [at('0x2', 2)] });
    const params = { isFromOrTo: 'from' };
    await small.land(LIST.transactions, { keys: ['0xa'], params, records: [at('0x3', 3)] });
    await small.land(E15, { keys: ['0x4'], records: [at('0x4', 4)] });
    expect(await results(lookingUp(FROM_TRANSACTIONS, MULTI))).toEqual(['0x1@1']);
    const where = MULTI.replace(' }', ', where: { isFromOrTo: from } }');
    expect(await results(lookingUp(FROM_TRANSACTIONS, where))).toEqual(['0x3@3']);
  });

  it('are found in what an alternative has landed', async () => {
    await small.land(LIST.transactions, { keys: ['0xa'], records: [at('0x1', 1)] });
    await small.land(E9, { keys: ['0xa'], records: [at('0x2', 2)] });
    const either = MULTI.replace(' }', `, alternatives: [${E9}] }`);
    expect(await results(lookingUp(FROM_TRANSACTIONS, either))).toEqual(['0x1@1', '0x2@2']);
    const by = (endpoint: string) => `{ from: [transactions], by: [${endpoint}] }`;
    expect(await results(lookingUp(by(E9), either))).toEqual(['0x2@2']);
    expect(await results(lookingUp(by(LIST.transactions), either))).toEqual(['0x1@1']);
  });

  it('are judged by the side that each variant asks for', async () => {
    const sent = [at('0x1', 1, { from: '0xa', to: '0xee' })];
    const received = [
      at('0x2', 2, { from: '0xee', to: '0xa' }),
      at('0x3', 3, { from: '0xa', to: '0xee' }),
    ];
    await small.land(
      LIST.transactions,
      { keys: ['0xa'], params: { isFromOrTo: 'from' }, records: sent },
      { keys: ['0xa', '0xee'], params: { isFromOrTo: 'to' }, records: received },
    );
    const entry = MULTI.replace(' }', ', each: { isFromOrTo: [from, to] } }');
    // The third was received by an address that this pipeline does not follow.
    expect(await results(lookingUp(FROM_TRANSACTIONS, entry))).toEqual(['0x1@1', '0x2@2']);
  });

  it('leave out rows that have the column already', async () => {
    await small.land(E9, {
      keys: ['0xa'],
      records: [at('0x1', 1, { state: 'success' }), at('0x2', 2, { state: '' }), at('0x3', 3)],
    });
    const one = `    - { endpoint: ${E9}, keys: addresses }`;
    const unsettled = '{ from: [transactions], without: tx_status }';
    expect(await results(lookingUp(unsettled, one))).toEqual(['0x2@2', '0x3@3']);
    expect(await results(lookingUp(FROM_TRANSACTIONS, one))).toHaveLength(3);
  });

  it('may be found in several datasets, each key once', async () => {
    await small.land(LIST.transactions, { keys: ['0xa'], records: [at('0x1', 1), at('0x2', 2)] });
    const settings = (txId: string, height: number) => internal({ txId, height: String(height) });
    await small.land(LIST.internal, {
      keys: ['0xa'],
      records: [settings('0x2', 2), settings('0x3', 3)],
    });
    const both = '{ from: [transactions, internal_transactions] }';
    const lines = [MULTI, ...INTERNALS];
    expect(await results(lookingUp(both, ...lines))).toEqual(['0x1@1', '0x2@2', '0x3@3']);
    const internals = '{ from: [internal_transactions] }';
    expect(await results(lookingUp(internals, ...lines))).toEqual(['0x2@2', '0x3@3']);
  });

  it('are all that there are where the finder asks without keys', async () => {
    await small.land(E11, {
      keys: [''],
      params: { protocolType: 'transaction' },
      records: [{ txid: '0x1', height: '1', from: '0xdd', to: '0xee', amount: '' }],
    });
    const whole = `    - endpoint: ${E11}`;
    expect(await results(lookingUp(FROM_TRANSACTIONS, whole))).toEqual(['0x1@1']);
  });

  it('may be those of blocks alone in which the dataset is cut off', async () => {
    const E16 = 'mainchain/transaction/token-transfer-multi';
    const inBlock = (protocolType: string, at: number, more: object) =>
      small.land(E11, { keys: [''], params: { protocolType }, from: at, to: at, ...more });
    for (const height of [1, 2, 3]) {
      const records = [{ txid: `0x${height}`, height: String(height), from: '', amount: '1' }];
      await inBlock('transaction', height, { records });
    }
    await inBlock('token_20', 1, {});
    await inBlock('token_20', 2, { status: 'truncated', reason: 'cut off' });
    await inBlock('internal', 3, { status: 'truncated', reason: 'cut off' });
    // The interval of a look-up that is cut off has blocks of other transactions.
    const params = { protocolType: 'token_20' };
    const cutOff = { status: 'truncated' as const, reason: 'cut off' };
    await small.land(E16, { keys: ['0x2'], params, to: 99_999, ...cutOff });
    const pipeline = asking(
      [
        '  transactions:',
        `    - endpoint: ${E11}`,
        '  token_transfers:',
        `    - { endpoint: ${E11}, where: { protocolType: token_20 } }`,
        `    - { endpoint: ${E16}, keys: found, where: { protocolType: token_20 } }`,
      ],
      {},
      'found: { from: [transactions], at: truncated }',
    );
    expect(await results(pipeline)).toEqual(['0x2@2']);
  });

  it('are not looked up above a change of the chain that no table has recorded yet', async () => {
    const records = [at('0x1', 5), at('0x2', 50)];
    await small.land(LIST.transactions, { keys: ['0xa'], records });
    await small.land(E15, { keys: ['0x1', '0x2'], records });
    const pipeline = lookingUp(FROM_TRANSACTIONS, MULTI);
    const keys = { addresses: [lengthened('0xa')] };
    const lookedUp = async (changed?: Map<string, number>) => {
      const coverage = await small.lake.coverage(changed);
      const [all = []] = (await keysInRows(pipeline, keys, coverage)).values();
      return all.map(({ lookedUpIn }) => lookedUpIn);
    };
    expect(await lookedUp()).toEqual([[''], ['']]);
    expect(await lookedUp(new Map([['transactions', 20]]))).toEqual([[''], []]);
  });

  it('are only counted below the safe height once every list has looked them up', async () => {
    const records = [at('0x1', 5), at('0x2', 6), at('0x3', 7), at('0x4', 7), at('0x5', 60)];
    await small.land(LIST.transactions, { keys: ['0xa'], records });
    // 0x1 has a record; 0x2, 0x3 and 0x5 have none; 0x3 is open again.
    await small.land(E15, { keys: ['0x1'], records: records.slice(0, 1) });
    await small.land(E15, { keys: ['0x2', '0x3', '0x5'] });
    await small.land(E15, { keys: ['0x3'], status: 'failed' });
    const table = small.lake.table('transactions');
    await table.markLost([{ endpoint: E15, variant: '', key: '0x3', from: 0, to: 99, ...OPEN }]);
    const pipeline = lookingUp(FROM_TRANSACTIONS, MULTI);
    const options = {
      ...{ lake: small.lake, pipeline, keys: { addresses: [lengthened('0xa')] } },
      ...{ coverage: await small.lake.coverage(), heads: { primary: { head: 70, safe: 50 } } },
    };
    const { rowKeys: open, done } = await foundKeys(options);
    const keysIn = [...open.values()].flat().map(({ key, lookedUpIn }) => [key, lookedUpIn]);
    expect(keysIn).toEqual([
      ['0x3', ['']],
      ['0x4', []],
      ['0x5', ['']],
    ]);
    expect([...done.values()].flat().sort((a, b) => a.height - b.height)).toEqual([
      { height: 5, keys: 1 },
      { height: 6, keys: 1 },
    ]);
    const coverage = await small.lake.coverage(new Map([['transactions', 6]]));
    const changed = await foundKeys({ ...options, coverage });
    expect([...changed.done.values()].flat()).toEqual([]);
    expect([...changed.rowKeys.values()].flat().map(({ lookedUpIn }) => lookedUpIn)).toEqual([
      [''],
      ...[[], [], [], []],
    ]);
  });

  it('are also those of look-ups that are not complete, where no row names them any more', async () => {
    await small.land(E15, { keys: ['0x6'], status: 'failed' });
    const coverage = await small.lake.coverage();
    const pipeline = lookingUp(FROM_TRANSACTIONS, MULTI);
    const options = { lake: small.lake, pipeline, keys: {}, coverage };
    const open = async (safe: number) => {
      const { rowKeys } = await foundKeys({ ...options, heads: { primary: { head: 70, safe } } });
      return [...rowKeys.values()].flat();
    };
    expect(await open(50)).toEqual([{ key: '0x6', height: 0, lookedUpIn: [] }]);
    expect(await open(0)).toEqual([]);
  });

  it('stand at the heights of the axis they are on', async () => {
    const crossing = (zoneTxHash: string, height: number, sourceAddress: string) => ({
      zoneTxHash,
      zoneBlockHeight: String(height),
      mainTxHash: '0xff',
      mainBlockHeight: '1',
      value: '1',
      sourceAddress,
    });
    const records = [crossing('0x1', 700, '0xa'), crossing('0x2', 800, '0xee')];
    await small.land(E3, { keys: [''], to: 999, records });
    await small.land(E3, { keys: ['0xee'], params: { address: '*' }, to: 999, records });
    const crossings = (request: string) =>
      asking(
        [
          '  cross_chain_transfers:',
          `    - { endpoint: ${E3}${request} }`,
          `    - { endpoint: ${E13A}, keys: found }`,
        ],
        {},
        'found: { from: [cross_chain_transfers] }',
      );
    expect(await results(crossings(''))).toEqual(['0x1@700', '0x2@800']);
    expect(await results(crossings(', keys: addresses'))).toEqual(['0x1@700']);
    expect(await results(crossings(', keys: addresses'), { addresses: ['0xdd'] })).toEqual([]);
  });

  it('may be addresses: each of several that a row names in one column', async () => {
    const sent = (hash: string, from: string) => ({ hash, blockHeight: '5', from, value: '1' });
    await small.land(E6, { keys: [''], records: [sent('0x1', '0xA'), sent('0x2', '0xb,0xa')] });
    const senders = asking(
      ['  zone_transactions:', `    - endpoint: ${E6}`, `    - { endpoint: ${E4}, keys: found }`],
      {},
      'found: { from: [zone_transactions] }',
    );
    expect(await results(senders)).toEqual(['0xa@5', '0xb@5']);
  });

  it('stand at the newest of several heights, where the chain has moved a transaction', async () => {
    await small.land(LIST.transactions, { keys: ['0xa'], records: [at('0x1', 9)] });
    await small.land(E9, { keys: ['0xa'], records: [at('0x1', 8)] });
    const either = MULTI.replace(' }', `, alternatives: [${E9}] }`);
    expect(await results(lookingUp(FROM_TRANSACTIONS, either))).toEqual(['0x1@9']);
    const other = `    - { endpoint: ${E9}, keys: addresses, alternatives: [${LIST.transactions}] }`;
    expect(await results(lookingUp(FROM_TRANSACTIONS, other))).toEqual(['0x1@9']);
  });
});
