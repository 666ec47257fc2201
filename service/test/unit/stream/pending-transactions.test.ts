import { describe, expect, it } from 'vitest';
import { quietEffects } from '../../../../test/fixtures/quiet-effects.ts';
import { chainSource } from '../../../src/memory/chain-source.ts';
import type { PreconfirmedPart } from '../../../src/node/rpc-state.ts';
import { createService } from '../../../src/server/service.ts';
import { simulatedChain } from '../../../src/simulated/chain.ts';
import { listPendingTransactions } from '../../../src/stream/pending-transactions.ts';

/** Goal: transactions that the stream has announced are pending in lists until the head has them. */

const HEAD = 40;
const chain = simulatedChain({ seed: 'underway', head: HEAD });
const LIST = '/api/v5/mainchain/address/normal-transaction-list?chainShortName=MAINCHAIN';
const BY_HASH = '/api/v5/mainchain/transaction/transaction-multi?chainShortName=MAINCHAIN';
const coming = chain.recordsAt(HEAD + 1).transactions;
const [first] = coming;
const sender = String(first?.['from_address']);
const hash = String(first?.['tx_hash']);

type Wire = Readonly<Record<string, unknown>>;

function asking(part: PreconfirmedPart | undefined) {
  const source = chainSource(chain);
  const pending = listPendingTransactions({ chain, source, preconfirmed: () => part });
  const service = createService({ source: { ...source, pending }, effects: quietEffects() });
  const ask = async (target: string): Promise<Wire[]> => {
    const { body } = await service.answer({ method: 'GET', target, headers: {}, body: '' });
    return JSON.parse(body).data;
  };
  return { ask, source };
}

const told = (count: number, height = HEAD + 1): PreconfirmedPart => {
  return { height, count, blockHash: `0x${'ab'.repeat(32)}` };
};
const shown = async (ask: (target: string) => Promise<Wire[]>, target: string): Promise<Wire[]> => {
  const [page] = await ask(target);
  return page?.['transactionList'] as Wire[];
};

describe('preconfirmed transactions', () => {
  it('are pending when they are looked up, and have no block', async () => {
    const { ask } = asking(told(1));
    const time = chain.executedAt(HEAD).place.time;
    expect(await ask(`${BY_HASH}&txId=${hash}`)).toEqual([
      {
        txId: hash,
        blockHash: '',
        height: '',
        transactionTime: time,
        from: sender,
        to: first?.['to_address'] ?? '',
        isFromContract: false,
        isToContract: first?.['to_is_contract'],
        amount: first?.['amount'],
        symbol: first?.['symbol'],
        nonce: first?.['nonce'],
        gasLimit: first?.['gas_limit'],
        gasUsed: '',
        gasPrice: first?.['gas_price'],
        txFee: '',
        state: 'pending',
        transactionType: first?.['tx_type'],
        methodId: first?.['method_id'] ?? '',
      },
    ]);
  });

  it('stand before all others in a list that reaches beyond the head, page by page', async () => {
    const { ask } = asking(told(coming.length));
    const before = await shown(asking(undefined).ask, `${LIST}&address=${sender}&limit=50`);
    const list = await shown(ask, `${LIST}&address=${sender}&limit=50`);
    const added = list.length - before.length;
    expect(added).toBeGreaterThan(0);
    expect(list.slice(added)).toEqual(before);
    expect(list.slice(0, added).map(({ state }) => state)).toEqual(Array(added).fill('pending'));
    const pages = await Promise.all(
      list.map((_, at) => shown(ask, `${LIST}&address=${sender}&limit=1&page=${at + 1}`)),
    );
    expect(pages.flat()).toEqual(list);
    const [page] = await ask(`${LIST}&address=${sender}&limit=1`);
    expect(page?.['totalPage']).toBe(String(list.length));
    const beyond = `${LIST}&address=${sender}&limit=50&endBlockHeight=${HEAD + 1}`;
    expect(await shown(ask, beyond)).toEqual(list);
    const upToHead = `${LIST}&address=${sender}&limit=50&endBlockHeight=${HEAD}`;
    expect(await shown(ask, upToHead)).toEqual(before);
  });

  it('are not listed before they are announced, and have a block once the head has it', async () => {
    expect(await asking(told(0)).ask(`${BY_HASH}&txId=${hash}`)).toEqual([]);
    expect(await asking(told(1, HEAD)).ask(`${BY_HASH}&txId=${hash}`)).toEqual([]);
    const { ask, source } = asking(told(1));
    source.growTo(HEAD + 1);
    const [mined] = await ask(`${BY_HASH}&txId=${hash}`);
    expect(mined).toMatchObject({ height: String(HEAD + 1), state: first?.['tx_status'] });
  });
});
