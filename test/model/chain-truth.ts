import type { SimulatedChain } from '../../service/src/simulated/chain.ts';
import type { CanonicalRecord } from '../../src/catalogue/record.ts';
import type { Interval } from '../../src/coverage/ranges.ts';
import { holdersAt } from '../fixtures/balances.ts';
import { blocksAsOf } from '../fixtures/served-blocks.ts';

/**
 * What a simulated chain holds, by plain loops over its records: what every endpoint should have
 * landed, computed by code that shares nothing with the service, the planner or the walks. Here,
 * and only here, code knows one endpoint from another.
 */

export interface Asked {
  readonly chain: SimulatedChain;
  readonly addresses: ReadonlySet<string>;
  readonly tokens: ReadonlySet<string>;
  /** Heights of the primary chain and of the zone chain. */
  readonly blocks: Interval;
  readonly zoneBlocks: Interval;
  /** Heights of the primary chain that are exported block by block. */
  readonly wholeBlocks: Interval;
  readonly head: number;
}

type Rows = readonly CanonicalRecord[];
type Column = 'from_address' | 'to_address' | 'source_address' | 'target_address';

export class ChainTruth {
  readonly #scope: Asked;
  readonly #primary = new Map<string, CanonicalRecord[]>();
  readonly #zone = new Map<string, CanonicalRecord[]>();

  constructor(scope: Asked) {
    this.#scope = scope;
    collect(this.#primary, scope.blocks, scope.chain.recordsAt);
    collect(this.#zone, scope.zoneBlocks, scope.chain.zone.recordsAt);
  }

  /** The records that the list should have landed, with every copy, in no order. */
  rowsOf(endpoint: string, variant: string): Rows {
    const standard = /protocolType=(token_\w+)/.exec(variant)?.[1];
    const ofStandard = ({ token_standard: is }: CanonicalRecord): boolean =>
      standard === undefined || is === standard;
    const { addresses, tokens, chain, head } = this.#scope;
    const ours = (dataset: string) =>
      this.#all(dataset).filter((record) => names(record, addresses, PARTIES));
    switch (endpoint) {
      case 'mainchain/address/normal-transaction-list-multi':
      case 'mainchain/address/normal-transaction-list':
        return ours('transactions');
      case 'mainchain/address/internal-transaction-list-multi':
        return ours('internal_transactions');
      case 'mainchain/address/token-transaction-list':
        return ours('token_transfers').filter(ofStandard);
      case 'mainchain/token/transaction-list':
        return this.#tokenTransfers(tokens);
      case 'mainchain/transaction/transaction-multi':
        return this.#byHash('transactions', this.#hashesOfActivity());
      case 'mainchain/transaction/internal-transaction-detail':
        return this.#byHash('internal_transactions', hashes(ours('internal_transactions')));
      case 'mainchain/transaction/token-transfer-multi':
        return this.#byHash('token_transfers', hashes(this.#tokenTransfers(tokens))).filter(
          ofStandard,
        );
      case 'mainchain/block/block-fills':
      case 'mainchain/block/block-list':
        return blocksAsOf(head, this.#inWholeBlocks('blocks'));
      case 'mainchain/block/transaction-list':
        if (variant === 'protocolType=transaction') return this.#inWholeBlocks('transactions');
        if (variant === 'protocolType=internal') {
          return this.#inWholeBlocks('internal_transactions');
        }
        return this.#inWholeBlocks('token_transfers').filter(ofStandard);
      case 'mainchain/address/native-token-position-list':
        return holdersAt(chain, head);
      case 'mainchain/zone/block/block-list':
        return this.#all('zone_blocks');
      case 'mainchain/zone/block/transaction-list-multi':
      case 'mainchain/zone/block/transaction-list':
      case 'mainchain/zone/transaction/transaction-fills':
        return this.#all('zone_transactions');
      case 'mainchain/zone/address/transaction-list':
        return this.#all('zone_transactions').filter((record) =>
          names(record, addresses, ['from_address']),
        );
      case 'mainchain/zone/cross/transaction-list':
        if (variant === '') return this.#all('cross_chain_transfers');
        return this.#all('cross_chain_transfers').filter((record) =>
          names(record, addresses, [...PARTIES, 'source_address', 'target_address']),
        );
      case 'mainchain/zone/cross/transaction-multi':
      case 'mainchain/zone/cross/transaction-fills':
        return this.#all('cross_chain_transfers');
      default:
        throw new Error(`no truth for ${endpoint}`);
    }
  }

  #all(dataset: string): Rows {
    return this.#primary.get(dataset) ?? this.#zone.get(dataset) ?? [];
  }

  #inWholeBlocks(dataset: string): Rows {
    const { from, to } = this.#scope.wholeBlocks;
    return this.#all(dataset).filter((record) => {
      const height = Number(record['block_number']);
      return from <= height && height <= to;
    });
  }

  #tokenTransfers(tokens: ReadonlySet<string>): Rows {
    return this.#all('token_transfers').filter((record) =>
      tokens.has(String(record['token_address'])),
    );
  }

  /** Hashes of everything that the addresses' own lists name. */
  #hashesOfActivity(): ReadonlySet<string> {
    const { addresses } = this.#scope;
    const records = ['transactions', 'internal_transactions'].flatMap((dataset) =>
      this.#all(dataset).filter((record) => names(record, addresses, PARTIES)),
    );
    return hashes(records);
  }

  #byHash(dataset: string, wanted: ReadonlySet<string>): Rows {
    return this.#all(dataset).filter((record) => wanted.has(String(record['tx_hash'])));
  }
}

const PARTIES: readonly Column[] = ['from_address', 'to_address'];

function collect(
  into: Map<string, CanonicalRecord[]>,
  { from, to }: Interval,
  recordsAt: (height: number) => Readonly<Record<string, Rows>>,
): void {
  for (let height = from; height <= to; height += 1) {
    for (const [dataset, records] of Object.entries(recordsAt(height))) {
      const rows = into.get(dataset);
      if (rows === undefined) into.set(dataset, [...records]);
      else rows.push(...records);
    }
  }
}

function names(
  record: CanonicalRecord,
  addresses: ReadonlySet<string>,
  columns: readonly Column[],
): boolean {
  return columns.some((column) =>
    String(record[column] ?? '')
      .split(',')
      .some((part) => addresses.has(part.trim())),
  );
}

function hashes(records: Rows): ReadonlySet<string> {
  return new Set(records.map((record) => String(record['tx_hash'])));
}
