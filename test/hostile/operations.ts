import type {
  Chain,
  Internal,
  Placed,
  TokenType,
  Transaction,
  Transfer,
  ZoneBlock,
  ZoneTransaction,
} from './chain.ts';
import { blockHash, blockTime, zoneBlockHash, zoneBlockTime } from './chain.ts';
import type { Entry, ListKind, Params } from './lists.ts';

/** The operations of the interface that the service answers, and their records on the wire. */

const TIME = 'epoch_ms(block_time)';
const MOVED = [TIME, 'block_number', 'tx_hash', 'from_address', 'to_address', 'amount_text'];
const IN_BLOCK = ['block_hash', ...MOVED];
const OWN = ['nonce', ...IN_BLOCK];
const TOKEN = [...IN_BLOCK, 'token_address', 'token_id', 'token_standard'];
const INTERNAL = [...IN_BLOCK, 'operation'];
/** Look-ups of internal transactions name no block hash. */
const CALL = [...MOVED, 'operation'];
const BLOCK = [TIME, 'block_number', 'block_hash'];
const ZONE = [TIME, 'block_hash', 'block_number', 'tx_hash', 'from_address', 'tx_index'];

const common = ({ hash, height }: Placed) => ({
  txId: hash,
  blockHash: height < 0 ? '' : blockHash(height),
  height: height < 0 ? '' : String(height),
  transactionTime: height < 0 ? '1700000000000' : blockTime(height),
  isFromContract: false,
  isToContract: false,
});

const GAS = { gasUsed: '21000', gasLimit: '30000', gasPrice: '1000000000', txFee: '0.000021' };

type Moved = Placed & { readonly from: string; readonly to: string; readonly amount: string };

const movedCells = ({ height, hash, from, to, amount }: Moved): string[] => [
  blockHash(height),
  blockTime(height),
  String(height),
  hash,
  from,
  to,
  amount,
];

const parties = ({ from, to }: Moved): string[] => [...new Set([from, to])];

function transactionEntry(row: Transaction, keys: readonly string[], hasState: boolean): Entry {
  const { from, to, amount, nonce, state } = row;
  const fields = { from, to, amount, symbol: 'ETH', methodId: '0x', nonce: String(nonce) };
  const stated = hasState ? { state } : {};
  const wire = { ...common(row), ...fields, ...GAS, ...stated, transactionType: '2' };
  return { ...row, keys, wire, cells: [String(nonce), ...movedCells(row)] };
}

function internalEntry(row: Internal, keys: readonly string[], hasState: boolean): Entry {
  const { from, to, amount, operation, state } = row;
  const wire = { ...common(row), from, to, amount, operation, ...(hasState ? { state } : {}) };
  return { ...row, keys, wire, cells: [...movedCells(row), operation] };
}

function transferEntry(row: Transfer, keys: readonly string[]): Entry {
  const { from, to, amount, token, type, tokenId } = row;
  const fields = { from, to, amount, tokenContractAddress: token, tokenId, symbol: 'TKN' };
  const cells = [...movedCells(row), token, tokenId, type];
  return { ...row, keys, wire: { ...common(row), ...fields }, cells };
}

function blockEntries({ head, transactions }: Chain): Entry[] {
  const counts = new Map<number, number>();
  for (const { height } of transactions) counts.set(height, (counts.get(height) ?? 0) + 1);
  return Array.from({ length: head + 1 }, (_, height) => {
    const hash = blockHash(height);
    const txnCount = String(counts.get(height) ?? 0);
    const time = { blockTime: blockTime(height), txnCount, state: 'done' };
    const gas = { gasUsed: '0', gasLimit: '30000000', totalFee: '0', mineReward: '2' };
    const wire = { hash, height: String(height), ...time, ...gas, feeSymbol: 'ETH' };
    const cells = [blockTime(height), String(height), hash];
    return { height, index: height, keys: [''], wire, cells };
  });
}

/** What a block lists of one protocol type. */
function blockRecords(chain: Chain, params: Params): readonly Entry[] {
  const type = params['protocolType'] ?? 'transaction';
  const isOf = (entry: Entry): Entry => {
    const { txId, ...rest } = entry.wire;
    return { ...entry, keys: [''], wire: { txid: txId, ...rest } };
  };
  switch (type) {
    case 'transaction':
      return chain.transactions.map((row) => {
        const { cells, ...entry } = isOf(transactionEntry(row, [], true));
        return { ...entry, cells: cells.slice(1) };
      });
    case 'internal':
      return chain.internals.map((row) => {
        const { cells, ...entry } = isOf(internalEntry(row, [], true));
        const { operation: _operation, ...wire } = entry.wire;
        return { ...entry, wire, cells: cells.slice(0, IN_BLOCK.length) };
      });
    default:
      return ofType(chain, type).map((row) => isOf(transferEntry(row, [])));
  }
}

/** Transfers of tokens, between two amounts where these are given. */
function tokenRecords({ transfers }: Chain, { minAmount, maxAmount }: Params): readonly Entry[] {
  const [least, most] = [Number(minAmount ?? 0), Number(maxAmount ?? Number.POSITIVE_INFINITY)];
  return transfers
    .filter(({ amount }) => Number(amount) >= least && Number(amount) <= most)
    .map((row) => {
      const entry = transferEntry(row, [row.token]);
      const { txId, symbol, ...rest } = entry.wire;
      const fields = { txid: txId, transactionSymbol: symbol, protocolType: row.type };
      return { ...entry, wire: { ...fields, ...rest, methodId: '0x', state: 'success' } };
    });
}

function ofType(chain: Chain, type: string | undefined): readonly Transfer[] {
  return chain.transfers.filter((row) => row.type === (type as TokenType));
}

function zoneEntry(row: ZoneTransaction, keys: readonly string[]): Entry {
  const { hash, height, from, order } = row;
  const block = { blockHeight: String(height), blockHash: zoneBlockHash(height) };
  const fields = { from, index: String(order), actionType: 'order', value: '', valueRaw: '' };
  const wire = { hash, ...block, blockTime: zoneBlockTime(height), status: '0x1', ...fields };
  const placed = [zoneBlockTime(height), zoneBlockHash(height), String(height)];
  return { ...row, keys, wire, cells: [...placed, hash, from, String(order)] };
}

function zoneBlockEntry({ hash, height, index, transactions }: ZoneBlock): Entry {
  const blockTimeMs = zoneBlockTime(height);
  const fields = { hash, height: String(height), miner: `0x${'d'.repeat(40)}` };
  const wire = { ...fields, blockTime: blockTimeMs, transactionCount: String(transactions) };
  return { height, index, keys: [''], wire, cells: [blockTimeMs, String(height), hash] };
}

const MAIN = { chain: 'MAINCHAIN', pageMax: 100 } as const;
const OF_ZONE = { chain: 'ZONECHAIN', total: 'total', pageMax: 100, list: 'data' } as const;
const BY_ADDRESS = { ...MAIN, keyParam: 'address', isRanged: true, list: 'transactionList' };
const BY_HASH = { ...MAIN, keyParam: 'txId', isRanged: false };

export const OPERATIONS: readonly ListKind[] = [
  {
    ...BY_ADDRESS,
    path: 'mainchain/address/normal-transaction-list-multi',
    columns: () => OWN,
    entries: (chain) => chain.transactions.map((row) => transactionEntry(row, parties(row), false)),
  },
  {
    ...BY_ADDRESS,
    path: 'mainchain/address/normal-transaction-list',
    pageMax: 50,
    columns: () => OWN,
    entries: (chain) => chain.transactions.map((row) => transactionEntry(row, parties(row), true)),
  },
  {
    ...BY_ADDRESS,
    path: 'mainchain/address/internal-transaction-list-multi',
    columns: () => INTERNAL,
    entries: (chain) => chain.internals.map((row) => internalEntry(row, parties(row), false)),
  },
  {
    ...BY_ADDRESS,
    path: 'mainchain/address/token-transaction-list',
    pageMax: 50,
    columns: () => TOKEN,
    entries: (chain, { protocolType = 'token_20', tokenContractAddress }) =>
      ofType(chain, protocolType)
        .filter(({ token }) => tokenContractAddress === undefined || token === tokenContractAddress)
        .map((row) => transferEntry(row, parties(row))),
  },
  {
    ...BY_HASH,
    path: 'mainchain/transaction/transaction-multi',
    columns: () => OWN,
    entries: (chain) => chain.transactions.map((row) => transactionEntry(row, [row.hash], true)),
  },
  {
    ...BY_HASH,
    path: 'mainchain/transaction/token-transfer-multi',
    list: 'transactionList',
    columns: ({ protocolType }) => (protocolType === undefined ? TOKEN.slice(0, -1) : TOKEN),
    entries: (chain, { protocolType }) =>
      (protocolType === undefined ? chain.transfers : ofType(chain, protocolType)).map((row) => {
        const entry = transferEntry(row, [row.hash]);
        return protocolType === undefined ? { ...entry, cells: entry.cells.slice(0, -1) } : entry;
      }),
  },
  {
    ...BY_HASH,
    path: 'mainchain/transaction/internal-transaction-detail',
    list: 'internalTransactionDetails',
    columns: () => CALL,
    entries: (chain) =>
      chain.internals.map((row) => {
        const { cells, ...entry } = internalEntry(row, [row.hash], true);
        return { ...entry, cells: cells.slice(1) };
      }),
  },
  {
    ...MAIN,
    path: 'mainchain/token/transaction-list',
    list: 'transactionList',
    total: 'totalTransfer',
    pageMax: 50,
    keyParam: 'tokenContractAddress',
    isRanged: false,
    columns: () => TOKEN,
    entries: tokenRecords,
  },
  {
    ...MAIN,
    path: 'mainchain/block/transaction-list',
    list: 'blockList',
    isRanged: false,
    columns: ({ protocolType = 'transaction' }) =>
      protocolType.startsWith('token') ? TOKEN : IN_BLOCK,
    entries: blockRecords,
  },
  {
    ...MAIN,
    path: 'mainchain/block/block-list',
    list: 'blockList',
    isRanged: false,
    columns: () => BLOCK,
    entries: blockEntries,
  },
  {
    ...MAIN,
    path: 'mainchain/block/block-fills',
    isRanged: false,
    columns: () => BLOCK,
    entries: blockEntries,
  },
  {
    ...OF_ZONE,
    path: 'mainchain/zone/address/transaction-list',
    keyParam: 'address',
    isRanged: true,
    columns: () => ZONE,
    entries: (chain) => chain.zoneTransactions.map((row) => zoneEntry(row, [row.from])),
  },
  {
    ...OF_ZONE,
    path: 'mainchain/zone/block/transaction-list',
    isRanged: false,
    columns: () => ZONE,
    entries: (chain) => chain.zoneTransactions.map((row) => zoneEntry(row, [''])),
  },
  {
    chain: 'ZONECHAIN',
    pageMax: 100,
    path: 'mainchain/zone/block/transaction-list-multi',
    isRanged: true,
    columns: () => ZONE,
    entries: (chain) => chain.zoneTransactions.map((row) => zoneEntry(row, [''])),
  },
  {
    ...OF_ZONE,
    path: 'mainchain/zone/block/block-list',
    isRanged: false,
    columns: () => BLOCK,
    entries: (chain) => chain.zoneBlocks.map(zoneBlockEntry),
  },
  {
    chain: 'ZONECHAIN',
    pageMax: 100,
    path: 'mainchain/zone/transaction/transaction-fills',
    keyParam: 'txid',
    isRanged: false,
    columns: () => ZONE,
    entries: (chain) => chain.zoneTransactions.map((row) => zoneEntry(row, [row.hash])),
  },
];
