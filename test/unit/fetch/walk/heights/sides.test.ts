import { expect, test } from 'vitest';
import { endpointAt } from '../../../../../src/catalogue/index.ts';
import type { WireRecord } from '../../../../../src/catalogue/record.ts';
import { listAt, listOf } from '../../../../../src/coverage/list.ts';
import { decode } from '../../../../../src/land/rows/decode.ts';
import type { Claim } from '../../../../../src/land/rule/claim.ts';
import { listed } from '../../../../fixtures/listed.ts';
import { quietEffects } from '../../../../fixtures/quiet-effects.ts';
import { whenOver } from '../../../../fixtures/when-over.ts';
import { DiskStore } from '../../../../model/disk-store.ts';

const A = `0x${'a'.repeat(40)}`;
const B = `0x${'b'.repeat(40)}`;
const endpoint = endpointAt('mainchain/address/normal-transaction-list-multi');

function walk(side: string, key: string, records: readonly WireRecord[]) {
  const options = listOf(endpoint, { isFromOrTo: side });
  const claim: Claim = {
    list: listAt({ endpoint: endpoint.path, variant: options.variant }),
    keys: [key],
    interval: { from: 0, to: 99 },
    status: 'complete',
    reason: '',
    head: 200,
    readAtMs: 0,
    generation: 0,
  };
  return {
    claim,
    records: decode(options, listed(options.entry, records)).rows,
    slice: 'test',
    requests: 1,
  };
}

/** Goal: records that an address sent do not answer a request for those it received. */
test.each([
  ['the recipient first', [B, A]],
  ['the sender first', [A, B]],
])(
  'a list of the records that addresses sent keeps a record of two of them: %s',
  async (_name, order) => {
    const store = await DiskStore.open(quietEffects(), undefined, undefined, 'transactions');
    const sent = { txId: '0x1', height: '7', from: A, to: B, amount: '1' };
    whenOver(() => store.close());
    for (const key of order) {
      await store.table.commit([walk('from', key, key === A ? [sent] : [])]);
    }
    expect(await store.rows()).toHaveLength(1);
    await store.table.commit([walk('from', B, [])]);
    expect(await store.rows()).toHaveLength(1);
    await store.table.commit([walk('from', A, [])]);
    expect(await store.rows()).toHaveLength(0);
  },
);

test('a record matches by the requested side, and by both sides without one', () => {
  const record = { txId: '0x1', height: '7', from: A, to: B, amount: '1' };
  const touches = (params: Record<string, string>) =>
    decode(listOf(endpoint, params), listed(endpoint, [record])).rows[0]?.touches;
  expect(touches({})).toEqual([A, B]);
  expect(touches({ isFromOrTo: 'from' })).toEqual([A]);
  expect(touches({ isFromOrTo: 'to' })).toEqual([B]);
});
