import type { BlockCheckpoint } from '../../src/coverage/checkpoints.ts';
import { Coverage } from '../../src/coverage/coverage.ts';
import {
  type BlockHashes,
  blockHashes,
  changedFrom,
  takeCheckpoints,
} from '../../src/fetch/chain/checkpoints.ts';
import { readHead } from '../../src/fetch/chain/heads.ts';
import { fetchSlice } from '../../src/fetch/fetch-slice.ts';
import { decode, type Row } from '../../src/land/rows/decode.ts';
import { removes, type Walk } from '../../src/land/rule/claim.ts';
import {
  afterReorganisation,
  isForgotten,
  merge,
  type Reorganisation,
  validCheckpoints,
} from '../../src/land/rule/merge.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import type { FoundKey, Heads } from '../../src/plan/plan.ts';
import { planSlices } from '../../src/plan/slices.ts';
import { listed } from '../fixtures/listed.ts';
import { listNamed } from '../fixtures/lists.ts';
import { sharedIn } from '../fixtures/shared-in.ts';
import { unlearned } from '../fixtures/unlearned.ts';
import { ADDRESSES, BY_ADDRESS, BY_HASH, type ForkingChain } from './forking-chain.ts';
import { asking } from './plan-input.ts';

/** One table in memory, and runs over it with the real planner, walks, checkpoints and merge. */

interface TableRow {
  readonly endpoint: string;
  readonly variant: string;
  readonly row: Row;
}

const LINES = [
  '  transactions:',
  `    - { endpoint: ${BY_ADDRESS}, keys: addresses }`,
  `    - { endpoint: ${BY_HASH}, keys: unsettled }`,
];
const FOUND = 'unsettled: { from: [transactions], without: tx_status }';
const PIPELINE = asking(LINES, {}, FOUND);

export interface RunSettings {
  readonly lagBlocks: number;
  readonly windowBlocks: number;
  readonly pageSize: number;
}

export class ForkingLake {
  rows: TableRow[] = [];
  coverage = new Coverage();
  readonly #reorganisations: Reorganisation[] = [];
  #checkpoints: BlockCheckpoint[] = [];

  /** One run; returns whether it found at its end that the chain had changed under it. */
  async run(chain: ForkingChain, settings: RunSettings): Promise<boolean> {
    const { lagBlocks, windowBlocks, pageSize } = settings;
    const heads = await readHead(chain, 'primary', { chain: 'X', finalityLagBlocks: lagBlocks });
    const reading = (): BlockHashes => blockHashes(chain, { axis: 'primary', chain: 'X' });
    let taken: readonly BlockCheckpoint[] | undefined;
    while (taken === undefined) {
      const hashes = reading();
      await this.#check(hashes.at, heads.head);
      taken = await takeCheckpoints({ matches: this.#checkpoints, hashes, reading, ...heads });
    }
    const generation = this.#reorganisations.length;
    const pipeline = { ...PIPELINE, windowBlocks };
    for (const isFound of [false, true]) {
      const plan = this.#planned(pipeline, heads);
      for (const { slices, isFound: isLookUp } of plan.requests) {
        if (isLookUp !== isFound) continue;
        for (const slice of slices) {
          const limits = { chain: 'X', pageSize, recordCap: 10_000 };
          const more = unlearned();
          for await (const part of fetchSlice(chain, slice, { ...limits, ...more })) {
            const { list, keys, interval } = part.slice;
            const { rows } = decode(list, part.records, interval.from);
            const { status, reason } = part;
            const region = { list, keys, interval, status, reason };
            const claim = { ...region, head: heads.head, readAtMs: 0, generation };
            this.#commit({ claim, records: rows }, taken);
          }
        }
      }
    }
    return this.#check(reading().at, heads.head);
  }

  #planned(pipeline: Pipeline, heads: Heads) {
    const request = pipeline.requests.find(({ foundIn }) => foundIn !== undefined);
    const byKey = new Map<string, FoundKey>();
    for (const { endpoint, row } of this.rows) {
      if (endpoint !== BY_ADDRESS) continue;
      const key = String(row.cells[hashAt(endpoint)]);
      const isLookedUp = this.coverage.completeIn(listNamed(BY_HASH))(key, row.height);
      byKey.set(key, { key, height: row.height, lookedUpIn: isLookedUp ? [''] : [] });
    }
    const keys = [...byKey.values()].sort((a, b) => a.height - b.height);
    return planSlices({
      pipeline,
      keys: { addresses: ADDRESSES },
      rowKeys: new Map(request === undefined ? [] : [[request, keys]]),
      coverage: this.coverage,
      heads: { primary: heads },
      densities: new Map(),
      nowMs: 0,
    });
  }

  #commit(walk: Walk<Row>, checkpoints: readonly BlockCheckpoint[]): void {
    const state = { coverage: this.coverage, reorganisations: this.#reorganisations };
    const merged = merge(
      state,
      [walk],
      sharedIn(this.rows, ({ row }) => row),
    );
    const { endpoint, variant } = walk.claim.list;
    this.rows = this.rows.filter(
      (row) => !merged.removals.some((removal) => removes(removal, row, row.row)),
    );
    const inserted = merged.inserts.flatMap(({ records }) => records);
    for (const row of inserted) this.rows.push({ endpoint, variant, row });
    for (const entry of merged.coverage) this.coverage.add(entry);
    const honest = validCheckpoints(checkpoints, walk.claim.generation, state);
    const byHeight = new Map([...this.#checkpoints, ...honest].map((one) => [one.height, one]));
    this.#checkpoints = [...byHeight.values()].sort((a, b) => a.height - b.height);
  }

  async #check(at: (height: number) => Promise<string | undefined>, head: number) {
    const height = await changedFrom(at, this.#checkpoints, head);
    if (height === undefined) return false;
    this.coverage = afterReorganisation(this.coverage, height);
    this.rows = this.rows.filter(
      ({ endpoint, row }) => !isForgotten(endpoint) || row.height < height,
    );
    this.#checkpoints = this.#checkpoints.filter((checkpoint) => checkpoint.height < height);
    this.#reorganisations.push({ height });
    return true;
  }
}

const HASH_AT = new Map<string, number>();

/** Where the hash stands in the rows of an endpoint. */
export function hashAt(endpoint: string): number {
  const cached = HASH_AT.get(endpoint);
  if (cached !== undefined) return cached;
  const record = { txId: '0x1', height: '1', from: ADDRESSES[0], to: '', amount: '1' };
  const { rows } = decode(listNamed(endpoint), listed(listNamed(endpoint).entry, [record]), 0);
  const at = rows[0]?.cells.indexOf('0x1') ?? -1;
  HASH_AT.set(endpoint, at);
  return at;
}
