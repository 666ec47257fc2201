import type { Chance } from '../chance.ts';

/** Heights of one world; those of the next world follow. */
const WORLD_BLOCKS = 40;

/** One record of a chain, with the fields that any of its lists serves. */
export interface ChainRecord {
  readonly table: string;
  height: number;
  hash: string;
  from: string;
  to: string;
  amount: string;
  status: string;
  copies: number;
  readonly token: string;
  standard: string;
  readonly more: Readonly<Record<string, string>>;
  /** Grows with each change, and is part of volatile fields. */
  edition: number;
}

const AMOUNTS = ['0', '0.0', '1', '1.5', '1.5', '25', `1${'0'.repeat(40)}`, ''];
const STATUSES = ['success', 'success', 'fail', 'pending', ''];
const STANDARDS = ['token_20', 'token_20', 'token_721'];
/** Tokens of all worlds, with their standards. Only these have lists that filter by token. */
export const LISTED_TOKENS: Readonly<Record<string, string>> = {
  [`0x20${'7'.repeat(38)}`]: 'token_20',
  [`0x72${'7'.repeat(38)}`]: 'token_721',
};
const OPERATIONS = ['call', 'call', 'delegatecall', 'staticcall', 'create', ''];

/**
 * A piece of both chains with names of its own, so that many worlds share one lake and stay apart.
 * Its records change now and then, as those of chains do that are reorganised or read too early.
 */
export class World {
  readonly from: number;
  readonly to: number;
  readonly addresses: readonly string[];
  readonly tokens: readonly string[];
  readonly hashes: readonly string[];
  /** The tables of its records: few, so that records of several tables and lists meet. */
  readonly tables: readonly string[];
  readonly records: ChainRecord[] = [];
  readonly #chance: Chance;

  constructor(number: number, chance: Chance) {
    this.#chance = chance;
    this.from = number * WORLD_BLOCKS;
    this.to = this.from + chance.between(2, WORLD_BLOCKS - 1);
    const id = number.toString(16).padStart(4, '0');
    const named = (prefix: string, count: number): string[] =>
      Array.from({ length: count }, (_, i) => `0x${prefix}${i}${id.padStart(38, '0')}`);
    this.addresses = named('a', chance.between(2, 5));
    this.tokens = named('7', chance.between(1, 2));
    this.hashes = named('4', chance.between(2, 5));
    this.tables = chance.pick(TABLES);
    const count = chance.between(6, 40);
    for (let i = 0; i < count; i += 1) this.records.push(this.#record());
  }

  get height(): number {
    return this.#chance.between(this.from, this.to);
  }

  #party(): string {
    const chance = this.#chance;
    if (!chance.is(0.12)) return chance.pick(this.addresses);
    return chance.some(this.addresses, 2).join(chance.is(0.3) ? ', ' : ',');
  }

  #record(): ChainRecord {
    const chance = this.#chance;
    const table = chance.pick(this.tables);
    const isZone = table.startsWith('zone') || table === 'cross_chain_transfers';
    const hash = chance.pick(this.hashes);
    const token = chance.pick([...this.tokens, ...Object.keys(LISTED_TOKENS)]);
    // Most records of a transaction are in one block.
    const twin = this.records.find((record) => record.hash === hash && !isZone);
    const record: ChainRecord = {
      table,
      hash,
      height: twin !== undefined && chance.is(0.97) ? twin.height : this.height,
      from: this.#party(),
      to: chance.is(0.08) && table === 'transactions' ? '' : this.#party(),
      amount: chance.pick(table === 'zone_transactions' ? AMOUNTS : AMOUNTS.slice(0, -1)),
      status: chance.pick(STATUSES),
      copies: chance.is(0.15) ? 2 : 1,
      token,
      standard: LISTED_TOKENS[token] ?? chance.pick(STANDARDS),
      edition: 0,
      more: {
        operation: chance.pick(OPERATIONS),
        tokenId: chance.pick(['', '', '7']),
        source: this.#party(),
        target: this.#party(),
        mainHash: chance.is(0.1) ? '' : chance.pick(this.hashes),
        mainHeight: chance.is(0.6) ? String(twin?.height ?? this.height) : '',
        crossType: chance.pick(['Deposit', 'Deposit', 'Withdraw', 'BatchWithdraw', 'Other']),
        direction: chance.pick(['MainToZone', 'MainToZone', 'ZoneToMain']),
      },
    };
    if (chance.is(0.97)) this.#agree(record);
    return record;
  }

  /** Nearly all records of a transaction agree about its parties and its block. */
  #agree(record: ChainRecord): void {
    if (!record.table.endsWith('transactions')) return;
    const other = this.records.find(
      (twin) => twin.table === record.table && twin.hash === record.hash,
    );
    if (other === undefined || other === record) return;
    record.height = other.height;
    if (record.table === 'internal_transactions') return;
    record.from = other.from;
    record.to = other.to;
  }

  /** Changes some records, in ways that later readings find. */
  change(): void {
    const chance = this.#chance;
    for (const record of this.records) {
      if (!chance.is(0.15)) continue;
      record.edition += 1;
      const kind = chance.between(0, 5);
      if (kind === 0) record.height = this.height;
      else if (kind === 1) record.status = chance.pick(STATUSES);
      else if (kind === 2) record.copies = chance.between(0, 2);
      else if (kind === 3) record.standard = LISTED_TOKENS[record.token] ?? chance.pick(STANDARDS);
      else if (kind === 4) record.amount = chance.pick(AMOUNTS.slice(0, -1));
      else {
        record.hash = chance.pick(this.hashes);
        this.#agree(record);
      }
    }
    if (chance.is(0.5)) this.records.push(this.#record());
  }
}

const ALL_TABLES = [
  'transactions',
  'internal_transactions',
  'token_transfers',
  'blocks',
  'native_holders',
  'zone_transactions',
  'zone_blocks',
  'cross_chain_transfers',
];

const TABLES = [
  ALL_TABLES,
  ['token_transfers'],
  ['token_transfers', 'token_transfers', 'transactions'],
  ['transactions', 'internal_transactions'],
  ['cross_chain_transfers', 'transactions', 'zone_transactions'],
];
