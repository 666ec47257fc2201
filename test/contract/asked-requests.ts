import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { commonTexts, servedRecords } from '../fixtures/served-records.ts';
import type { Params } from '../model/asked-truth.ts';

/**
 * Requests of every operation with every filter it has, typed from the interface for the records of
 * one chain: alone, together, with one key and with twenty.
 */

const HEAD = 700;
export const chain = simulatedChain({ seed: 'stooks', head: HEAD, zoneStart: HEAD - 120 });

/** Everything the chain holds, oldest first. */
export const tables = servedRecords(chain);

const common = (dataset: string, ...columns: readonly string[]): string[] =>
  commonTexts(tables.get(dataset), columns);

const PARTIES = ['from_address', 'to_address'];
const STANDARDS = ['token_20', 'token_721', 'token_1155', 'token_10'];
const NOBODY = `0x${'9'.repeat(40)}`;

/** The first addresses of parties that are one, and those of the first party that is several. */
function parties(dataset: string, count: number): string[] {
  const named = common(dataset, ...PARTIES);
  const shared = named.find((party) => party.includes(',')) ?? '';
  const single = named.filter((party) => !party.includes(','));
  const several = shared.split(',').map((part) => part.trim());
  return [...single.slice(0, count - several.length), ...several].filter((party) => party !== '');
}

/** Twenty keys: known ones, one nobody has, and one in capitals. */
function twenty(keys: readonly string[]): string {
  const [first = '', ...others] = keys;
  const shouted = `0x${first.slice(2).toUpperCase()}`;
  return [shouted, ...others.slice(0, 18), NOBODY].join(',');
}

const from = (share: number, head = HEAD): string => String(Math.floor(head * share));
const ZONE_HEAD = chain.zone.head;
const BLOCKS = { startBlockHeight: '0', endBlockHeight: String(HEAD) };
const SPANS: readonly Params[] = [
  { startBlockHeight: from(0.3), endBlockHeight: from(0.8) },
  { startBlockHeight: from(0.95), endBlockHeight: String(HEAD) },
];

/** Every pair of one of the first and one of the second. */
const pairs = (first: readonly Params[], second: readonly Params[]): Params[] =>
  first.flatMap((one) => second.map((other) => ({ ...one, ...other })));
const sets = (name: string, values: readonly string[]): Params[] =>
  values.map((value) => ({ [name]: value }));
const oneOrTwenty = (name: string, keys: readonly string[]): Params[] =>
  sets(name, [...keys.slice(0, 2), twenty(keys)]);

const SIDES: readonly Params[] = [{}, { isFromOrTo: 'from' }, { isFromOrTo: 'to' }];
const FREE_SPANS = [{}, { startBlockHeight: from(0.6) }, { endBlockHeight: from(0.4) }, ...SPANS];

function ofToken(): Params[] {
  const dataset = 'token_transfers';
  const tokens = sets('tokenContractAddress', common(dataset, 'token_address').slice(0, 3));
  const [token = ''] = common(dataset, 'token_address');
  const amounts = (tables.get(dataset) ?? [])
    .filter((record) => record['token_address'] === token)
    .map((record) => String(record['amount']))
    .sort((a, b) => Number(a) - Number(b));
  const [low = '', high = ''] = [0.25, 0.75].map((at) => amounts[Math.floor(amounts.length * at)]);
  const bounds: Params[] = [
    { minAmount: low },
    { maxAmount: high },
    { minAmount: `00${low}`, maxAmount: high },
    { minAmount: high, maxAmount: low },
  ];
  return [...tokens, ...pairs([{ tokenContractAddress: token }], bounds)];
}

function transfersOf(): Params[] {
  const addresses = sets('address', parties('token_transfers', 4));
  const kinds = [{}, ...sets('protocolType', STANDARDS)];
  const pair = sets('tokenContractAddress', common('token_transfers', 'token_address').slice(0, 2));
  return [
    ...pairs(addresses, pairs(kinds, SIDES)),
    ...pairs(addresses, pairs([{}, ...pair], FREE_SPANS)),
  ];
}

function crossings(): Params[] {
  const dataset = 'cross_chain_transfers';
  const some = (column: string, count = 3): string[] => common(dataset, column).slice(0, count);
  const [height = ''] = some('zone_block_number');
  const alone = [
    ...sets('txid', [...some('zone_tx_hash'), ...some('main_tx_hash')]),
    ...sets('height', some('zone_block_number')),
    ...sets('from', some('from_address')),
    ...sets('to', some('to_address')),
    ...sets('tokenContractAddress', some('token_address')),
    ...['from_address', 'to_address', 'source_address', 'target_address'].flatMap((column) =>
      sets('address', some(column, 2)),
    ),
  ];
  const spans: Params[] = [
    { startBlockHeight: from(0.5, ZONE_HEAD) },
    { endBlockHeight: from(0.5, ZONE_HEAD) },
    { startBlockHeight: height, endBlockHeight: height },
  ];
  return [{}, ...alone, ...spans, ...pairs(alone, spans.slice(0, 2))];
}

const ZONE_SPANS: readonly Params[] = [
  { startBlockHeight: '0', endBlockHeight: '10000' },
  { startBlockHeight: '777', endBlockHeight: '777' },
  { startBlockHeight: String(ZONE_HEAD - 900), endBlockHeight: String(ZONE_HEAD) },
];

const blocksOf = (dataset: string): string[] => common(dataset, 'block_number').slice(0, 2);
const hashesOf = (dataset: string, column = 'tx_hash'): string[] =>
  common(dataset, column).slice(0, 20);

/** The first two hashes, and one of a record that tells each of these columns. */
function hashesTelling(dataset: string, hash: string, columns: readonly string[]): string[] {
  const records = tables.get(dataset) ?? [];
  const telling = columns.map((column) => records.find((record) => (record[column] ?? '') !== ''));
  return [...hashesOf(dataset, hash).slice(0, 2), ...telling.map((one) => String(one?.[hash]))];
}

/** By path of the operation; the chain and the page are left to say. */
export const REQUESTS: Readonly<Record<string, readonly Params[]>> = {
  'mainchain/token/transaction-list': ofToken(),
  'mainchain/address/token-transaction-list': transfersOf(),
  'mainchain/address/normal-transaction-list': pairs(
    sets('address', parties('transactions', 4)),
    pairs(SIDES, FREE_SPANS),
  ),
  'mainchain/block/block-list': [{}, ...sets('height', ['0', from(0.5), String(HEAD)])],
  'mainchain/block/transaction-list': [
    ...pairs(sets('height', blocksOf('transactions')), [{}, { protocolType: 'transaction' }]),
    ...pairs(sets('height', blocksOf('internal_transactions')), [{ protocolType: 'internal' }]),
    ...pairs(sets('height', blocksOf('token_transfers')), sets('protocolType', STANDARDS)),
  ],
  'mainchain/address/normal-transaction-list-multi': pairs(
    oneOrTwenty('address', parties('transactions', 19)),
    pairs(SIDES, [BLOCKS, ...SPANS]),
  ),
  'mainchain/block/block-fills': sets('height', ['0', from(0.5), String(HEAD)]),
  'mainchain/transaction/transaction-multi': oneOrTwenty('txId', hashesOf('transactions')),
  'mainchain/transaction/token-transfer-multi': pairs(
    oneOrTwenty('txId', hashesOf('token_transfers')),
    [{}, ...sets('protocolType', STANDARDS)],
  ),
  'mainchain/address/native-token-position-list': [{}],
  'mainchain/address/internal-transaction-list-multi': pairs(
    oneOrTwenty('address', parties('internal_transactions', 19)),
    [BLOCKS, ...SPANS],
  ),
  'mainchain/transaction/internal-transaction-detail': sets(
    'txId',
    hashesOf('internal_transactions').slice(0, 4),
  ),
  'mainchain/zone/cross/transaction-list': crossings(),
  'mainchain/zone/address/transaction-list': pairs(
    sets('address', common('zone_transactions', 'from_address').slice(0, 3)),
    [
      {},
      { startBlockHeight: from(0.5, ZONE_HEAD) },
      { endBlockHeight: from(0.4, ZONE_HEAD) },
      { startBlockHeight: from(0.2, ZONE_HEAD), endBlockHeight: from(0.7, ZONE_HEAD) },
    ],
  ),
  'mainchain/zone/block/transaction-list': sets('height', blocksOf('zone_transactions')),
  'mainchain/zone/block/transaction-list-multi': ZONE_SPANS,
  'mainchain/zone/block/block-list': [{}, ...sets('height', ['0', '777', String(ZONE_HEAD)])],
  'mainchain/zone/cross/transaction-multi': oneOrTwenty('txId', [
    ...new Set([
      ...hashesTelling('cross_chain_transfers', 'zone_tx_hash', ['batch_detail']),
      ...hashesOf('cross_chain_transfers', 'zone_tx_hash'),
    ]),
  ]),
  'mainchain/zone/cross/transaction-fills': sets(
    'txid',
    hashesTelling('cross_chain_transfers', 'zone_tx_hash', ['token_id', 'batch_detail']),
  ),
  'mainchain/zone/transaction/transaction-fills': sets(
    'txid',
    hashesTelling('zone_transactions', 'tx_hash', ['error_message']),
  ),
};

/** A request with the name of its chain. */
export function requestOf(path: string, params: Params): Params {
  const chainShortName = path.startsWith('mainchain/zone/') ? 'ZONECHAIN' : 'MAINCHAIN';
  return { chainShortName, ...params };
}
