import type { Axis } from '../../src/catalogue/entry.ts';
import type { Chance } from './chance.ts';

/**
 * The lists that an export may be specified of, with the variants they are asked in. The ranking of
 * holders is not among them: it moves by its definition.
 */

export interface SpecifiedList {
  readonly dataset: string;
  readonly endpoint: string;
  readonly axis: Axis;
  /** The set of its keys; for hashes, that of the lists in `finds`. */
  readonly keys?: 'addresses' | 'tokens';
  /** Lists whose rows name the hashes that are asked. */
  readonly finds?: readonly ListName[];
  /** Asked height by height, or hash by hash: of so many blocks at most. */
  readonly mostBlocks?: number;
  /** Reads the whole chain, however short the range. */
  readonly isDeep?: true;
  readonly filters?: (chance: Chance, of: FilterValues) => Filters;
}

/** What filters can be about, on the chain that is asked. */
export interface FilterValues {
  readonly tokens: readonly string[];
  /** What the crossings of the zone chain name; may be empty. */
  readonly signers: readonly string[];
  readonly destinations: readonly string[];
  readonly tokensOfZone: readonly string[];
}

export interface Filters {
  readonly each?: Readonly<Record<string, readonly string[]>>;
  readonly where?: Readonly<Record<string, string>>;
}

const STANDARDS = ['token_20', 'token_721', 'token_1155', 'token_10'];

function standards(chance: Chance): Filters {
  return { each: { protocolType: chance.some(STANDARDS, 2) } };
}

function sides(chance: Chance): Filters {
  if (chance.is(0.55)) return {};
  if (chance.is(0.5)) return { each: { isFromOrTo: ['from', 'to'] } };
  return { where: { isFromOrTo: chance.pick(['from', 'to']) } };
}

function transferFilters(chance: Chance, { tokens }: FilterValues): Filters {
  const side = chance.is(0.25) ? { where: { isFromOrTo: chance.pick(['from', 'to']) } } : {};
  const token = chance.is(0.2) ? { tokenContractAddress: chance.pick(tokens) } : {};
  return { ...standards(chance), where: { ...side.where, ...token } };
}

function crossingFilters(chance: Chance, of: FilterValues): Filters {
  const values = {
    from: of.signers,
    to: of.destinations,
    tokenContractAddress: of.tokensOfZone,
  };
  const name = chance.pick(['from', 'to', 'tokenContractAddress'] as const);
  const [first, ...more] = values[name];
  if (first === undefined || chance.is(0.5)) return {};
  return { each: { [name]: [first, ...more].slice(0, chance.between(1, 3)) } };
}

export const LISTS = {
  transactions: {
    dataset: 'transactions',
    endpoint: 'mainchain/address/normal-transaction-list-multi',
    axis: 'primary',
    keys: 'addresses',
    filters: sides,
  },
  internal: {
    dataset: 'internal_transactions',
    endpoint: 'mainchain/address/internal-transaction-list-multi',
    axis: 'primary',
    keys: 'addresses',
  },
  transfers: {
    dataset: 'token_transfers',
    endpoint: 'mainchain/address/token-transaction-list',
    axis: 'primary',
    keys: 'addresses',
    filters: transferFilters,
  },
  zoneTransactions: {
    dataset: 'zone_transactions',
    endpoint: 'mainchain/zone/block/transaction-list-multi',
    axis: 'zone',
  },
  yearOfTransactions: {
    dataset: 'transactions',
    endpoint: 'mainchain/address/normal-transaction-list',
    axis: 'primary',
    keys: 'addresses',
    isDeep: true,
    filters: sides,
  },
  transfersOfToken: {
    dataset: 'token_transfers',
    endpoint: 'mainchain/token/transaction-list',
    axis: 'primary',
    keys: 'tokens',
    isDeep: true,
  },
  crossings: {
    dataset: 'cross_chain_transfers',
    endpoint: 'mainchain/zone/cross/transaction-list',
    axis: 'zone',
    filters: crossingFilters,
  },
  transactionsByHash: {
    dataset: 'transactions',
    endpoint: 'mainchain/transaction/transaction-multi',
    axis: 'primary',
    finds: ['transactions', 'internal'],
  },
  blockList: { dataset: 'blocks', endpoint: 'mainchain/block/block-list', axis: 'primary' },
  zoneTransactionsOfAddress: {
    dataset: 'zone_transactions',
    endpoint: 'mainchain/zone/address/transaction-list',
    axis: 'zone',
    keys: 'addresses',
  },
  internalByHash: {
    dataset: 'internal_transactions',
    endpoint: 'mainchain/transaction/internal-transaction-detail',
    axis: 'primary',
    finds: ['internal'],
    mostBlocks: 150,
  },
  transfersByHash: {
    dataset: 'token_transfers',
    endpoint: 'mainchain/transaction/token-transfer-multi',
    axis: 'primary',
    finds: ['transfers', 'transfersOfToken'],
    filters: standards,
  },
  zoneBlocks: {
    dataset: 'zone_blocks',
    endpoint: 'mainchain/zone/block/block-list',
    axis: 'zone',
  },
  blockFills: {
    dataset: 'blocks',
    endpoint: 'mainchain/block/block-fills',
    axis: 'primary',
    mostBlocks: 40,
  },
  transactionsOfBlocks: {
    dataset: 'transactions',
    endpoint: 'mainchain/block/transaction-list',
    axis: 'primary',
    mostBlocks: 40,
  },
  crossingsOfAddress: {
    dataset: 'cross_chain_transfers',
    endpoint: 'mainchain/zone/cross/transaction-list',
    axis: 'zone',
    keys: 'addresses',
  },
  internalOfBlocks: {
    dataset: 'internal_transactions',
    endpoint: 'mainchain/block/transaction-list',
    axis: 'primary',
    mostBlocks: 40,
  },
  zoneTransactionsOfBlocks: {
    dataset: 'zone_transactions',
    endpoint: 'mainchain/zone/block/transaction-list',
    axis: 'zone',
    mostBlocks: 40,
  },
  transfersOfBlocks: {
    dataset: 'token_transfers',
    endpoint: 'mainchain/block/transaction-list',
    axis: 'primary',
    mostBlocks: 25,
    filters: standards,
  },
  zoneTransactionsByHash: {
    dataset: 'zone_transactions',
    endpoint: 'mainchain/zone/transaction/transaction-fills',
    axis: 'zone',
    finds: ['zoneTransactions', 'zoneTransactionsOfAddress'],
    mostBlocks: 200,
  },
  crossingsByHashes: {
    dataset: 'cross_chain_transfers',
    endpoint: 'mainchain/zone/cross/transaction-multi',
    axis: 'zone',
    finds: ['crossings', 'crossingsOfAddress'],
  },
  crossingsByHash: {
    dataset: 'cross_chain_transfers',
    endpoint: 'mainchain/zone/cross/transaction-fills',
    axis: 'zone',
    finds: ['crossings', 'crossingsOfAddress'],
  },
} as const satisfies Readonly<Record<string, SpecifiedListOf<string>>>;

/** Before the names are known. */
type SpecifiedListOf<Name extends string> = Omit<SpecifiedList, 'finds'> & {
  readonly finds?: readonly Name[];
};

export type ListName = keyof typeof LISTS;

export const LIST_NAMES = Object.keys(LISTS) as ListName[];

export function listNamed(name: ListName): SpecifiedList {
  return LISTS[name];
}
