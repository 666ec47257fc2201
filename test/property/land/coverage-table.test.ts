import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { COVERAGE_COLUMNS } from '../../../src/land/coverage-index.ts';
import { type Lake, openLake } from '../../../src/land/lake.ts';
import type { Claim } from '../../../src/land/rule/claim.ts';
import { localDisk } from '../../../src/land/storage/disk.ts';
import { readRows } from '../../../src/land/storage/read-rows.ts';
import { CHAINS } from '../../fixtures/chains.ts';
import { listNamed } from '../../fixtures/lists.ts';
import { quietEffects } from '../../fixtures/quiet-effects.ts';
import { casesOf } from '../../fixtures/thorough.ts';

/** Goal: after any history, updated coverage tables hold the same rows as ones written anew. */

const TRANSACTIONS = 'mainchain/address/normal-transaction-list-multi';
const LOOK_UP = 'mainchain/transaction/transaction-multi';
const INTERNAL = 'mainchain/address/internal-transaction-list-multi';
const TOP = 40;

type Action =
  | { readonly do: 'land'; readonly claim: Claim }
  | { readonly do: 'reorganise'; readonly height: number }
  | { readonly do: 'forget'; readonly key: string }
  | { readonly do: 'move away'; readonly dataset: string }
  | { readonly do: 'update' };

const keys = fc.uniqueArray(fc.constantFrom('0xa', '0xb', '0xc', '0xd'), { minLength: 1 });
const landed = fc
  .record({
    endpoint: fc.constantFrom(TRANSACTIONS, LOOK_UP, LOOK_UP, INTERNAL),
    keys,
    from: fc.nat(TOP),
    blocks: fc.nat(9),
    status: fc.constantFrom('complete' as const, 'complete' as const, 'truncated' as const),
    readAtMs: fc.nat(5),
  })
  .map(({ endpoint, keys: names, from, blocks, status, readAtMs }): Action => {
    const interval = { from, to: from + blocks };
    const reason = status === 'truncated' ? 'cap' : '';
    const region = { list: listNamed(endpoint), keys: names, interval, status, reason };
    return { do: 'land', claim: { ...region, head: 500, readAtMs, generation: 0 } };
  });
/** Keys of one claim. */
const HASHES = 2_500;
const many = fc.nat(2).map((part): Action => {
  const names = Array.from({ length: HASHES }, (_, i) => `0x${part * HASHES + i}`);
  const interval = { from: 5, to: 35 };
  const region = { list: listNamed(LOOK_UP), keys: ['0xa', ...names], interval, reason: '' };
  const claim: Claim = { ...region, status: 'complete', head: 500, readAtMs: 9, generation: 0 };
  return { do: 'land', claim };
});
const update = fc.constant<Action>({ do: 'update' });
const moved = fc
  .constantFrom('transactions', 'internal_transactions')
  .map((dataset): Action => ({ do: 'move away', dataset }));
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: landed },
  { weight: 2, arbitrary: many },
  { weight: 5, arbitrary: update },
  { weight: 1, arbitrary: fc.nat(TOP).map((height): Action => ({ do: 'reorganise', height })) },
  { weight: 1, arbitrary: fc.constant<Action>({ do: 'forget', key: '0xa' }) },
  { weight: 1, arbitrary: moved },
);

class Histories {
  readonly root: string;
  lake!: Lake;

  constructor(root: string) {
    this.root = root;
  }

  /** Another process goes on. */
  async reopen(): Promise<void> {
    this.lake?.close();
    const effects = quietEffects();
    const options = { root: this.root, chains: CHAINS, run: 'one', effects, disk: localDisk };
    this.lake = await openLake(options);
  }

  async play(step: Action): Promise<void> {
    const table = this.lake.table('transactions');
    if (step.do === 'land') {
      const { claim } = step;
      const target = this.lake.table(claim.list.dataset.name);
      await target.commit([{ claim, records: [], slice: 's', requests: 1 }]);
    } else if (step.do === 'reorganise') {
      if ((await table.snapshot()).version >= 0) await table.reorganised(step.height);
    } else if (step.do === 'forget') {
      const list = { endpoint: TRANSACTIONS, variant: '' };
      await table.forget(async ({ coverage }) =>
        [...coverage.keysOf(list).keys()]
          .filter((key) => key === step.key)
          .map((key) => ({ ...list, keys: [key], from: 0, to: TOP + 9, heirs: [] })),
      );
    } else if (step.do === 'move away') {
      const folder = this.lake.layout.table(CHAINS.primary, step.dataset);
      await rm(folder, { recursive: true, force: true });
      await this.reopen();
    }
  }

  async logs(): Promise<string[]> {
    const rows: string[] = [];
    for (const table of await this.lake.tables()) {
      const { coverage } = await table.snapshot();
      for (const { key, endpoint, from, to, status, reason, readAtMs } of coverage.entries()) {
        rows.push([table.dataset.name, endpoint, key, from, to, status, reason, readAtMs].join());
      }
    }
    return rows.sort();
  }

  async tables(isFull?: boolean): Promise<string[]> {
    const { paths } = await this.lake.indexCoverage(isFull);
    const cells = await readRows(paths, COVERAGE_COLUMNS);
    return cells
      .map(([dataset, endpoint, , key, from, to, status, reason, , readAt]) =>
        [dataset, endpoint, key, from, to, status, reason, Number(readAt) / 1000].join(),
      )
      .sort();
  }
}

test('updated coverage tables say what the logs say', async () => {
  const seed = Number(process.env['SEED'] ?? 6_117);
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 12 }), async (history) => {
      const histories = new Histories(await mkdtemp(join(tmpdir(), 'windrow-coverage-table-')));
      try {
        await histories.reopen();
        for (const step of history) {
          if (step.do !== 'update') await histories.play(step);
          else {
            expect(await histories.tables()).toEqual(await histories.logs());
            compared += 1;
          }
        }
        expect(await histories.tables()).toEqual(await histories.logs());
        expect(await histories.tables(true)).toEqual(await histories.logs());
      } finally {
        histories.lake.close();
        await rm(histories.root, { recursive: true, force: true });
      }
    }),
    { seed, numRuns: casesOf(75) },
  );
  process.stdout.write(`coverage tables: seed ${seed}, ${compared} comparisons before the end\n`);
  expect(compared).toBeGreaterThan(5);
});
