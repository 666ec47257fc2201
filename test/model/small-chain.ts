import type { Axis } from '../../src/catalogue/entry.ts';
import type { CanonicalRecord } from '../../src/catalogue/record.ts';
import type { Chance } from './chance.ts';

/**
 * A chain of few records: empty and dense stretches, equal records, records of several keys and
 * blocks with more records than a list shows. It grows while it is read, and explorers see some
 * records only a few blocks later than their block.
 */

export interface ChainShape {
  /** Datasets that have records; blocks are there at every height, in any case. */
  readonly datasets: ReadonlySet<string>;
  /** Below it every block is empty. */
  readonly base: number;
  readonly zoneBase: number;
  /** Records of the fullest blocks. */
  readonly burst: number;
  /** Share of stretches that are one such block; few where it is left out. */
  readonly bursts?: number;
  readonly blockMs: number;
  /** Blocks after which a record is seen at the latest, by axis. */
  readonly latest: Readonly<Record<Axis, number>>;
  /** Of a hundred records so many are seen late. */
  readonly latePercent: number;
  /** How many stand in the ranking; a few, where it is left out. */
  readonly holders?: number;
}

/** A record, with the head from which on it is seen. */
export interface Placed {
  readonly height: number;
  readonly seenAt: number;
  readonly record: CanonicalRecord;
}

/** An address that ends in these digits. */
const address = (digits: string): string => `0x${digits.padStart(40, '0')}`;

/** The keys that pipelines ask for. */
export const ADDRESSES = ['a1', 'a2', 'a3', 'a4'].map(address);
export const TOKENS = ['71', '72'].map(address);
export const STRANGERS = ['b1', 'b2', 'b3'].map(address);
const STANDARDS = ['token_20', 'token_721'] as const;
const AMOUNTS = ['1', '1', '1', '0', '2.5', '0.000000000000000001', '7'.repeat(40)] as const;
const START_MS = 1_600_000_000_000;

const AXIS_OF: Readonly<Record<string, Axis>> = {
  blocks: 'primary',
  transactions: 'primary',
  internal_transactions: 'primary',
  token_transfers: 'primary',
  zone_blocks: 'zone',
  zone_transactions: 'zone',
  cross_chain_transfers: 'zone',
};

type Density = 'empty' | 'sparse' | 'dense' | 'burst';

export class SmallChain {
  readonly shape: ChainShape;
  readonly heads: Record<Axis, number>;
  /** Changes whenever anything that can be seen may have changed. */
  version = 0;
  /** Rankings of holders, one a version of them; the last one is served. */
  readonly rankings: CanonicalRecord[][] = [];
  readonly #chance: Chance;
  readonly #records = new Map<string, Placed[]>();
  readonly #stretch: Record<Axis, { density: Density; left: number }> = {
    primary: { density: 'sparse', left: 0 },
    zone: { density: 'sparse', left: 0 },
  };
  #hashes = 0;

  constructor(shape: ChainShape, chance: Chance) {
    this.shape = shape;
    this.#chance = chance;
    this.heads = { primary: shape.base - 1, zone: shape.zoneBase - 1 };
    if (shape.datasets.has('native_holders')) this.#rank();
  }

  /** Everything that was ever recorded, seen or not, in the chain's order. */
  all(dataset: string): readonly Placed[] {
    return this.#records.get(dataset) ?? [];
  }

  /** What the service can see by now, in the chain's order. */
  seen(dataset: string): CanonicalRecord[] {
    const head = this.heads[AXIS_OF[dataset] ?? 'primary'];
    const seen: CanonicalRecord[] = [];
    for (const { seenAt, record } of this.all(dataset)) if (seenAt <= head) seen.push(record);
    return seen;
  }

  grow(axis: Axis, blocks: number): void {
    for (let i = 0; i < blocks; i += 1) {
      this.heads[axis] += 1;
      if (axis === 'primary') this.#primaryBlock();
      else this.#zoneBlock();
    }
    this.version += 1;
    if (axis === 'primary' && this.#chance.is(0.5) && this.rankings.length > 0) this.#rank();
  }

  /** Blocks without records. */
  skip(axis: Axis, blocks: number): void {
    this.heads[axis] += blocks;
    this.version += 1;
  }

  timeAt(height: number): string {
    return String(START_MS + height * this.shape.blockMs);
  }

  /** The block record of a height, which there is at every one. */
  blockAt(dataset: string, height: number): CanonicalRecord {
    return {
      block_hash: `0x${dataset === 'blocks' ? 'b' : 'f'}${height.toString(16)}`,
      block_number: String(height),
      block_time: this.timeAt(height),
    };
  }

  #add(dataset: string, height: number, record: CanonicalRecord): void {
    const { latePercent, latest } = this.shape;
    const isLate = this.#chance.is(latePercent / 100);
    const delay = isLate ? this.#chance.between(1, latest[AXIS_OF[dataset] ?? 'primary']) : 0;
    const list = this.#records.get(dataset) ?? [];
    this.#records.set(dataset, list);
    list.push({ height, seenAt: height + delay, record });
  }

  /** How many records a block of the stretch has. */
  #count(axis: Axis): number {
    const chance = this.#chance;
    const stretch = this.#stretch[axis];
    if (stretch.left === 0) {
      const draw = chance.next();
      stretch.density = draw < 0.4 ? 'empty' : draw < 0.75 ? 'sparse' : 'dense';
      stretch.left = chance.between(1, 8);
      if (draw > 1 - (this.shape.bursts ?? 0.06))
        this.#stretch[axis] = { density: 'burst', left: 1 };
    }
    this.#stretch[axis].left -= 1;
    switch (this.#stretch[axis].density) {
      case 'empty':
        return 0;
      case 'sparse':
        return chance.between(0, 1);
      case 'dense':
        return chance.between(1, 4);
      case 'burst':
        return Math.max(1, Math.floor(this.shape.burst) + chance.between(-3, 3));
    }
  }

  #hash(): string {
    this.#hashes += 1;
    return `0xc${this.#hashes.toString(16)}`;
  }

  /** One party; now and then several in one text, or a stranger. */
  #party(): string {
    const chance = this.#chance;
    const one = chance.is(0.2) ? chance.pick(STRANGERS) : chance.pick(ADDRESSES);
    return chance.is(0.05) ? `${one},${chance.pick(ADDRESSES)}` : one;
  }

  #parties(): { from_address: string; to_address: string | null } {
    const chance = this.#chance;
    const from = this.#party();
    if (chance.is(0.04)) return { from_address: from, to_address: null };
    return { from_address: from, to_address: chance.is(0.08) ? from : this.#party() };
  }

  #primaryBlock(): void {
    const chance = this.#chance;
    const { datasets } = this.shape;
    const height = this.heads.primary;
    const place = { block_number: String(height), block_time: this.timeAt(height) };
    // Blocks with many records of one kind are full of the same few parties.
    const count = this.#count('primary');
    const isOfOne = chance.is(0.5) && this.#stretch.primary.density === 'burst';
    const always = isOfOne ? this.#parties() : undefined;
    let hash = this.#hash();
    for (let i = 0; i < count; i += 1) {
      hash = this.#hash();
      const parties = always ?? this.#parties();
      if (datasets.has('transactions')) {
        const amount = chance.pick(AMOUNTS);
        this.#add('transactions', height, { tx_hash: hash, ...place, ...parties, amount });
      }
    }
    for (let left = datasets.has('internal_transactions') ? count : 0; left > 0; ) {
      const record = {
        tx_hash: hash,
        ...place,
        ...(always ?? this.#parties()),
        amount: chance.pick(AMOUNTS),
        operation: chance.pick(['call', 'staticcall']),
      };
      left -= this.#copies('internal_transactions', height, record);
    }
    for (let left = datasets.has('token_transfers') ? count : 0; left > 0; ) {
      const record = {
        tx_hash: chance.is(0.5) ? hash : this.#hash(),
        ...place,
        ...(always ?? this.#parties()),
        amount: chance.pick(AMOUNTS),
        token_address: chance.pick(TOKENS),
        ...this.#token(),
      };
      left -= this.#copies('token_transfers', height, record);
    }
  }

  /** Only tokens that are not fungible have ids. */
  #token(): { token_standard: string; token_id: string } {
    const [fungible, unique] = STANDARDS;
    const isFungible = this.#chance.is(0.7);
    const id = this.#chance.is(0.5) ? '1' : '2';
    return isFungible
      ? { token_standard: fungible, token_id: '' }
      : { token_standard: unique, token_id: id };
  }

  /** Records without a key may be equal. Returns how many there are now. */
  #copies(dataset: string, height: number, record: CanonicalRecord): number {
    const copies = this.#chance.is(0.3) ? this.#chance.between(2, 3) : 1;
    for (let copy = 0; copy < copies; copy += 1) this.#add(dataset, height, record);
    return copies;
  }

  #zoneBlock(): void {
    const chance = this.#chance;
    const { datasets } = this.shape;
    const height = this.heads.zone;
    const time = this.timeAt(height);
    for (let i = this.#count('zone'); i > 0; i -= 1) {
      const hash = this.#hash();
      if (datasets.has('zone_transactions')) {
        this.#add('zone_transactions', height, {
          tx_hash: hash,
          block_number: String(height),
          block_time: time,
          from_address: this.#party(),
          tx_index: String(i),
          amount: chance.pick(AMOUNTS),
        });
      }
      if (!datasets.has('cross_chain_transfers') || chance.is(0.3)) continue;
      const { from_address: source_address, to_address: target_address } = this.#parties();
      this.#copies('cross_chain_transfers', height, {
        zone_tx_hash: hash,
        zone_block_number: String(height),
        zone_block_time: time,
        ...this.#parties(),
        source_address,
        target_address,
        amount: chance.pick(AMOUNTS),
        token_address: chance.pick(TOKENS),
      });
    }
  }

  /** A new block orders the holders anew: the first of them always has another amount then. */
  #rank(): void {
    const chance = this.#chance;
    const count = this.shape.holders ?? this.rankings.at(-1)?.length ?? chance.between(0, 40);
    const amounts = Array.from({ length: count }, () => chance.between(1, 1_000_000));
    amounts.sort((a, b) => b - a);
    const holders = Array.from({ length: count }, (_, i) => address(`d${i.toString(16)}`));
    for (let i = holders.length - 1; i > 0; i -= 1) {
      const j = chance.between(0, i);
      const [one = '', other = ''] = [holders[i], holders[j]];
      [holders[i], holders[j]] = [other, one];
    }
    this.rankings.push(
      amounts.map((amount, i) => ({
        as_of_block: String(Math.max(0, this.heads.primary)),
        holder_rank: String(i + 1),
        holder_address: holders[i] ?? null,
        amount: `${amount}.${this.rankings.length}`,
      })),
    );
  }
}
