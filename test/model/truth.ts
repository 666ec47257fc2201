import type { CanonicalRecord } from '../../src/catalogue/record.ts';
import type { SmallChain } from './small-chain.ts';

/**
 * What every list should hold, by plain loops over the chain's records: nothing here is shared
 * with the service, the planner, the walks or the merging. Here, and only here, code knows one
 * endpoint from another.
 */

/** A record as comparisons see it. */
export interface Line {
  readonly height: number;
  /** The keys it is listed by; `['']` for lists without keys. */
  readonly keys: readonly string[];
  readonly text: string;
}

/** Columns of canonical records that make a record what it is, by dataset. */
export const TOLD_BY: Readonly<Record<string, readonly string[]>> = {
  blocks: ['block_number', 'block_hash'],
  transactions: ['block_number', 'tx_hash', 'from_address', 'to_address', 'amount'],
  internal_transactions: ['block_number', 'tx_hash', 'from_address', 'to_address', 'amount'],
  token_transfers: [
    'block_number',
    'tx_hash',
    'from_address',
    'to_address',
    'amount',
    'token_address',
    'token_id',
  ],
  native_holders: ['holder_rank', 'holder_address', 'amount'],
  zone_blocks: ['block_number', 'block_hash'],
  zone_transactions: ['block_number', 'tx_hash', 'from_address', 'tx_index', 'amount'],
  cross_chain_transfers: [
    'zone_block_number',
    'zone_tx_hash',
    'from_address',
    'to_address',
    'source_address',
    'target_address',
    'amount',
    'token_address',
  ],
};

function textOf(dataset: string, record: CanonicalRecord): string {
  return (TOLD_BY[dataset] ?? []).map((column) => record[column] ?? '').join(' ');
}

type KeysOf = (record: CanonicalRecord) => readonly string[];

const PARTIES = ['from_address', 'to_address'];
const ALL_PARTIES = [...PARTIES, 'source_address', 'target_address'];

function named(columns: readonly string[]): KeysOf {
  return (record) => {
    const keys = columns.flatMap((column) => String(record[column] ?? '').split(','));
    return [...new Set(keys)].filter((key) => key !== '');
  };
}

const everybody: KeysOf = () => [''];

/** The dataset of a list, which of its records it has, and by which keys. */
function listed(endpoint: string, variant: string): [string, KeysOf, (string | undefined)?] {
  const standard = /protocolType=(token_\w+)/.exec(variant)?.[1];
  const side = /isFromOrTo=(from|to)/.exec(variant)?.[1];
  const parties = side === undefined ? PARTIES : [`${side}_address`];
  switch (endpoint) {
    case 'mainchain/address/normal-transaction-list-multi':
    case 'mainchain/address/normal-transaction-list':
      return ['transactions', named(parties)];
    case 'mainchain/address/internal-transaction-list-multi':
      return ['internal_transactions', named(PARTIES)];
    case 'mainchain/address/token-transaction-list':
      return ['token_transfers', named(parties), standard];
    case 'mainchain/token/transaction-list':
      return ['token_transfers', named(['token_address'])];
    case 'mainchain/block/transaction-list':
      if (standard !== undefined) return ['token_transfers', everybody, standard];
      if (variant.includes('internal')) return ['internal_transactions', everybody];
      return ['transactions', everybody];
    case 'mainchain/transaction/transaction-multi':
      return ['transactions', named(['tx_hash'])];
    case 'mainchain/transaction/internal-transaction-detail':
      return ['internal_transactions', named(['tx_hash'])];
    case 'mainchain/transaction/token-transfer-multi':
      return ['token_transfers', named(['tx_hash']), standard];
    case 'mainchain/zone/block/transaction-list-multi':
    case 'mainchain/zone/block/transaction-list':
      return ['zone_transactions', everybody];
    case 'mainchain/zone/address/transaction-list':
      return ['zone_transactions', named(['from_address'])];
    case 'mainchain/zone/transaction/transaction-fills':
      return ['zone_transactions', named(['tx_hash'])];
    case 'mainchain/zone/cross/transaction-list':
      return ['cross_chain_transfers', variant === '' ? everybody : named(ALL_PARTIES)];
    case 'mainchain/zone/cross/transaction-multi':
    case 'mainchain/zone/cross/transaction-fills':
      return ['cross_chain_transfers', named(['zone_tx_hash'])];
    default:
      throw new Error(`no truth for ${endpoint}`);
  }
}

const LISTS_OF_BLOCKS: Readonly<Record<string, string>> = {
  'mainchain/block/block-list': 'blocks',
  'mainchain/block/block-fills': 'blocks',
  'mainchain/zone/block/block-list': 'zone_blocks',
};

/** The ranking is a state as of now, and no list of heights. */
export const RANKING = 'mainchain/address/native-token-position-list';

/** All lines that the list has on heights from `from` to `to`, seen by now or later. */
export function truthOf(
  chain: SmallChain,
  endpoint: string,
  variant: string,
  from: number,
  to: number,
): Line[] {
  const lines: Line[] = [];
  const blocks = LISTS_OF_BLOCKS[endpoint];
  if (blocks !== undefined) {
    for (let height = Math.max(0, from); height <= to; height += 1) {
      lines.push({ height, keys: [''], text: textOf(blocks, chain.blockAt(blocks, height)) });
    }
    return lines;
  }
  const [dataset, keysOf, standard] = listed(endpoint, variant);
  for (const { height, record } of chain.all(dataset)) {
    if (height < from || height > to) continue;
    if (standard !== undefined && record['token_standard'] !== standard) continue;
    lines.push({ height, keys: keysOf(record), text: textOf(dataset, record) });
  }
  return lines;
}
