import { expect, test } from 'vitest';
import { chainSource } from '../../../../service/src/memory/chain-source.ts';
import { createService } from '../../../../service/src/server/service.ts';
import { simulatedChain } from '../../../../service/src/simulated/chain.ts';
import { endpointAt } from '../../../../src/catalogue/index.ts';
import { Secret } from '../../../../src/fetch/http/signature.ts';
import { inProcessCaller } from '../../../fixtures/in-process.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';

test('an access key alone is sent in one header, and nothing is signed', async () => {
  const seen: string[][] = [];
  const credentials = { accessKey: new Secret('key') };
  const service = createService({
    source: chainSource(simulatedChain({ seed: 'signing', head: 10 })),
    effects: quietEffects(),
    settings: {
      credentials: [credentials],
      before: ({ headers }) => {
        seen.push(Object.keys(headers).filter((name) => /access/i.test(name)));
        return undefined;
      },
    },
  });
  const head = endpointAt('mainchain/block/block-list');
  const query = { chainShortName: 'MAINCHAIN', page: '1', limit: '1' };
  const answer = await inProcessCaller(service, { credentials }).call(head, query, { priority: 0 });
  expect(answer.records).toHaveLength(1);
  expect(seen).toEqual([['SVC-ACCESS-KEY']]);
  const other = { accessKey: new Secret('another') };
  const refused = inProcessCaller(service, { credentials: other }).call(head, query, {
    priority: 0,
  });
  await expect(refused).rejects.toMatchObject({ outcome: 'auth', code: '50111' });
  await expect(inProcessCaller(service).call(head, query, { priority: 0 })).rejects.toMatchObject({
    outcome: 'auth',
    code: '50103',
  });
});

test('two equal requests in one millisecond have different signatures', async () => {
  const credentials = {
    accessKey: new Secret('key'),
    secretKey: new Secret('secret'),
    passphrase: new Secret('phrase'),
  };
  const standing = quietEffects({ now: () => 1_700_000_000_000 });
  const service = createService({
    source: chainSource(simulatedChain({ seed: 'signing', head: 10 })),
    effects: standing,
    settings: { credentials: [credentials] },
  });
  const caller = inProcessCaller(service, { effects: standing, credentials });
  const head = endpointAt('mainchain/block/block-list');
  const query = { chainShortName: 'MAINCHAIN', page: '1', limit: '1' };
  for (let i = 0; i < 3; i += 1) {
    expect((await caller.call(head, query, { priority: 0 })).records).toHaveLength(1);
  }
});
