/**
 * The lists that histories of curated tables are made of, as the interface and the documentation of
 * the curated tables describe them. Typed by hand: the rule in memory must not learn them from the
 * code that it is compared with.
 */

export type KeyKind = 'transaction' | 'address' | 'token' | 'all';

/** Kinds of keys, those whose lists are believed first. */
const KINDS: readonly KeyKind[] = ['transaction', 'address', 'token', 'all'];

interface Feed {
  readonly endpoint: string;
  readonly kind: KeyKind;
  /** The columns of a record that hold the keys. */
  readonly columns: readonly string[];
}

const PARTIES = ['from_address', 'to_address'];
const HASH = ['tx_hash'];

function feed(endpoint: string, kind: KeyKind, columns: readonly string[] = []): Feed {
  return { endpoint: `mainchain/${endpoint}`, kind, columns };
}

/** The endpoints of every dataset in their order of precedence. */
const FEEDS: Readonly<Record<string, readonly Feed[]>> = {
  transactions: [
    feed('transaction/transaction-multi', 'transaction', HASH),
    feed('address/normal-transaction-list', 'address', PARTIES),
    feed('address/normal-transaction-list-multi', 'address', PARTIES),
    feed('block/transaction-list', 'all'),
  ],
  internal_transactions: [
    feed('transaction/internal-transaction-detail', 'transaction', HASH),
    feed('address/internal-transaction-list-multi', 'address', PARTIES),
    feed('block/transaction-list', 'all'),
  ],
  token_transfers: [
    feed('transaction/token-transfer-multi', 'transaction', HASH),
    feed('address/token-transaction-list', 'address', PARTIES),
    feed('token/transaction-list', 'token', ['token_address']),
    feed('block/transaction-list', 'all'),
  ],
  blocks: [feed('block/block-fills', 'all'), feed('block/block-list', 'all')],
  native_holders: [feed('address/native-token-position-list', 'all')],
  zone_transactions: [
    feed('zone/transaction/transaction-fills', 'transaction', HASH),
    feed('zone/address/transaction-list', 'address', ['from_address']),
    feed('zone/block/transaction-list', 'all'),
    feed('zone/block/transaction-list-multi', 'all'),
  ],
  zone_blocks: [feed('zone/block/block-list', 'all')],
  cross_chain_transfers: [
    feed('zone/cross/transaction-fills', 'transaction', ['zone_tx_hash']),
    feed('zone/cross/transaction-multi', 'transaction', ['zone_tx_hash']),
    feed('zone/cross/transaction-list', 'address', [
      ...PARTIES,
      'source_address',
      'target_address',
    ]),
    feed('zone/cross/transaction-list', 'all'),
  ],
};

/** A list with the records that it can hold. */
export interface ListFacts {
  readonly endpoint: string;
  readonly variant: string;
  readonly kind: KeyKind;
  readonly columns: readonly string[];
  /** Columns that have one value in all its records. */
  readonly filters: Readonly<Record<string, string>>;
  /** Precedence of the endpoint's fields: 0 comes first. */
  readonly endpointRank: number;
  /** Lists sort by this text in the order of precedence. */
  readonly order: string;
}

const cache = new Map<string, ListFacts>();

export function factsOf(dataset: string, endpoint: string, variant: string): ListFacts {
  const id = `${dataset} ${endpoint}?${variant}`;
  const facts = cache.get(id) ?? newFacts(dataset, endpoint, variant);
  cache.set(id, facts);
  return facts;
}

function newFacts(dataset: string, endpoint: string, variant: string): ListFacts {
  const params = new Map(
    variant.split('&').map((pair) => pair.split('=') as [name: string, value: string]),
  );
  const feeds = FEEDS[dataset] ?? [];
  const isCrossList = endpoint === 'mainchain/zone/cross/transaction-list';
  const kind = params.get('address') === '*' ? 'address' : 'all';
  const at = feeds.findIndex((candidate) => {
    return candidate.endpoint === endpoint && (!isCrossList || candidate.kind === kind);
  });
  const source = feeds[at];
  if (source === undefined) throw new Error(`${endpoint} does not feed ${dataset}`);
  const side = params.get('isFromOrTo');
  const filters: Record<string, string> = {};
  const standard = params.get('protocolType') ?? '';
  if (standard.startsWith('token_')) filters['token_standard'] = standard;
  const token = params.get('tokenContractAddress');
  if (token !== undefined) filters['token_address'] = token;
  return {
    endpoint,
    variant,
    kind: source.kind,
    columns: side === undefined ? source.columns : [`${side}_address`],
    filters,
    endpointRank: feeds.findIndex((candidate) => candidate.endpoint === endpoint),
    order: `${KINDS.indexOf(source.kind)} ${at} ${variant}`,
  };
}
