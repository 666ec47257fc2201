import { createPublicClient, http } from 'viem';
import { beforeAll, expect, it } from 'vitest';
import { freshLake } from '../../../../test/fixtures/fresh-lake.ts';
import { block, inBlock, LIST, NORMAL, transaction } from '../../../../test/fixtures/load-lake.ts';
import { quietEffects } from '../../../../test/fixtures/quiet-effects.ts';
import { lengthened } from '../../../../test/fixtures/short-addresses.ts';
import { whenOver } from '../../../../test/fixtures/when-over.ts';
import { type LakeSource, lakeSource } from '../../../src/lake/lake-source.ts';
import { type Listener, listen } from '../../../src/server/listener.ts';
import { createService } from '../../../src/server/service.ts';

/** Goal: a client of nodes reads from a lake what was exported, and is told what was not. */

const HOLDER = lengthened('0xa') as `0x${string}`;
const TX = `0x${'1'.repeat(64)}` as const;
const IN_BLOCK_ALONE = `0x${'2'.repeat(64)}` as const;
const hashOf = (height: number) => `0x${String(height).repeat(32)}` as const;
const details = (height: number) =>
  block({
    height: String(height),
    hash: hashOf(height),
    txnCount: '1',
    blockSize: '790',
    gasLimit: '30000000',
    gasUsed: '21000',
    miner: HOLDER,
    difficulty: '0',
    baseFeePerGas: '0.000000002',
  });

const small = freshLake(beforeAll);
let source: LakeSource;
let listener: Listener;

beforeAll(async () => {
  for (const height of [10, 11, 12]) {
    const [at, blockHash] = [String(height), hashOf(height)];
    const record = { height: at, blockHash };
    await small.land(LIST.blockDetails, {
      keys: [''],
      from: height,
      to: height,
      records: [details(height)],
    });
    // The transactions of block 12 were not exported.
    if (height === 12) continue;
    const txId = height === 10 ? TX : IN_BLOCK_ALONE;
    const list = { keys: [''], from: height, to: height, params: NORMAL };
    await small.land(LIST.inBlock, { ...list, records: [inBlock({ ...record, txid: txId })] });
    if (height > 10) continue;
    const whole = transaction({ ...record, txId, state: 'success' });
    await small.land(LIST.transactionsByHash, { keys: [TX], records: [whole] });
  }
  await small.curate();
  const effects = quietEffects();
  source = await lakeSource({ root: small.root, effects });
  whenOver(() => source.close());
  listener = await listen(createService({ source, effects }), { effects });
  whenOver(() => listener.close());
});

it('JSON-RPC over a lake has the exported records, and refuses others', async () => {
  const client = createPublicClient({ transport: http(`${listener.url}/rpc`, { retryCount: 0 }) });
  expect(await client.getBlockNumber()).toBe(12n);
  const results = await client.getBlock({ blockNumber: 10n, includeTransactions: true });
  expect(results).toMatchObject({
    number: 10n,
    hash: hashOf(10),
    timestamp: 1_700_000_000n,
    baseFeePerGas: 2_000_000_000n,
    gasUsed: 21_000n,
    miner: HOLDER,
  });
  expect(results.transactions.map(({ hash }) => hash)).toEqual([TX]);
  // Neither a parent that was not exported nor members that no record has are made up.
  expect(Object.keys(results)).not.toContain('parentHash');
  expect(await client.getBlock({ blockHash: hashOf(11) })).toMatchObject({
    number: 11n,
    parentHash: hashOf(10),
    transactions: [IN_BLOCK_ALONE],
  });
  expect(await client.getTransaction({ hash: TX })).toMatchObject({
    blockNumber: 10n,
    from: HOLDER,
    value: 1_500_000_000_000_000_000n,
    nonce: 7,
    gasPrice: 1_000_000_000n,
    type: 'eip1559',
  });
  expect(await client.getTransactionReceipt({ hash: TX })).toMatchObject({
    status: 'success',
    gasUsed: 21_000n,
    effectiveGasPrice: 1_000_000_000n,
  });

  await expect(client.getBlock({ blockNumber: 13n })).rejects.toThrow('could not be found');
  const unknown = `0x${'3'.repeat(64)}` as const;
  const refusals: [() => Promise<unknown>, string][] = [
    [() => client.getBlock({ blockNumber: 9n }), 'blocks 9 to 9 of blocks were not exported'],
    [() => client.getBlock({ blockNumber: 12n }), '12 to 12 of transactions were not exported'],
    [() => client.getTransaction({ hash: unknown }), 'were not exported'],
    [() => client.getTransactionReceipt({ hash: unknown }), 'were not exported'],
    [() => client.getTransaction({ hash: IN_BLOCK_ALONE }), 'nonce of the transaction was not'],
    [() => client.getBlock({ blockTag: 'pending' }), 'do not say which block is pending'],
    [() => client.getChainId(), 'do not have the id of their chain'],
    [() => client.getTransactionCount({ address: HOLDER }), 'records have no state'],
  ];
  for (const [call, reason] of refusals) await expect(call()).rejects.toThrow(reason);
});
