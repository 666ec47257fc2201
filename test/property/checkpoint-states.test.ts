import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CoverageEntry } from '../../src/coverage/coverage.ts';
import type { DataFile } from '../../src/land/delta/actions.ts';
import type { Snapshot } from '../../src/land/delta/fold.ts';
import { claimsOf } from '../../src/land/delta/ledger.ts';
import type { WriteCheckpoint } from '../../src/land/delta/log.ts';
import { localDisk } from '../../src/land/storage/disk.ts';
import { type MadeEntry, SealedLog, withoutStates } from '../fixtures/sealed-log.ts';
import { casesOf } from '../fixtures/thorough.ts';
import { freshFolder } from '../fixtures/when-over.ts';
import { Chance } from '../model/chance.ts';
import { cutEnd, flipBit } from '../model/corrupter.ts';

/**
 * Goal: whatever happens to a log and to its checkpoints, a log that is opened with them is the
 * same, in every field, as one that is read from its first entry.
 */

const BY_KEY = 'mainchain/address/normal-transaction-list-multi';
const BY_HASH = 'mainchain/transaction/transaction-multi';

const height = fc.nat(40);
const name = fc.constantFrom('a', 'b', 'c', 'd', 'e/f g.parquet');

const coverage: fc.Arbitrary<CoverageEntry> = fc
  .record({
    endpoint: fc.constantFrom(BY_KEY, BY_HASH),
    variant: fc.constantFrom('', 'side=from'),
    key: fc.constantFrom('0xa', '0xb', `0x${'1'.repeat(64)}`, `0x${'2c'.repeat(32)}`),
    from: height,
    blocks: fc.nat(12),
    status: fc.constantFrom('complete' as const, 'provisional' as const, 'truncated' as const),
    reason: fc.constantFrom('', 'cap'),
    head: fc.nat(9),
    readAtMs: fc.nat(9),
  })
  .map(({ blocks, ...rest }) => ({ ...rest, to: rest.from + blocks }));

const file: fc.Arbitrary<DataFile> = fc.record({
  path: name,
  sizeBytes: fc.nat(),
  rows: fc.option(fc.nat(), { nil: undefined }),
  heights: fc.option(
    height.map((from) => ({ from, to: from + 3 })),
    { nil: undefined },
  ),
  sha256: fc.option(fc.constant('ab'), { nil: undefined }),
  source: fc.option(fc.constant({ endpoint: BY_KEY, variant: '' }), { nil: undefined }),
});

const walked = fc.record({
  endpoint: fc.constantFrom(BY_KEY, BY_HASH),
  variant: fc.constant(''),
  slices: fc.nat(9),
  requests: fc.nat(9),
  keyBlocks: fc.nat(9),
});

const few = { maxLength: 3 };

const entry: fc.Arbitrary<MadeEntry> = fc.record({
  ledger: fc.record({
    coverage: fc.array(coverage, { maxLength: 6 }).map(claimsOf),
    walked: fc.array(walked, few),
    reorganisations: fc.oneof(
      { weight: 4, arbitrary: fc.constant<{ height: number }[]>([]) },
      fc.array(fc.record({ height }), { minLength: 1, maxLength: 2 }),
    ),
    anchors: fc.array(fc.record({ height, hash: fc.constantFrom('0x1', '0x2') }), few),
  }),
  added: fc.array(file, few),
  removed: fc.array(file, few),
  versions: fc.array(fc.tuple(name, fc.nat(9)), few),
  isForeign: fc.nat(5).map((one) => one === 0),
});

const step = fc.oneof(
  { weight: 6, arbitrary: entry.map((made) => ({ do: 'append' as const, made })) },
  { weight: 6, arbitrary: fc.constant({ do: 'save' as const }) },
  { weight: 1, arbitrary: fc.nat(4).map((entries) => ({ do: 'cut' as const, entries })) },
  { weight: 1, arbitrary: fc.nat().map((seed) => ({ do: 'flip' as const, seed })) },
  { weight: 1, arbitrary: fc.nat().map((seed) => ({ do: 'tear' as const, seed })) },
  { weight: 1, arbitrary: fc.constant({ do: 'keep' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'put back' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'lose' as const }) },
);

/** All that a reader can see of a snapshot. */
function visible({ coverage: expected, ...rest }: Snapshot): unknown {
  const interval = { from: 0, to: 99 };
  const lists = [BY_KEY, BY_HASH].flatMap((endpoint) =>
    ['', 'side=from'].map((variant) => {
      const list = { endpoint, variant };
      const keys = [...expected.keysOf(list).keys()].sort();
      return { list, keys, isOpen: expected.isOpen(list, interval) };
    }),
  );
  const order = [...rest.files.keys()];
  return { ...rest, names: rest.names.all(), order, entries: [...expected.entries()], lists };
}

test('a log that is opened with its checkpoints is the log', async () => {
  const seed = Number(process.env['SEED'] ?? 3_206);
  let used = 0;
  let ignored = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 4, maxLength: 24, size: 'max' }),
      async (steps) => {
        const folder = await freshFolder();
        const log = new SealedLog(join(folder, 'table'));
        const kept = join(folder, 'kept');
        // One process lives through everything.
        const old = log.open();
        let newestState = 0;
        const save: WriteCheckpoint = async (fold) => {
          newestState = fold.version;
          return log.writeState(fold);
        };
        for (const item of steps) {
          if (item.do === 'append') await log.append(item.made);
          if (item.do === 'cut') await log.cut(Math.max(0, log.length - item.entries));
          const path = log.stateOf(newestState);
          if (item.do === 'flip') await flipBit(path, new Chance(item.seed)).catch(() => undefined);
          if (item.do === 'tear') await cutEnd(path, new Chance(item.seed)).catch(() => undefined);
          if (item.do === 'keep') await copyFile(path, kept).catch(() => undefined);
          if (item.do === 'put back') await copyFile(kept, path).catch(() => undefined);
          if (item.do === 'lose') await rm(path, { force: true });
          const whole = visible(await log.open(withoutStates).refresh());
          const read: string[] = [];
          const reader = log.open({
            ...localDisk,
            readBytes: (options) => {
              read.push(options);
              return localDisk.readBytes(options);
            },
          });
          expect(visible(await reader.refresh())).toEqual(whole);
          expect(visible(await old.refresh())).toEqual(whole);
          if (item.do === 'save') await old.checkpoint(1, save);
          const isWhole = log.length < 2 || read.includes(log.pathOf(0));
          if (isWhole) ignored += 1;
          else used += 1;
        }
      },
    ),
    { seed, numRuns: casesOf(300) },
  );
  process.stdout.write(
    `checkpoint states: seed ${seed}, ${used} used, ${ignored} absent or ignored\n`,
  );
  expect(used).toBeGreaterThan(100);
});
