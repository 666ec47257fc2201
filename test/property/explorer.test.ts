import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { tablesSource } from '../../service/src/memory/records-source.ts';
import { createService } from '../../service/src/server/service.ts';
import {
  type Explored,
  exploredLake,
  hashOf,
  MAIN_HASH,
  OWN,
  TOKEN,
  ZONE_HASH,
} from '../fixtures/explored-lake.ts';
import { FORMULAS, MARKUP } from '../fixtures/injections.ts';
import { quietEffects } from '../fixtures/quiet-effects.ts';
import { casesOf } from '../fixtures/thorough.ts';
import { whenOver } from '../fixtures/when-over.ts';

/** Goal: no path and no parameter makes the pages about a lake fail with 5xx. */

const seed = Number(process.env['SEED'] ?? 40_961);

let explored: Explored;
beforeAll(async () => {
  explored = await exploredLake();
  whenOver(() => explored.close());
});
const SPECIAL = [
  '',
  '0',
  '-1',
  '1.5',
  '1e9',
  '9'.repeat(15),
  '9'.repeat(16),
  '0x',
  'native',
  '%',
  '%00',
]
  .concat([
    '10',
    '10-1',
    '10-9999999',
    '2023-11-14',
    '2023-02-30',
    '9999-12-31T23:59',
    '0000-01-01',
  ])
  .concat(['null', 'NaN', "'", '"', "' OR 1=1 --", '$1', '../..', '\u0000', '\ud800', '𝟙'])
  .concat([OWN, TOKEN, MAIN_HASH, ZONE_HASH, hashOf(5), OWN.toUpperCase()])
  .concat(['primary', 'zone', 'token', 'value', 'fee', 'cross_chain', 'in', 'out']);
const word = fc.oneof(
  fc.constantFrom(...SPECIAL),
  fc.constantFrom(...MARKUP, ...FORMULAS),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.nat(20).map(String),
);
const segment = fc.oneof(
  fc.constantFrom('address', 'tx', 'block', 'journey', 'token', 'search', 'primary', 'zone'),
  word,
);
const expected = fc.constantFrom(
  `address/${OWN}`,
  `token/${TOKEN}`,
  `tx/${MAIN_HASH}`,
  `journey/${ZONE_HASH}`,
  'block/primary/10',
  'block/zone/50',
  'search',
  '',
);
const path = fc.oneof(
  expected,
  fc.array(segment, { maxLength: 4 }).map((parts) => parts.join('/')),
);
const name = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.constantFrom('chain', 'kind', 'direction', 'token', 'from', 'to', 'at'),
  },
  { weight: 2, arbitrary: fc.constantFrom('q', 'skip') },
  { weight: 1, arbitrary: word },
);
const written = fc.oneof(
  word.map((text) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, ''))),
  word,
);
const search = fc
  .array(fc.tuple(name, written), { maxLength: 4 })
  .map((pairs) => pairs.map(([key, value]) => `${key}=${value}`).join('&'));

const request = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(path, search) },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constant('search'),
      written.map((text) => `q=${text}`),
    ),
  },
);

test('random paths and parameters get a page or a refusal of their own', async () => {
  process.stdout.write(`explorer: seed ${seed}\n`);
  const service = createService({
    source: tablesSource(new Map()),
    effects: quietEffects(),
    recordPages: explored.explorer,
  });
  const seen = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(request, async ([question, query]) => {
      const target = `/explore/${question}${query === '' ? '' : `?${query}`}`;
      const { status, body } = await service.answer({
        method: 'GET',
        target,
        headers: {},
        body: '',
      });
      seen.set(status, (seen.get(status) ?? 0) + 1);
      expect([200, 303, 400, 404]).toContain(status);
      expect(status === 303 || body.includes('Coverage of this lake')).toBe(true);
    }),
    { seed, numRuns: casesOf(2_000) },
  );
  expect([...seen.keys()].sort()).toEqual([200, 303, 400, 404]);
});
