import { createServer } from 'node:http';
import { decimal } from './records.mjs';

/**
 * A service that answers the interface from records: heads, blocks, and the lists of addresses,
 * blocks and hashes. Signatures are accepted unchecked.
 */

const PREFIX = '/api/v5/mainchain/';
const TOKEN_LISTS = ['token_20', 'token_721', 'token_1155', 'token_10'];
const NAMES = { chainFullName: 'Anvil', chainShortName: 'MAINCHAIN' };

/** Serves the lists of `world.records` at `url` until it is closed. */
export async function listening({ blocks, records }) {
  const lists = indexed(records);
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://localhost');
    const answer = ANSWERS[pathname.replace(PREFIX, '')];
    const query = Object.fromEntries(searchParams);
    const body =
      answer === undefined
        ? { code: '50001', msg: `no ${pathname}`, data: [] }
        : { code: '0', msg: '', data: answer({ blocks, lists }, query) };
    response.setHeader('content-type', 'application/json');
    response.statusCode = answer === undefined ? 404 : 200;
    response.end(JSON.stringify(body));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, close };
}

/** Records newest first, by list and then by address, hash and height. */
function indexed(records) {
  const lists = new Map();
  const newestFirst = [...records].sort((a, b) => b.height - a.height);
  for (const record of newestFirst) {
    const list = lists.get(record.list) ?? {
      address: new Map(),
      hash: new Map(),
      block: new Map(),
    };
    lists.set(record.list, list);
    for (const party of new Set(record.parties)) push(list.address, party, record);
    push(list.hash, record.hash, record);
    push(list.block, record.height, record);
  }
  return (name, kind, keys) => {
    const index = lists.get(name)?.[kind];
    const matches = keys.flatMap((key) => index?.get(key) ?? []);
    return keys.length === 1 ? matches : [...new Set(matches)].sort((a, b) => b.height - a.height);
  };
}

function push(index, key, record) {
  const listed = index.get(key);
  if (listed === undefined) index.set(key, [record]);
  else listed.push(record);
}

function paged(records, { page = '1', limit = '20' }, name, extras = {}) {
  const from = (Number(page) - 1) * Number(limit);
  const totalPage = String(Math.ceil(records.length / Number(limit)));
  const shown = records.slice(from, from + Number(limit));
  return [{ page, limit, totalPage, ...extras, [name]: shown }];
}

function without(wire, ...names) {
  return Object.fromEntries(Object.entries(wire).filter(([name]) => !names.includes(name)));
}

function ofAddresses({ lists }, list, query) {
  const { address, startBlockHeight, endBlockHeight, isFromOrTo, tokenContractAddress } = query;
  const addresses = address.toLowerCase().split(',');
  const side = { from: 0, to: 1 }[isFromOrTo];
  return lists(list, 'address', addresses).filter(({ height, parties, token }) => {
    if (height < Number(startBlockHeight ?? 0)) return false;
    if (height > Number(endBlockHeight ?? Number.MAX_SAFE_INTEGER)) return false;
    if (tokenContractAddress !== undefined && token !== tokenContractAddress) return false;
    return side === undefined || addresses.includes(parties[side]);
  });
}

function hashes({ txId }) {
  return txId.toLowerCase().split(',');
}

function blockRecord({ blocks, lists }, block) {
  const transactions = lists('normal', 'block', [block.height]);
  const fee = transactions.reduce((sum, row) => sum + row.fee, 0n);
  const amount = transactions.reduce((sum, { raw }) => sum + raw, 0n);
  const gasUsed = BigInt(block.gasUsed);
  const baseFee = BigInt(block.baseFeePerGas);
  return {
    ...NAMES,
    ...{ hash: block.hash, height: String(block.height), validator: block.miner },
    ...{ blockTime: String(Number(block.timestamp) * 1000), amount: decimal(amount, 18) },
    txnCount: String(block.transactions.length),
    txnInternal: String(lists('internal', 'block', [block.height]).length),
    ...{ blockSize: String(Number(block.size)), mineReward: '0', totalFee: decimal(fee, 18) },
    ...{ feeSymbol: 'ETH', avgFee: '', ommerBlock: '0', merkleRootHash: block.transactionsRoot },
    ...{ gasUsed: String(gasUsed), gasLimit: String(BigInt(block.gasLimit)), gasAvgPrice: '' },
    ...{ state: 'done', burnt: decimal(gasUsed * baseFee, 18), miner: block.miner },
    ...{ difficulty: '0', nonce: '0x0', confirm: String(blocks.length - 1 - block.height) },
    ...{ tips: '', baseFeePerGas: decimal(baseFee, 18) },
  };
}

/** A record of a block's list has members of its own. */
function inBlock(wire, list) {
  const { txId, symbol = '', txFee = '', state = '', ...rest } = wire;
  const token = TOKEN_LISTS.includes(list) ? {} : { tokenContractAddress: '', tokenId: '' };
  return { txid: txId, ...rest, ...token, transactionSymbol: symbol, txfee: txFee, state };
}

const ANSWERS = {
  'block/block-list': (world, query) => {
    const newestFirst = [...world.blocks]
      .reverse()
      .filter(({ height }) => query.height === undefined || height === Number(query.height));
    const [answer] = paged(newestFirst, query, 'blockList', NAMES);
    return [{ ...answer, blockList: answer.blockList.map((block) => blockRecord(world, block)) }];
  },
  'block/block-fills': (world, { height }) => {
    const block = world.blocks[Number(height)];
    return block === undefined ? [] : [blockRecord(world, block)];
  },
  'block/transaction-list': ({ lists }, { height, protocolType = 'transaction', ...query }) => {
    const list = protocolType === 'transaction' ? 'normal' : protocolType;
    const wires = lists(list, 'block', [Number(height)]).map(({ wire }) => inBlock(wire, list));
    return paged(wires, query, 'blockList', NAMES);
  },
  'address/normal-transaction-list': (world, query) =>
    paged(
      ofAddresses(world, 'normal', query).map(({ wire }) => wire),
      query,
      'transactionList',
    ),
  'address/normal-transaction-list-multi': (world, query) => {
    const wires = ofAddresses(world, 'normal', query).map(({ wire }) => without(wire, 'state'));
    return paged(wires, query, 'transactionList');
  },
  'address/internal-transaction-list-multi': (world, query) => {
    const wires = ofAddresses(world, 'internal', query).map(({ wire }) => without(wire, 'state'));
    return paged(wires, query, 'transactionList');
  },
  'address/token-transaction-list': (world, query) => {
    const { protocolType = 'token_20' } = query;
    const wires = ofAddresses(world, protocolType, query).map(({ wire }) => wire);
    return paged(wires, query, 'transactionList');
  },
  'transaction/transaction-multi': ({ lists }, query) =>
    lists('normal', 'hash', hashes(query)).map(({ wire }) => wire),
  'transaction/internal-transaction-detail': ({ lists }, query) => {
    const records = lists('internal', 'hash', hashes(query));
    const wires = records.map(({ wire }) => without(wire, 'blockHash'));
    return paged(wires, query, 'internalTransactionDetails');
  },
  'transaction/token-transfer-multi': ({ lists }, { protocolType, ...query }) => {
    const names = protocolType === undefined ? TOKEN_LISTS : [protocolType];
    const records = names.flatMap((name) => lists(name, 'hash', hashes(query)));
    return paged(
      records.map(({ wire }) => wire),
      query,
      'transactionList',
    );
  },
};
