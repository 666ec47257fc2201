import { decodeEventLog, parseAbi } from 'viem';
import { hex, result, results } from './rpc.mjs';

/**
 * Records of the lists of an explorer, from the blocks, receipts and traces of a node, oldest first.
 * Each record is `{ list, height, hash, parties, moves, wire }`: `wire` has the members of the
 * interface; `moves` is true where value moved; `raw` is the exact amount in the smallest unit.
 */

const EVENTS = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event TransferSingle(address indexed by, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed by, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
]);
const DEED = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 indexed id)',
]);
const NATIVE_PLACES = 18;

/** The decimal text of an amount, without zeros at its end. */
export function decimal(raw, places) {
  const digits = String(raw).padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** Blocks by height, and all records of a chain. `tokens` are the contracts with their standards. */
export async function recordsOf(url, head, tokens, contractAddresses) {
  const heights = Array.from({ length: head + 1 }, (_, height) => hex(height));
  const blocks = await results(
    url,
    heights.map((at) => ['eth_getBlockByNumber', at, true]),
  );
  const receipts = await results(
    url,
    heights.map((at) => ['eth_getBlockReceipts', at]),
  );
  const traces = await results(
    url,
    heights.map((at) => ['trace_block', at]),
  );
  const byAddress = new Map(tokens.map((token) => [token.address, token]));
  const isContract = (address) => contractAddresses.has(address);
  const records = [];
  for (const [height, block] of blocks.entries()) {
    const place = {
      blockHash: block.hash,
      height: String(height),
      transactionTime: String(Number(block.timestamp) * 1000),
    };
    const framesOf = (hash) => traces[height].filter((frame) => frame.transactionHash === hash);
    for (const [at, transaction] of block.transactions.entries()) {
      const receipt = receipts[height][at];
      const cause = { height, place, hash: transaction.hash, receipt, isContract };
      records.push(normalRecord(cause, transaction));
      records.push(...internalRecords(cause, framesOf(transaction.hash)));
      records.push(...tokenRecords(cause, byAddress));
    }
  }
  return { blocks: blocks.map((block, height) => ({ ...block, height })), records };
}

function sides({ isContract }, from, to) {
  const isFromContract = isContract(from);
  return { from, to: to ?? '', isFromContract, isToContract: isContract(to ?? '') };
}

function normalRecord(cause, transaction) {
  const { height, place, hash, receipt } = cause;
  const { from, to, value, nonce, gas, type, input } = transaction;
  const raw = BigInt(value);
  const fee = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
  const moves = receipt.status === '0x1';
  return {
    ...{
      list: 'normal',
      height,
      hash,
      parties: [from, to],
      moves,
      raw,
      fee,
      places: NATIVE_PLACES,
    },
    wire: {
      ...{ txId: hash, ...place, ...sides(cause, from, to), amount: decimal(raw, NATIVE_PLACES) },
      ...{ state: moves ? 'success' : 'fail', methodId: input.slice(0, 10).replace(/^0x$/, '') },
      ...{ symbol: 'ETH', nonce: String(Number(nonce)), gasUsed: String(Number(receipt.gasUsed)) },
      ...{ gasLimit: String(Number(gas)), gasPrice: String(BigInt(receipt.effectiveGasPrice)) },
      ...{ txFee: decimal(fee, NATIVE_PLACES), transactionType: String(Number(type)) },
    },
  };
}

/** The calls below the outermost one. A call fails with every call around it. */
function internalRecords(cause, frames) {
  const { height, place, hash } = cause;
  const failed = frames.filter(({ error }) => error !== undefined).map((call) => call.traceAddress);
  return frames
    .filter(({ traceAddress }) => traceAddress.length > 0)
    .map(({ type, action, result: made, traceAddress }) => {
      const isEnd = type === 'suicide';
      const operation = type === 'call' ? action.callType : isEnd ? 'selfdestruct' : 'create';
      const from = isEnd ? action.address : action.from;
      const to = isEnd ? action.refundAddress : (action.to ?? made?.address);
      const raw = BigInt((isEnd ? action.balance : action.value) ?? 0);
      const succeeds = !failed.some((path) =>
        path.every((step, nth) => traceAddress[nth] === step),
      );
      const moves = succeeds && operation !== 'delegatecall' && operation !== 'staticcall';
      return {
        ...{ list: 'internal', height, hash, parties: [from, to], moves, raw },
        places: NATIVE_PLACES,
        wire: {
          ...{ txId: hash, ...place, operation, ...sides(cause, from, to), isFromContract: true },
          ...{ amount: decimal(raw, NATIVE_PLACES), state: succeeds ? 'success' : 'fail' },
        },
      };
    });
}

function tokenRecords(cause, byAddress) {
  const { height, place, hash, receipt } = cause;
  return receipt.logs.flatMap((log) => {
    const token = byAddress.get(log.address);
    if (token === undefined) return [];
    const { standard, address, symbol, places } = token;
    const abi = standard === 'token_721' ? DEED : EVENTS;
    const { args } = decodeEventLog({ abi, data: log.data, topics: log.topics });
    const from = args.from.toLowerCase();
    const to = args.to.toLowerCase();
    const moved =
      args.ids === undefined
        ? [{ id: args.id, raw: args.value ?? 1n }]
        : args.ids.map((id, nth) => ({ id, raw: args.values[nth] }));
    return moved.map(({ id, raw }) => ({
      ...{ list: standard, height, hash, parties: [from, to], moves: true, raw, places },
      ...{ token: address, id: id === undefined ? null : String(id), log: Number(log.logIndex) },
      wire: {
        ...{ txId: hash, ...place, ...sides(cause, from, to), tokenContractAddress: address },
        ...{ amount: decimal(raw, places), symbol, tokenId: id === undefined ? '' : String(id) },
      },
    }));
  });
}

/** Balances and nonces of the node: a function of the asset, the address and the height. */
export function nodeBalances(url) {
  const word = (value) => BigInt(value).toString(16).padStart(64, '0');
  return async (asset, address, height) => {
    const at = hex(height);
    if (asset.kind === 'native') return BigInt(await result(url, 'eth_getBalance', address, at));
    if (asset.kind === 'nonce') {
      return BigInt(await result(url, 'eth_getTransactionCount', address, at));
    }
    const data =
      asset.id === null
        ? `0x70a08231${word(address)}`
        : `0x00fdd58e${word(address)}${word(asset.id)}`;
    const answer = await result(url, 'eth_call', { to: asset.token, data }, at);
    return BigInt(answer === '0x' ? 0 : answer);
  };
}
