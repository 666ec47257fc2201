import { rm } from 'node:fs/promises';
import { expect, it } from 'vitest';
import {
  type Explored,
  exploredLake,
  hashOf,
  OWN,
} from '../../../../../../test/fixtures/explored-lake.ts';
import { LIST, transaction } from '../../../../../../test/fixtures/load-lake.ts';
import { quietEffects } from '../../../../../../test/fixtures/quiet-effects.ts';
import { whenOver } from '../../../../../../test/fixtures/when-over.ts';
import { createExplorer } from '../../../../../src/explorer/explorer.ts';
import {
  TooManySessions,
  WarehouseReader,
} from '../../../../../src/explorer/facts/warehouse-reader.ts';

/** Goal: the pages follow the warehouse, and stay bounded. */

const MEMORY_BYTES = 2 ** 29;

async function withLake(use: (explored: Explored) => Promise<void>): Promise<void> {
  const explored = await exploredLake();
  whenOver(() => explored.close());
  await use(explored);
}

function readerOf({ small }: Explored, timeoutMs = 10_000): WarehouseReader {
  return new WarehouseReader({
    path: small.lake.layout.warehouse,
    root: small.root,
    memoryBytes: MEMORY_BYTES,
    timeoutMs,
  });
}

it('shows a warehouse from the moment at which it is published', async () => {
  await withLake(async ({ small, explorer }) => {
    const path = `/explore/tx/${hashOf(900)}`;
    expect((await explorer.answer(path, '')).status).toBe(404);
    const records = [transaction({ txId: hashOf(900), from: OWN, height: '150' })];
    await small.land(LIST.transactions, { keys: [OWN], from: 100, to: 199, records });
    await small.publish();
    expect((await explorer.answer(path, '')).status).toBe(200);
  });
});

it('a session keeps its version while another one is published', async () => {
  await withLake(async (explored) => {
    const reader = readerOf(explored);
    const count = 'SELECT count(*) AS rows FROM curated.transactions';
    await reader.session(async ({ ask }) => {
      const before = await ask(count);
      const records = [transaction({ txId: hashOf(900), from: OWN, height: '150' })];
      await explored.small.land(LIST.transactions, { keys: [OWN], from: 100, to: 199, records });
      await explored.small.publish();
      const after = await reader.session((newer) => newer.ask(count));
      expect(Number(after[0]?.['rows'])).toBe(Number(before[0]?.['rows']) + 1);
      expect(await ask(count)).toEqual(before);
    });
    await reader.close();
  });
});

it('without a warehouse, pages say how to get one', async () => {
  await withLake(async ({ small }) => {
    await rm(small.lake.layout.warehouse);
    const warehouse = small.lake.layout.warehouse;
    const explorer = createExplorer({
      warehouse,
      effects: quietEffects(),
      memoryBytes: MEMORY_BYTES,
    });
    const { status, body } = await explorer.answer('/explore', '');
    expect(status).toBe(503);
    expect(body).toContain('Build it from the lake. Run: windrow load');
    await explorer.close();
  });
});

it('refuses sessions beyond those that may wait', async () => {
  await withLake(async (explored) => {
    const reader = readerOf(explored);
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const sessions = Array.from({ length: 18 }, () => reader.session(() => ended));
    await expect(reader.session(async () => 1)).rejects.toBeInstanceOf(TooManySessions);
    end();
    await Promise.all(sessions);
    expect(await reader.session(async () => 1)).toBe(1);
    await reader.close();
  });
});

it('stops the queries of a session after its time', async () => {
  await withLake(async (explored) => {
    const reader = readerOf(explored, 50);
    const slow = 'SELECT count(*) FROM range(1000000) AS a, range(1000000) AS b';
    await expect(reader.session(({ ask }) => ask(slow))).rejects.toMatchObject({
      message: expect.stringContaining('took longer than 0.05 s'),
    });
    await reader.close();
  });
});

it('reaches no file outside of the data root, and changes nothing', async () => {
  await withLake(async (explored) => {
    const reader = readerOf(explored);
    for (const sql of [
      "SELECT * FROM read_text('/etc/passwd')",
      'SET memory_limit = 1',
      'CREATE TABLE lake.mine (a INTEGER)',
    ]) {
      await expect(reader.session(({ ask }) => ask(sql))).rejects.toThrow();
    }
    await reader.close();
  });
});

it('computes a kept value once per version, and again after an error', async () => {
  await withLake(async (explored) => {
    const reader = readerOf(explored);
    let computed = 0;
    const compute = async (): Promise<number> => {
      computed += 1;
      if (computed === 1) throw new Error('first');
      return computed;
    };
    await expect(reader.session(({ kept }) => kept('a', compute))).rejects.toThrow('first');
    expect(await reader.session(({ kept }) => kept('a', compute))).toBe(2);
    expect(await reader.session(({ kept }) => kept('a', compute))).toBe(2);
    await reader.close();
  });
});
