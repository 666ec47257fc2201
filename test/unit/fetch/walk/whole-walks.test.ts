import { expect, test } from 'vitest';
import { tablesSource } from '../../../../service/src/memory/records-source.ts';
import { createService } from '../../../../service/src/server/service.ts';
import type { CanonicalRecord } from '../../../../src/catalogue/record.ts';
import type { Slice } from '../../../../src/coverage/slice.ts';
import { fetchSlice } from '../../../../src/fetch/fetch-slice.ts';
import { inProcessCaller } from '../../../fixtures/in-process.ts';
import { listNamed } from '../../../fixtures/lists.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';
import { unlearned } from '../../../fixtures/unlearned.ts';
import { gathered } from '../../../fixtures/walk-lister.ts';

const A = `0x${'a'.repeat(40)}`;
const TOKEN = `0x${'7'.repeat(40)}`;
const hash = (i: number): string => `0x${i.toString(16).padStart(64, '0')}`;
const each = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

const tables = new Map<string, readonly CanonicalRecord[]>([
  [
    'blocks',
    each(300, (i) => ({ block_hash: hash(i), block_number: String(i), block_time: String(i) })),
  ],
  ['zone_blocks', each(500, (i) => ({ block_hash: hash(i), block_number: String(i) }))],
  [
    'zone_transactions',
    each(330, (i) => ({ tx_hash: hash(i), block_number: String(i >> 1), from_address: A })),
  ],
  [
    'cross_chain_transfers',
    each(45, (i) => ({ zone_tx_hash: hash(i), zone_block_number: String(i), from_address: A })),
  ],
  [
    'token_transfers',
    each(280, (i) => ({
      tx_hash: hash(i >> 2),
      block_number: String(i >> 2),
      token_address: TOKEN,
      from_address: A,
      amount: String(i % 9),
      token_standard: 'token_20',
    })),
  ],
  [
    'transactions',
    each(60, (i) => ({
      tx_hash: hash(i),
      block_number: String(i),
      from_address: A,
      to_address: A,
    })),
  ],
]);

/** Goal: walks of every list shape agree with the service's own reading of the interface. */
test.each([
  ['zone/block/transaction-list-multi', [''], [10, 150], {}, 282],
  ['zone/block/transaction-list', [''], [20, 20], {}, 2],
  ['zone/block/block-list', [''], [120, 433], {}, 314],
  ['zone/address/transaction-list', [A], [0, 99], {}, 200],
  ['zone/cross/transaction-list', [''], [0, 99], {}, 45],
  ['zone/cross/transaction-list', [A], [5, 20], { address: '*' }, 16],
  ['zone/cross/transaction-multi', [hash(3), hash(4)], [0, 99], {}, 2],
  ['zone/transaction/transaction-fills', [hash(3)], [0, 99], {}, 1],
  ['block/block-list', [''], [100, 250], {}, 151],
  ['block/block-fills', [''], [7, 7], {}, 1],
  ['block/transaction-list', [''], [7, 7], { protocolType: 'token_20' }, 4],
  ['token/transaction-list', [TOKEN], [10, 60], {}, 204],
  ['transaction/transaction-multi', [hash(1), hash(2)], [0, 99], {}, 2],
  ['transaction/token-transfer-multi', [hash(1), hash(2)], [0, 99], {}, 8],
  ['address/normal-transaction-list', [A], [0, 59], {}, 60],
] as const)(
  'mainchain/%s of %j is fetched completely',
  async (path, keys, [from, to], params, count) => {
    const service = createService({ source: tablesSource(tables), effects: quietEffects() });
    const slice: Slice = {
      list: listNamed(`mainchain/${path}`, params),
      keys,
      interval: { from, to },
      provisional: false,
    };
    const chain = path.startsWith('zone') ? 'ZONECHAIN' : 'MAINCHAIN';
    const settings = { chain, pageSize: 20, recordCap: 10_000, ...unlearned() };
    const parts = await gathered(fetchSlice(inProcessCaller(service), slice, settings));
    expect(parts.every(({ status }) => status === 'complete')).toBe(true);
    expect(parts.flatMap(({ records }) => records)).toHaveLength(count);
  },
);
