import type { Source } from '../protocol/source.ts';
import { type SimulatedChain, settle } from '../simulated/chain.ts';
import { type BalanceLedger, MOST_LEDGER_BLOCKS, supplyMoved } from '../simulated/ledger.ts';
import { type NodeBlock, type NodeTransaction, nodeBlocks } from './rpc-blocks.ts';
import { RpcError } from './rpc-errors.ts';
import type { BlockTag } from './rpc-params.ts';

/** The announced part of the block above the head. */
export interface PreconfirmedPart {
  readonly height: number;
  /** Number of its announced transactions, from the first one on. */
  readonly count: number;
  /** The hash in the newest fragment. */
  readonly blockHash: string;
}

/** The inputs of a node. */
export interface NodeInputs {
  readonly chain: SimulatedChain;
  /** Gives the head of the chain, and finds transactions. */
  readonly source: Pick<Source, 'head' | 'find'>;
  readonly ledger: BalanceLedger;
  /** The newest announcement of any block. Absent: blocks are never preconfirmed. */
  readonly preconfirmed?: () => PreconfirmedPart | undefined;
}

/** The chain as a node sees it: up to the head, and the preconfirmed part of the block above. */
export interface NodeState {
  head(): number;
  /** undefined for a height that does not exist yet. */
  block(tag: BlockTag): SeenBlock | undefined;
  transaction(hash: string): Promise<SeenTransaction | undefined>;
  /** Rejects with an RpcError('unavailable') for a height that does not exist yet. */
  accounts(tag: BlockTag): Promise<Accounts>;
}

/** A block, or the preconfirmed part of the pending one. */
export interface SeenBlock {
  readonly block: NodeBlock;
  /** The known transactions. */
  readonly transactions: readonly NodeTransaction[];
  readonly isPending: boolean;
  /** The block's own hash; for a pending block, the hash in its newest fragment. */
  readonly blockHash: string;
}

export interface SeenTransaction {
  readonly transaction: NodeTransaction;
  readonly seen: SeenBlock;
}

/** Balances and transaction counts as of some block. */
export interface Accounts {
  /** Wei. */
  native(address: string): bigint;
  /** Units of 10^-18 of shown amounts, as in the ledger. */
  tokens(address: string, token: string, tokenId?: string): bigint;
  /** As in the ledger. */
  supply(token: string): bigint;
  owner(token: string, tokenId: string): string | undefined;
  sent(address: string): number;
}

/** How far behind the head blocks count as safe, and as final. */
const SAFE_BLOCKS = 32;
const FINAL_BLOCKS = 64;
const NO_HASH = `0x${'0'.repeat(64)}`;

/** The state is read from these inputs at every request. */
export function nodeState({ chain, source, ledger, preconfirmed }: NodeInputs): NodeState {
  const blockAt = presentBlocks(chain);
  const head = (): number => source.head('primary');

  const pending = (): SeenBlock => {
    const block = blockAt(head() + 1);
    const announced = preconfirmed?.();
    const part = announced?.height === block.height ? announced : undefined;
    return {
      block,
      transactions: block.transactions.slice(0, part?.count ?? 0),
      isPending: true,
      blockHash: part?.blockHash ?? NO_HASH,
    };
  };
  const complete = (height: number): SeenBlock => {
    const block = blockAt(height);
    const { transactions, hash } = block;
    return { block, transactions, isPending: false, blockHash: hash };
  };
  const accountsAt = async (height: number): Promise<Accounts> => {
    await reached(ledger, height);
    return {
      native: (address) => ledger.nativeAt(address, height),
      tokens: (address, token, id) => ledger.tokensAt(address, token, height, id),
      supply: (token) => ledger.supplyAt(token, height),
      owner: (token, id) => ledger.ownerAt(token, id, height),
      sent: (address) => ledger.sentAt(address, height),
    };
  };

  return {
    head,
    block: (tag) => {
      if (tag === 'pending') return pending();
      const height = heightOf(tag, head());
      return height > head() ? undefined : complete(height);
    },
    transaction: async (hash) => {
      const height = await heightWith(source, hash);
      const seen = height === undefined ? pending() : complete(height);
      const transaction = seen.transactions.find(({ executed }) => executed.raw.hash === hash);
      return transaction === undefined ? undefined : { transaction, seen };
    },
    accounts: async (tag) => {
      if (tag !== 'pending') {
        const height = heightOf(tag, head());
        if (height > head()) throw new RpcError('unavailable', 'there is no such block');
        return accountsAt(height);
      }
      // The head may move while blocks are counted, so the blocks above it are read again.
      let height = head();
      let counted = await accountsAt(height);
      while (head() > height) {
        height = head();
        counted = await accountsAt(height);
      }
      return above(counted, pending().transactions);
    },
  };
}

/** The present blocks of a chain, without a cache of earlier ones. */
export function presentBlocks(chain: SimulatedChain): (height: number) => NodeBlock {
  let { forks } = chain;
  let blockAt = nodeBlocks(chain);
  return (height) => {
    if (chain.forks !== forks) {
      forks = chain.forks;
      blockAt = nodeBlocks(chain);
    }
    return blockAt(height);
  };
}

/** The height of a tag that has one, for the newest height `head`. */
function heightOf(tag: Exclude<BlockTag, 'pending'>, head: number): number {
  if (typeof tag === 'number') return tag;
  if (tag === 'earliest') return 0;
  const behind = { latest: 0, safe: SAFE_BLOCKS, finalized: FINAL_BLOCKS }[tag];
  return Math.max(0, head - behind);
}

async function reached(ledger: BalanceLedger, height: number): Promise<void> {
  if (height > MOST_LEDGER_BLOCKS) {
    const most = MOST_LEDGER_BLOCKS.toLocaleString('en');
    throw new RpcError('unavailable', `balances are known up to block ${most} of this chain only`);
  }
  await ledger.reach(height);
}

/** The accounts after these transactions as well. */
function above(accounts: Accounts, transactions: readonly NodeTransaction[]): Accounts {
  const moved = { native: new Map<string, bigint>(), tokens: new Map<string, bigint>() };
  for (const { executed } of transactions) settle(moved, executed);
  const delta = (address: string, token: string, id: string | undefined): bigint => {
    const start = `${address}|${token}|`;
    let units = 0n;
    for (const [key, change] of moved.tokens) {
      if (id === undefined ? key.startsWith(start) : key === start + id) units += change;
    }
    return units;
  };
  return {
    native: (address) => accounts.native(address) + (moved.native.get(address) ?? 0n),
    tokens: (address, token, id) => accounts.tokens(address, token, id) + delta(address, token, id),
    supply: (token) => {
      const holders = new Set<string>();
      for (const key of moved.tokens.keys()) {
        const [address = '', contract] = key.split('|');
        if (contract === token) holders.add(address);
      }
      return [...holders].reduce((supply, address) => {
        const units = delta(address, token, undefined);
        return supply + supplyMoved(accounts.tokens(address, token), units);
      }, accounts.supply(token));
    },
    owner: (token, id) => {
      const moves = transactions.flatMap(({ executed }) => executed.transfers);
      const last = moves.findLast((move) => move.tokenAddress === token && move.tokenId === id);
      return last?.to ?? accounts.owner(token, id);
    },
    sent: (address) =>
      accounts.sent(address) +
      transactions.filter(({ executed }) => executed.sender === address).length,
  };
}

/** The height of the transaction with this hash, up to the head. */
async function heightWith(source: Pick<Source, 'find'>, hash: string): Promise<number | undefined> {
  const { records } = await source.find({
    dataset: 'transactions',
    interval: { from: 0, to: Number.MAX_SAFE_INTEGER },
    filters: [{ columns: ['tx_hash'], values: [hash] }],
    bounds: [],
    oncePerKey: false,
    offset: 0,
    count: 1,
  });
  const height = records[0]?.['block_number'];
  return typeof height === 'string' ? Number(height) : undefined;
}
