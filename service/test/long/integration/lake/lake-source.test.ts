import { readdir } from 'node:fs/promises';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { WireRecord } from '../../../../../src/catalogue/record.ts';
import { Fault } from '../../../../../src/fault.ts';
import { readHead } from '../../../../../src/fetch/chain/heads.ts';
import { CallFailure } from '../../../../../src/fetch/http/call-failure.ts';
import { faultOfCall } from '../../../../../src/fetch/http/call-fault.ts';
import { freshLake } from '../../../../../test/fixtures/fresh-lake.ts';
import { inProcessCaller } from '../../../../../test/fixtures/in-process.ts';
import { LIST, transaction, zoneTransaction } from '../../../../../test/fixtures/load-lake.ts';
import { quietEffects } from '../../../../../test/fixtures/quiet-effects.ts';
import { shortened } from '../../../../../test/fixtures/short-addresses.ts';
import { freshFolder, whenOver } from '../../../../../test/fixtures/when-over.ts';
import { missingBlocks } from '../../../../src/answer/missing-blocks.ts';
import { type LakeSource, lakeSource } from '../../../../src/lake/lake-source.ts';
import { createService } from '../../../../src/server/service.ts';

const small = freshLake(beforeEach);

async function served(): Promise<LakeSource> {
  await small.curate();
  const source = await lakeSource({ root: small.root, effects: quietEffects() });
  whenOver(() => source.close());
  return source;
}

async function results(source: LakeSource, dataset: string) {
  const interval = { from: 0, to: 1_000_000 };
  const whole = { filters: [], bounds: [], oncePerKey: false, offset: 0, count: 1_000 };
  return shortened(await source.find({ dataset, interval, ...whole }));
}

/** A transaction that none of the addresses asked before has a part in. */
function stranger(height: number): WireRecord {
  return transaction({ txId: `0x1${height}`, height: String(height), from: '0xc', to: '0xd' });
}

describe('a lake that grows while it is served', () => {
  it('is taken in between questions, with its head', async () => {
    await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
    const source = await served();
    expect(source.head('primary')).toBe(10);
    expect(source.head('zone')).toBe(-1);
    expect(await source.refresh()).toBe(false);
    const newer = [5, 50].map((at) => stranger(at));
    await small.land(LIST.transactions, { keys: ['0xc'], records: newer });
    await small.curate();
    expect((await results(source, 'transactions')).total).toBe(1);
    expect(await source.refresh()).toBe(true);
    const { total, records } = await results(source, 'transactions');
    expect(total).toBe(3);
    expect(records.map((record) => record['block_number'])).toEqual(['50', '10', '5']);
    expect(source.head('primary')).toBe(50);
  });

  it('is looked at by itself once a second while requests come in', async () => {
    await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
    let nowMs = 0;
    const effects = quietEffects({ now: () => nowMs });
    await small.curate();
    const source = await lakeSource({ root: small.root, effects });
    whenOver(() => source.close());
    const newer = stranger(50);
    await small.land(LIST.transactions, { keys: ['0xc'], records: [newer] });
    await small.curate();
    nowMs = 999;
    source.requested?.();
    nowMs = 1_000;
    expect(source.head('primary')).toBe(10);
    source.requested?.();
    await expect.poll(() => source.head('primary')).toBe(50);
  });

  it('drops rows that a refetch has replaced', async () => {
    await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
    const source = await served();
    await small.land(LIST.transactions, {
      keys: ['0xa'],
      records: [transaction({ txId: '0x99', height: '12' })],
      readAtMs: 1_800_000_000_000,
    });
    await small.curate();
    await source.refresh();
    const { records } = await results(source, 'transactions');
    expect(records.map((record) => record['tx_hash'])).toEqual(['0x99']);
  });
});

describe('a lake without blocks', () => {
  const BLOCK = { hash: '0x1', height: '3', chainFullName: 'A full name', state: 'done' };
  const headOf = (source: LakeSource, axis: 'primary' | 'zone') => {
    const caller = inProcessCaller(createService({ source, effects: quietEffects() }));
    const chain = axis === 'primary' ? 'MAINCHAIN' : 'ZONECHAIN';
    return readHead(caller, axis, { chain, finalityLagBlocks: 0 });
  };

  it('names the missing blocks to clients that request its head', async () => {
    await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
    const source = await served();
    expect(source.head('primary')).toBe(10);
    const failure = await headOf(source, 'primary').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CallFailure);
    const { kind, message } = faultOfCall(failure as CallFailure);
    expect(kind).toBe('refused');
    expect(message).toContain('none of its blocks');
    expect(message).toContain(`exported without ${LIST.blocks}`);
    const service = createService({ source, effects: quietEffects() });
    const target = `/api/v5/${LIST.blockDetails}?chainShortName=MAINCHAIN&height=10`;
    const { body } = await service.answer({ method: 'GET', target, headers: {}, body: '' });
    expect(JSON.parse(body)).toMatchObject({ code: '50051', data: [] });
    // The other lists are answered, and so is the head of a chain that it has nothing of.
    expect((await results(source, 'transactions')).total).toBe(1);
    expect(await headOf(source, 'zone')).toEqual({ head: -1, safe: 0 });
  });

  it('says of the zone chain, too, that its blocks are missing', async () => {
    await small.land(LIST.zoneOfAddress, { keys: ['0xa'], records: [zoneTransaction()] });
    const source = await served();
    await expect(headOf(source, 'zone')).rejects.toThrow(`exported without ${LIST.zoneBlocks}`);
    expect(missingBlocks(source)).toEqual([
      expect.stringMatching(
        `^The served data has no blocks of the zone chain.*zone_blocks \\(from ${LIST.zoneBlocks}\\)`,
      ),
    ]);
  });

  it('is reported with the endpoint to add, until it has blocks', async () => {
    await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
    const source = await served();
    expect(missingBlocks(source)).toEqual([
      expect.stringMatching(
        `no blocks of the primary chain.* Add blocks \\(from ${LIST.blocks}\\)`,
      ),
    ]);
    await small.land(LIST.blockDetails, { keys: [''], records: [BLOCK] });
    await small.curate();
    await source.refresh();
    expect(missingBlocks(source)).toEqual([]);
    expect(await headOf(source, 'primary')).toEqual({ head: 3, safe: 3 });
  });
});

it('a lake with nothing but a ranking has no blocks either', async () => {
  await small.land(LIST.holders, {
    keys: [''],
    from: 90,
    to: 90,
    records: [{ rank: '1', holderAddress: '0xa', amount: '3' }],
  });
  expect(missingBlocks(await served())).toHaveLength(1);
});

describe('the chains of a lake', () => {
  it('take their names from its folders and blocks', async () => {
    await small.land(LIST.blockDetails, {
      keys: [''],
      records: [{ hash: '0x1', height: '3', chainFullName: 'A full name', state: 'done' }],
    });
    const { names } = await served();
    expect(names.primary).toEqual({ shortName: 'MAINCHAIN', fullName: 'A full name' });
    expect(names.zone.shortName).toBe('ZONECHAIN');
  });
});

/** Lists a temporary folder that other tests do not use, until the end of the test. */
async function ownTemporaryFolder(): Promise<() => Promise<string[]>> {
  const folder = await freshFolder();
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
  });
  return () => readdir(folder);
}

describe('opening', () => {
  it('refuses a data root without a lake', async () => {
    const refusal = lakeSource({ root: small.root, effects: quietEffects() });
    await expect(refusal).rejects.toBeInstanceOf(Fault);
    await expect(refusal).rejects.toMatchObject({ kind: 'configuration' });
  });

  it('leaves nothing behind when it is interrupted', async () => {
    const folders = await ownTemporaryFolder();
    await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
    const before = await folders();
    const signal = AbortSignal.abort(new Error('interrupted'));
    const opening = lakeSource({ root: small.root, effects: quietEffects(), signal });
    await expect(opening).rejects.toThrow('interrupted');
    expect((await folders()).filter((name) => !before.includes(name))).toEqual([]);
  });

  it('leaves nothing behind when it is closed', async () => {
    const folders = await ownTemporaryFolder();
    await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
    const before = await folders();
    const source = await lakeSource({ root: small.root, effects: quietEffects() });
    const [made = ''] = (await folders()).filter((name) => !before.includes(name));
    expect(made).not.toBe('');
    await source.close();
    expect(await folders()).not.toContain(made);
  });
});
