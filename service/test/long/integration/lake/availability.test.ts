import { beforeEach, describe, expect, it } from 'vitest';
import { PENDING_REASON } from '../../../../../src/fetch/walk/pending-records.ts';
import { freshLake } from '../../../../../test/fixtures/fresh-lake.ts';
import {
  crossing,
  inBlock,
  internal,
  LIST,
  TOKEN_20,
  transaction,
  transfer,
  zoneTransaction,
} from '../../../../../test/fixtures/load-lake.ts';
import { quietEffects } from '../../../../../test/fixtures/quiet-effects.ts';
import { lengthened } from '../../../../../test/fixtures/short-addresses.ts';
import { whenOver } from '../../../../../test/fixtures/when-over.ts';
import { type LakeSource, lakeSource } from '../../../../src/lake/lake-source.ts';
import { createService } from '../../../../src/server/service.ts';

/**
 * Goal: a lake that holds a part of a chain answers what that part answers, and refuses the rest: an
 * empty list for something that was never asked would be taken for proof that there is nothing.
 */

const NOT_HELD = '50052';

const small = freshLake(beforeEach);
/** The lake that is served. */
let served: LakeSource;

beforeEach(async () => {
  // The head is 90.
  await small.land(LIST.blocks, {
    keys: [''],
    records: [{ hash: '0xe', height: '90', state: 'done' }],
  });
});

type Query = Readonly<Record<string, string>>;

async function asking(isPartAnswered = false) {
  await small.curate();
  const source = await lakeSource({ root: small.root, effects: quietEffects(), isPartAnswered });
  whenOver(() => source.close());
  served = source;
  const service = createService({ source, effects: quietEffects() });
  return async (path: string, query: Query): Promise<string> => {
    const request = new URLSearchParams({ chainShortName: 'MAINCHAIN', ...query });
    const target = `/api/v5/${path}?${request}`;
    const { body } = await service.answer({ method: 'GET', target, headers: {}, body: '' });
    return String(JSON.parse(body).code);
  };
}

const between = (address: string, from: number, to: number, more: Query = {}): Query => ({
  address: lengthened(address),
  startBlockHeight: String(from),
  endBlockHeight: String(to),
  ...more,
});

describe('addresses', () => {
  it('are answered on the blocks they were asked on, and on no other', async () => {
    await small.land(LIST.transactions, { keys: ['0xa', '0xb'], from: 5, to: 50 });
    const ask = await asking();
    expect(await ask(LIST.transactions, between('0xa', 5, 50))).toBe('0');
    expect(await ask(LIST.transactions, between('0xa,0xB', 5, 50))).toBe('0');
    expect(await ask(LIST.transactions, between('0xa', 4, 50))).toBe(NOT_HELD);
    expect(await ask(LIST.transactions, between('0xa', 5, 51))).toBe(NOT_HELD);
    expect(await ask(LIST.transactions, between('0xa,0xc', 5, 50))).toBe(NOT_HELD);
    expect(await ask(LIST.internal, between('0xa', 5, 50))).toBe(NOT_HELD);
  });

  it('are answered by the side they were asked on', async () => {
    await small.land(LIST.transactions, { keys: ['0xa'], params: { isFromOrTo: 'from' } });
    const ask = await asking();
    expect(await ask(LIST.transactions, between('0xa', 0, 90, { isFromOrTo: 'from' }))).toBe('0');
    expect(await ask(LIST.transactions, between('0xa', 0, 90, { isFromOrTo: 'to' }))).toBe(
      NOT_HELD,
    );
    expect(await ask(LIST.transactions, between('0xa', 0, 90))).toBe(NOT_HELD);
    await small.land(LIST.transactions, { keys: ['0xa'], params: { isFromOrTo: 'to' } });
    await small.curate();
    await served.refresh();
    expect(await ask(LIST.transactions, between('0xa', 0, 90))).toBe('0');
  });

  it('are all answered where whole blocks were asked for', async () => {
    await small.land(LIST.inBlock, { keys: [''], params: { protocolType: 'internal' }, to: 60 });
    await small.land(LIST.internal, { keys: ['0xa'], from: 61 });
    const ask = await asking();
    expect(await ask(LIST.internal, between('0xbeef', 0, 60))).toBe('0');
    expect(await ask(LIST.internal, between('0xbeef', 0, 90))).toBe(NOT_HELD);
    expect(await ask(LIST.internal, between('0xa', 0, 90))).toBe('0');
  });

  it('are not answered where a service cut them off, or did not list so deep', async () => {
    await small.land(LIST.transactions, { keys: ['0xa'], to: 40 });
    await small.land(LIST.transactions, { keys: ['0xa'], from: 41, to: 41, status: 'truncated' });
    await small.land(LIST.transactions, { keys: ['0xa'], from: 42, status: 'provisional' });
    await small.land(LIST.ownTransactions, { keys: ['0xd'], to: 40, status: 'depth_limited' });
    await small.land(LIST.ownTransactions, { keys: ['0xd'], from: 41 });
    const ask = await asking();
    expect(await ask(LIST.transactions, between('0xa', 42, 90))).toBe('0');
    expect(await ask(LIST.transactions, between('0xa', 0, 90))).toBe(NOT_HELD);
    expect(await ask(LIST.transactions, between('0xd', 0, 90))).toBe(NOT_HELD);
    // This list ends by itself where records are too old.
    expect(await ask(LIST.ownTransactions, { address: lengthened('0xd') })).toBe('0');
  });
});

describe('token transfers', () => {
  it('are answered for the standards that were asked for', async () => {
    await small.land(LIST.tokens, { keys: ['0xa'], params: TOKEN_20, records: [transfer()] });
    const ask = await asking();
    expect(await ask(LIST.tokens, between('0xa', 0, 90, TOKEN_20))).toBe('0');
    const other = { protocolType: 'token_721' };
    expect(await ask(LIST.tokens, between('0xa', 0, 90, other))).toBe(NOT_HELD);
  });
});

describe('token transfers of all standards', () => {
  const STANDARDS = ['token_20', 'token_721', 'token_1155', 'token_10'];
  const landed = async (standards: readonly string[]) => {
    for (const protocolType of standards) {
      const records =
        protocolType === 'token_20' ? [inBlock({ tokenContractAddress: '0x70' })] : [];
      await small.land(LIST.inBlock, { keys: [''], params: { protocolType }, records });
    }
  };

  it('are answered where each standard was asked for, by whatever lists', async () => {
    await landed(STANDARDS.slice(1));
    await small.land(LIST.tokensOfContract, { keys: ['0x71'] });
    const ask = await asking();
    expect(await ask(LIST.tokensOfContract, { tokenContractAddress: lengthened('0x70') })).toBe(
      NOT_HELD,
    );
    expect(await ask(LIST.tokensOfContract, { tokenContractAddress: lengthened('0x71') })).toBe(
      '0',
    );
    expect(await ask(LIST.tokensByHash, { txId: '0x01' })).toBe(NOT_HELD);
    await landed(STANDARDS.slice(0, 1));
    await small.curate();
    await served.refresh();
    expect(await ask(LIST.tokensOfContract, { tokenContractAddress: lengthened('0x70') })).toBe(
      '0',
    );
    expect(await ask(LIST.tokensByHash, { txId: '0x01' })).toBe('0');
  });
});

describe('hashes', () => {
  it('are answered where they were looked up, and where their record is here', async () => {
    const records = [transaction({ txId: '0x01', state: 'success' })];
    await small.land(LIST.ownTransactions, { keys: ['0xa'], records });
    await small.land(LIST.transactionsByHash, { keys: ['0x02'] });
    const looked = [transaction({ txId: '0x05', state: 'success' })];
    await small.land(LIST.transactionsByHash, { keys: ['0x05'], records: looked });
    const waiting = { status: 'provisional', reason: PENDING_REASON } as const;
    await small.land(LIST.transactionsByHash, { keys: ['0x04'], ...waiting });
    const ask = await asking();
    expect(await ask(LIST.transactionsByHash, { txId: '0x01' })).toBe('0');
    expect(await ask(LIST.transactionsByHash, { txId: '0x01,0x02,0x05' })).toBe('0');
    expect(await ask(LIST.transactionsByHash, { txId: '0x01,0x03' })).toBe(NOT_HELD);
    // It is there, in no block: that there is nothing would be a lie.
    expect(await ask(LIST.transactionsByHash, { txId: '0x04' })).toBe(NOT_HELD);
    expect(await ask(LIST.internalByHash, { txId: '0x01' })).toBe(NOT_HELD);
  });

  it('are answered with all that their transaction has, where its block was asked for', async () => {
    const options = { keys: [''], from: 10, to: 10 };
    await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
    await small.land(LIST.internal, { keys: ['0xa'], records: [internal()] });
    const ask = await asking();
    // Another address may have been called as well.
    expect(await ask(LIST.internalByHash, { txId: '0x01' })).toBe(NOT_HELD);
    const params = { protocolType: 'internal' };
    await small.land(LIST.inBlock, { ...options, params, records: [inBlock({ amount: '2' })] });
    await small.curate();
    await served.refresh();
    // The operation is known from the address, the state from the block.
    expect(await ask(LIST.internalByHash, { txId: '0x01' })).toBe('0');
  });
});

describe('blocks', () => {
  it('are listed as far as they exist, so that clients can learn the head', async () => {
    const ask = await asking();
    expect(await ask(LIST.blocks, { limit: '1' })).toBe('0');
    expect(await ask(LIST.blockDetails, { height: '7' })).toBe('0');
    expect(await ask(LIST.inBlock, { height: '7' })).toBe(NOT_HELD);
  });
});

describe('fields', () => {
  const askingWhy = async () => {
    await small.curate();
    const source = await lakeSource({ root: small.root, effects: quietEffects() });
    whenOver(() => source.close());
    served = source;
    const service = createService({ source, effects: quietEffects() });
    return async (path: string, query: Query): Promise<string> => {
      const chainShortName = path.includes('/zone/') ? 'ZONECHAIN' : 'MAINCHAIN';
      const target = `/api/v5/${path}?${new URLSearchParams({ chainShortName, ...query })}`;
      const { body } = await service.answer({ method: 'GET', target, headers: {}, body: '' });
      const { code, msg } = JSON.parse(body) as { code: string; msg: string };
      return `${code} ${msg}`;
    };
  };
  const refused = (fields: string): string =>
    `${NOT_HELD} this service has a part of the chain: ${fields} of some requested records were ` +
    'not exported';

  it('that no exported list has are refused by their names, and not answered as empty', async () => {
    await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
    const ask = await askingWhy();
    expect(await ask(LIST.transactions, between('0xa', 0, 90))).toBe('0 ');
    expect(await ask(LIST.ownTransactions, { address: lengthened('0xa') })).toBe(refused('state'));
    expect(await ask(LIST.transactionsByHash, { txId: '0x01' })).toBe(refused('state'));
    // Where nothing is listed, nothing is missing of it.
    expect(
      await ask(LIST.ownTransactions, { address: lengthened('0xa'), endBlockHeight: '5' }),
    ).toBe('0 ');
  });

  it('are answered once every record listed was looked up with them', async () => {
    const both = [transaction(), transaction({ txId: '0x02' })];
    await small.land(LIST.transactions, { keys: ['0xa'], records: both });
    const state = 'success';
    await small.land(LIST.transactionsByHash, {
      keys: ['0x01'],
      records: [transaction({ state })],
    });
    const ask = await askingWhy();
    expect(await ask(LIST.ownTransactions, { address: lengthened('0xa') })).toBe(refused('state'));
    const other = transaction({ txId: '0x02', state: '' });
    await small.land(LIST.transactionsByHash, { keys: ['0x02'], records: [other] });
    await small.curate();
    await served.refresh();
    // The exported fact is that the service gave no state.
    expect(await ask(LIST.ownTransactions, { address: lengthened('0xa') })).toBe('0 ');
  });

  it('of details are refused where only lists were exported', async () => {
    const options = { keys: [''], to: 99 };
    await small.land(LIST.zoneBlocks, { ...options, records: [{ hash: '0x2e', height: '60' }] });
    await small.land(LIST.zoneTransactions, { ...options, records: [zoneTransaction()] });
    await small.land(LIST.crossChain, { ...options, records: [crossing()] });
    const ask = await askingWhy();
    expect(await ask(LIST.zoneTransactions, { startBlockHeight: '0', endBlockHeight: '60' })).toBe(
      '0 ',
    );
    const details = 'nonce, actionData, errorMessage, tokenTransferCount, eventCount';
    expect(await ask(LIST.zoneDetails, { txid: '0x2e01' })).toBe(refused(details));
    expect(await ask(LIST.crossDetails, { txId: '0x2e01' })).toBe(
      refused('zoneEventIndex, zoneBlockHash, batchDetail, updateTime, blockHeight'),
    );
    expect(await ask(LIST.blockDetails, { height: '90' })).toMatch(
      /^50052 .* amount, txnInternal, /,
    );
  });

  it('of the newest block are answered as far as they go, so that the head can be learned', async () => {
    await small.close();
    await small.reopen();
    await small.land(LIST.blockDetails, { keys: [''], records: [{ hash: '0xe', height: '90' }] });
    const ask = await askingWhy();
    expect(await ask(LIST.blocks, { limit: '1' })).toBe('0 ');
    expect(await ask(LIST.blocks, { limit: '2' })).toBe(refused('avgFee'));
  });

  it('are known from how a list was asked, too', async () => {
    const records = [inBlock({ tokenContractAddress: '0x70' })];
    await small.land(LIST.inBlock, { keys: [''], params: TOKEN_20, records });
    const ask = await asking(true);
    expect(await ask(LIST.tokensOfContract, { tokenContractAddress: lengthened('0x70') })).toBe(
      '0',
    );
    for (const protocolType of ['token_721', 'token_1155', 'token_10']) {
      await small.land(LIST.inBlock, { keys: [''], params: { protocolType } });
    }
    const strict = await asking();
    expect(await strict(LIST.tokensOfContract, { tokenContractAddress: lengthened('0x70') })).toBe(
      '0',
    );
  });
});

it('a part can be answered as if it were all, where that is asked for', async () => {
  await small.land(LIST.transactions, { keys: ['0xa'], from: 5, to: 50 });
  const ask = await asking(true);
  expect(await ask(LIST.transactions, between('0xc', 0, 90))).toBe('0');
  await small.land(LIST.transactions, { keys: ['0xd'], records: [transaction({ from: '0xd' })] });
  await small.curate();
  await served.refresh();
  expect(await ask(LIST.ownTransactions, { address: lengthened('0xd') })).toBe('0');
});
