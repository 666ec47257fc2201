import type { Status } from '../../../src/coverage/coverage.ts';
import { LIST } from '../../fixtures/load-lake.ts';
import type { Chance } from '../chance.ts';
import { addressesOf } from './known.ts';
import { factsOf, type KeyKind } from './lists.ts';
import { type ChainRecord, LISTED_TOKENS, type World } from './universe.ts';

/** A walk of one list in one world. */
export interface RandomWalk {
  readonly path: string;
  readonly dataset: string;
  readonly params: Readonly<Record<string, string>>;
  readonly keys: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly status: Status;
  readonly records: readonly ChainRecord[];
}

interface Kind {
  readonly path: string;
  readonly table: string;
  readonly params?: (chance: Chance) => Record<string, string>;
}

const side = (chance: Chance): Record<string, string> =>
  chance.is(0.25) ? { isFromOrTo: chance.pick(['from', 'to']) } : {};
const standard = (chance: Chance): Record<string, string> => ({
  protocolType: chance.pick(['token_20', 'token_20', 'token_721']),
});

const token = (chance: Chance): Record<string, string> => ({
  tokenContractAddress: chance.pick(Object.keys(LISTED_TOKENS)),
});

const KINDS: readonly Kind[] = [
  { path: LIST.transactions, table: 'transactions', params: side },
  { path: LIST.transactions, table: 'transactions' },
  { path: LIST.ownTransactions, table: 'transactions' },
  { path: LIST.transactionsByHash, table: 'transactions' },
  { path: LIST.inBlock, table: 'transactions', params: () => ({ protocolType: 'transaction' }) },
  { path: LIST.internal, table: 'internal_transactions' },
  { path: LIST.internalByHash, table: 'internal_transactions' },
  {
    path: LIST.inBlock,
    table: 'internal_transactions',
    params: () => ({ protocolType: 'internal' }),
  },
  {
    path: LIST.tokens,
    table: 'token_transfers',
    params: (chance) => ({
      ...standard(chance),
      ...side(chance),
      ...(chance.is(0.15) ? token(chance) : {}),
    }),
  },
  { path: LIST.tokensByHash, table: 'token_transfers' },
  { path: LIST.tokensByHash, table: 'token_transfers', params: standard },
  { path: LIST.tokensOfContract, table: 'token_transfers' },
  { path: LIST.inBlock, table: 'token_transfers', params: standard },
  { path: LIST.blocks, table: 'blocks' },
  { path: LIST.blockDetails, table: 'blocks' },
  { path: LIST.holders, table: 'native_holders' },
  { path: LIST.zoneTransactions, table: 'zone_transactions' },
  { path: LIST.zoneOfAddress, table: 'zone_transactions' },
  { path: LIST.zoneDetails, table: 'zone_transactions' },
  { path: LIST.zoneBlocks, table: 'zone_blocks' },
  { path: LIST.crossChain, table: 'cross_chain_transfers' },
  { path: LIST.crossChain, table: 'cross_chain_transfers', params: () => ({ address: '*' }) },
  {
    path: LIST.crossChain,
    table: 'cross_chain_transfers',
    params: (chance) => ({ address: '*', ...token(chance) }),
  },
  { path: LIST.crossDetails, table: 'cross_chain_transfers' },
];

const STATUSES: readonly Status[] = [
  'provisional',
  'provisional',
  'truncated',
  'inconsistent',
  'depth_limited',
  'failed',
];

/** A random walk in the world. */
export function randomWalk(world: World, chance: Chance): RandomWalk {
  const kind = chance.pick(KINDS.filter(({ table }) => world.tables.includes(table)));
  const params = kind.params?.(chance) ?? {};
  const variant = Object.keys(params)
    .sort()
    .map((name) => `${name}=${params[name]}`)
    .join('&');
  const list = factsOf(kind.table, kind.path, variant);
  const keys = keysOf(list.kind, kind.path, world, chance);
  const { from, to } = intervalOf(kind.path, list.kind, world, chance);
  const status = chance.is(0.6) ? 'complete' : chance.pick(STATUSES);
  const isEmpty = chance.is(0.1) || status === 'depth_limited' || status === 'failed';
  const listed = world.records.filter((record) => {
    if (record.table !== kind.table || record.height < from || record.height > to) return false;
    const { protocolType = '', tokenContractAddress = record.token } = params;
    if (protocolType.startsWith('token_') && protocolType !== record.standard) return false;
    return tokenContractAddress === record.token && names(record, list.kind, list.columns, keys);
  });
  const read = status === 'complete' ? listed : listed.filter(() => chance.is(0.7));
  const records = isEmpty
    ? []
    : oneOfEachHash(kind.table, read).flatMap((record) =>
        Array.from({ length: record.copies }, () => ({ ...record })),
      );
  return { path: kind.path, dataset: kind.table, params, keys, from, to, status, records };
}

/** No walk has two different records of one transaction or block. */
function oneOfEachHash(table: string, records: readonly ChainRecord[]): readonly ChainRecord[] {
  if (!WITH_KEY.includes(table)) return records;
  const seen = new Set<string>();
  return records.filter(({ height, hash }) => {
    const isNew = !seen.has(`${height} ${hash}`);
    seen.add(`${height} ${hash}`);
    return isNew;
  });
}

const WITH_KEY: readonly string[] = ['transactions', 'blocks', 'zone_transactions', 'zone_blocks'];

function keysOf(kind: KeyKind, path: string, world: World, chance: Chance): string[] {
  const few = (set: readonly string[]): string[] => chance.some(set).slice(0, chance.between(1, 3));
  if (kind === 'all') return [''];
  if (kind === 'token') return [chance.pick([...world.tokens, ...Object.keys(LISTED_TOKENS)])];
  if (kind === 'transaction') return few(world.hashes);
  return path.endsWith('-multi') ? few(world.addresses) : [chance.pick(world.addresses)];
}

function intervalOf(path: string, kind: KeyKind, { from, to }: World, chance: Chance) {
  if (path === LIST.holders) {
    const at = chance.between(from, to);
    return { from: at, to: at };
  }
  if (kind === 'token' || chance.is(kind === 'transaction' ? 0.6 : 0.3)) return { from, to };
  const start = chance.between(from, to);
  return { from: start, to: chance.between(start, to) };
}

function names(
  record: ChainRecord,
  kind: KeyKind,
  columns: readonly string[],
  keys: readonly string[],
): boolean {
  if (kind === 'all') return true;
  if (kind === 'token') return keys.includes(record.token);
  if (kind === 'transaction') return keys.includes(record.hash);
  const texts: Readonly<Record<string, string | undefined>> = {
    from_address: record.from,
    to_address: record.to,
    source_address: record.more['source'],
    target_address: record.more['target'],
  };
  const parties = columns.flatMap((column) => addressesOf(texts[column]));
  return parties.some((party) => keys.includes(party));
}
