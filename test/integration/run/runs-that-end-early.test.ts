import { expect, test } from 'vitest';
import { chainSource } from '../../../service/src/memory/chain-source.ts';
import type { ServiceRequest } from '../../../service/src/protocol/exchange.ts';
import { listen } from '../../../service/src/server/listener.ts';
import { createService } from '../../../service/src/server/service.ts';
import { simulatedChain } from '../../../service/src/simulated/chain.ts';
import { query } from '../../../src/load/query/query.ts';
import { systemEffects } from '../../../src/system.ts';
import { exportLake, rowsOf } from '../../e2e/harness.ts';
import { freshFolder, whenOver } from '../../fixtures/when-over.ts';

/**
 * Goal: a run that a service throws out in the middle says so, and what landed before is to be seen
 * in the warehouse as it would be after a run that ended well.
 */

const chain = simulatedChain({ seed: 'early', head: 400 });

test('what landed before the credentials were refused is in the warehouse', async () => {
  const effects = systemEffects('warn');
  const service = createService({ source: chainSource(chain), effects });
  let granted = 0;
  const refusing = {
    ...service,
    answer: async (request: ServiceRequest) => {
      granted += 1;
      if (granted <= 150) return service.answer(request);
      const body = JSON.stringify({ code: '50111', msg: 'Invalid key', data: [] });
      return { status: 401, headers: { 'content-type': 'application/json' }, body };
    },
  };
  const listener = await listen(refusing, { effects });
  const root = await freshFolder();
  whenOver(() => listener.close());
  const ran = exportLake({
    url: listener.url,
    root,
    addresses: chain.addresses(20),
    change: (pipeline) => ({
      ...pipeline,
      groupSize: 5,
      windowBlocks: 50,
      commit: { ...pipeline.commit, slices: 10 },
    }),
  });
  await expect(ran).rejects.toThrow('The service refused the credentials');
  const landed = await rowsOf(root, 'transactions', 'count(*) AS rows');
  expect(Number(landed[0]?.['rows'])).toBeGreaterThan(0);
  const shown = await query(
    `${root}/warehouse.duckdb`,
    'SELECT count(*) AS rows FROM lake.transactions',
  );
  expect(Number(shown.rows[0]?.['rows'])).toBe(Number(landed[0]?.['rows']));
});
