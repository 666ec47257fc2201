import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { nodeBlocks } from '../../../src/node/rpc-blocks.ts';
import { bloomOf } from '../../../src/node/rpc-logs.ts';
import { ENDLESS_SLICE } from '../../../src/protocol/time-slices.ts';
import { simulatedChain } from '../../../src/simulated/chain.ts';
import { ledgerOf } from '../../../src/simulated/ledger.ts';
import { fragmentsOf } from '../../../src/stream/fragments.ts';
import type { StreamSettings } from '../../../src/stream/stream-settings.ts';
import { fullStreamSettings } from '../../../src/stream/stream-settings.ts';

const HEIGHTS = 200;
const chain = simulatedChain({ seed: 'parts', head: HEIGHTS, zoneStart: 20 });
const blockAt = nodeBlocks(chain);
const heights = Array.from({ length: HEIGHTS }, (_, height) => height);

function fragmentsAt(height: number, payload = 0, settings: StreamSettings = {}) {
  return fragmentsOf(blockAt(height), payload, () => 10n ** 30n, fullStreamSettings(settings));
}

interface Message {
  readonly diff: Readonly<Record<string, unknown>> & { readonly transactions: string[] };
  readonly metadata: {
    readonly receipts: Readonly<Record<string, unknown>>;
    readonly new_account_balances: Readonly<Record<string, string>>;
  };
}

const messageOf = (fragment: { readonly message: unknown } | undefined): Message =>
  fragment?.message as Message;

describe('the fragments of a block', () => {
  it('are 3 to 11, of all these numbers, and the same every time', () => {
    const counts = heights.map((height) => fragmentsAt(height).length);
    expect(new Set(counts)).toEqual(new Set([3, 4, 5, 6, 7, 8, 9, 10, 11]));
    expect(fragmentsAt(77)).toEqual(fragmentsAt(77));
  });

  it("have gas and bloom of the partial block, and the block's own hash at the end", () => {
    for (const height of heights.slice(0, 60)) {
      const block = blockAt(height);
      const parts = fragmentsAt(height);
      for (const [index, part] of parts.entries()) {
        const first = block.transactions.slice(0, part.count);
        const gas = first.reduce((total, { executed }) => total + executed.gasUsed, 0);
        const { diff } = messageOf(part);
        expect(Number(diff['gas_used'])).toBe(gas);
        expect(diff['logs_bloom']).toBe(bloomOf(first.flatMap(({ logs }) => logs)));
        expect(diff['block_hash'] === block.hash).toBe(index === parts.length - 1);
        expect(diff['block_hash']).toBe(part.blockHash);
      }
      expect(new Set(parts.map(({ blockHash }) => blockHash)).size).toBe(parts.length);
    }
  });

  it('have the resulting balances of their addresses', async () => {
    const ledger = ledgerOf(chain, ENDLESS_SLICE);
    await ledger.reach(heights.at(60) ?? 0);
    for (const height of heights.slice(1, 60)) {
      const parts = fragmentsOf(
        blockAt(height),
        0,
        (address) => ledger.nativeAt(address, height - 1),
        fullStreamSettings({}),
      );
      const told: Record<string, string> = Object.assign(
        {},
        ...parts.map((part) => messageOf(part).metadata.new_account_balances),
      );
      for (const address of ledger.movedAt(height).keys()) {
        const wei = ledger.nativeAt(address, height);
        const changed = ledger.nativeAt(address, height - 1) !== wei;
        if (changed) expect(BigInt(told[address] ?? -1)).toBe(wei);
        else if (address in told) expect(BigInt(told[address] ?? 0)).toBe(wei);
      }
    }
  });

  it('have no balances if these have not been counted', () => {
    const parts = fragmentsOf(blockAt(90), 0, () => undefined, fullStreamSettings({}));
    for (const part of parts) expect(messageOf(part).metadata.new_account_balances).toEqual({});
  });

  it('say nothing of the base but in the first one, or null where settings say so', () => {
    expect(fragmentsAt(5).map(({ message }) => 'base' in message)[1]).toBe(false);
    const [first, ...more] = fragmentsAt(5, 0, { nullBase: true });
    expect(first?.message['base']).toMatchObject({ block_number: '0x5' });
    for (const { message } of more) expect(message['base']).toBeNull();
  });

  it('name the last index where settings say so', () => {
    const parts = fragmentsAt(5, 0, { targetIndex: true });
    for (const { message } of parts) expect(message['target_index']).toBe(parts.length - 1);
    expect('target_index' in (fragmentsAt(5)[0]?.message ?? {})).toBe(false);
  });

  it('of another payload have another id, and come to the same block', () => {
    const [one, other] = [fragmentsAt(8, 0), fragmentsAt(8, 1)];
    expect(one[0]?.payloadId).toMatch(/^0x[0-9a-f]{16}$/);
    expect(new Set([...one, ...other].map(({ payloadId }) => payloadId)).size).toBe(2);
    expect(other.at(-1)?.blockHash).toBe(one.at(-1)?.blockHash);
  });
});

const REAL = fileURLToPath(new URL('../../../../../shared/data/mainnet/', import.meta.url));
const FILES = [
  'flashblocks_base_sepolia_33439826.ndjson.gz',
  'flashblocks_base_mainnet_37646058_index10.ndjson.gz',
];

/** The kinds of values under their names; of maps and lists, of one entry. */
function shapeOf(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith('0x') ? 'hex' : 'text';
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shapeOf(item)]));
}

describe('our messages', () => {
  const isThere = FILES.every((file) => existsSync(REAL + file));
  it.skipIf(!isThere)('have the names and kinds of real ones', () => {
    const real = FILES.flatMap((file) =>
      gunzipSync(readFileSync(REAL + file))
        .toString()
        .trim()
        .split('\n'),
    ).map((line) => JSON.parse(line) as Record<string, Record<string, unknown>>);
    const [first] = real;
    const later = real.at(-1) ?? {};
    const height = heights.find((item) => blockAt(item).transactions.some((tx) => tx.logs.length));
    const ours = fragmentsAt(height ?? 0).map(({ message }) => message);
    const full = ours.find((message) => {
      const { receipts } = messageOf({ message }).metadata;
      return Object.values(receipts).length > 0;
    });
    const { blob_gas_used: _, ...diff } = shapeOf(ours[0]?.['diff']) as Record<string, unknown>;
    expect(Object.keys(diff).sort()).toEqual(Object.keys(first?.['diff'] ?? {}).sort());
    expect(shapeOf(ours[0]?.['base'])).toEqual(shapeOf(first?.['base']));
    expect(Object.keys(full?.['metadata'] ?? {}).sort()).toEqual(
      Object.keys(later['metadata'] ?? {}).sort(),
    );
    const receiptIn = (metadata: unknown) =>
      Object.values(Object.values((metadata as Message['metadata']).receipts)[0] ?? {})[0];
    const names = Object.keys((receiptIn(full?.['metadata']) ?? {}) as object);
    expect(names.sort()).toEqual(Object.keys(receiptIn(later['metadata']) as object).sort());
  });
  if (!isThere) process.stdout.write('Real messages are not here: their shape is not compared.\n');
});
