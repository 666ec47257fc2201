import { expect, test } from 'vitest';
import { casesOf } from '../fixtures/thorough.ts';
import { chainOf, exported, honest } from '../model/limited-world.ts';
import { MemoryLake } from '../model/memory-table.ts';
import { MENU } from '../model/menu.ts';
import { ADDRESSES } from '../model/small-chain.ts';
import { truthOf } from '../model/truth.ts';

const DATASETS = ['transactions', 'internal_transactions', 'token_transfers'];
const SEEDS = casesOf(60);

/**
 * Goal: equal records are as often in the lake as on the chain, whatever groups of keys overlap
 * from run to run, and whether the service lists a record once or once for every key it matches.
 */
test.each([
  ['once', false],
  ['once per matched address', true],
])('no row is lost or doubled where a record is listed %s', async (_, perMatchListing) => {
  let copies = 0;
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { chain, chance } = chainOf(seed, DATASETS, { bursts: 0.15 });
    chain.grow('primary', 20);
    const lake = new MemoryLake();
    for (let run = 0; run < 4; run += 1) {
      const { findings, ran } = await exported({
        chain,
        lake,
        enforced: () => honest(chain, { perMatchListing }),
        requests: [MENU.transactions, MENU.internal, MENU.transfers],
        keys: { addresses: run === 3 ? ADDRESSES : chance.some(ADDRESSES) },
        groupSize: chance.pick([1, 2, 3, 20]),
      });
      expect(findings, `seed ${seed}, run ${run}`).toEqual([]);
      expect(ran.failed).toEqual([]);
    }
    const endpoint = MENU.internal.entry.path;
    const truth = truthOf(chain, endpoint, '', 0, chain.heads.primary - 3);
    const ours = truth.filter(({ keys }) => keys.some((key) => ADDRESSES.some((a) => a === key)));
    const final = lake.rows.filter(
      (row) => row.endpoint === endpoint && row.row.height < chain.heads.primary - 2,
    );
    expect(final).toHaveLength(ours.length);
    copies += ours.length - new Set(ours.map(({ text }) => text)).size;
  }
  expect(copies).toBeGreaterThan(SEEDS);
});
