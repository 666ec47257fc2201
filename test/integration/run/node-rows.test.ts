import { beforeAll, expect, test } from 'vitest';
import type { WireRecord } from '../../../src/catalogue/record.ts';
import { reconcileRun } from '../../../src/run/shell/reconcile-run.ts';
import { windrow } from '../../e2e/command-line.ts';
import { internal, LIST, type SmallLake, TOKEN_20, transfer } from '../../fixtures/load-lake.ts';
import { ReconciledLake } from '../../fixtures/reconciled-lake.ts';

/**
 * Goal: a movement that no list of the service has becomes a row of the node under a source of its
 * own, makes the ledger agree, and goes with its block or when a list has the movement.
 */

const OWN = `0x${'a'.repeat(40)}`;
const OTHER = `0x${'b'.repeat(40)}`;
const TOKEN = `0x${'c'.repeat(40)}`;
const LISTED = `0x${'1'.repeat(64)}`;
const CALL = `0x${'2'.repeat(64)}`;
const EVENT = `0x${'3'.repeat(64)}`;
const blockHash = (height: number) => `0x${String(height).padStart(64, '0')}`;
const word = (address: string) => `0x${address.slice(2).padStart(64, '0')}`;
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** Balances change in block 40 (5 of the token), 50 (3 wei of a call) and 60 (2 of the token). */
const HASHES: Readonly<Record<number, string>> = {
  ...{ 40: LISTED, 50: CALL, 60: EVENT },
  ...{ 80: `0x${'5'.repeat(64)}`, 90: `0x${'6'.repeat(64)}` },
};
/** Later, there are two equal events in block 80, and one in block 90, which has changed since. */
let hasMore = false;

function event(height: number, amount: number, logIndex = '0x1') {
  const topics = [TRANSFER, word(OTHER), word(OWN)];
  const data = `0x${String(amount).padStart(64, '0')}`;
  const place = { blockNumber: `0x${height.toString(16)}`, logIndex };
  return { ...place, address: TOKEN, topics, data, transactionHash: HASHES[height] };
}

function resultOf(method: string, [first, second]: readonly unknown[]): unknown {
  const height = Number(typeof first === 'string' ? first : second);
  switch (method) {
    case 'eth_chainId':
    case 'web3_clientVersion':
      return '0x1';
    case 'eth_blockNumber':
      return '0x3e8';
    case 'eth_getTransactionCount':
      return '0x0';
    case 'eth_getCode':
      return '0x';
    case 'eth_getBalance':
      return Number(second) < 50 ? '0x0' : '0x3';
    case 'eth_call': {
      if (!JSON.stringify(first).includes('70a08231')) return undefined;
      const more = !hasMore || height < 80 ? 0 : height < 90 ? 6 : 10;
      const balance = (height < 40 ? 0 : height < 60 ? 5 : 7) + more;
      return `0x${String(balance).padStart(64, '0')}`;
    }
    case 'eth_getLogs': {
      const { fromBlock, toBlock, topics } = first as Readonly<Record<string, unknown>>;
      if ((topics as readonly unknown[])[1] === word(OWN)) return [];
      const more = [event(80, 3), event(80, 3, '0x2'), event(90, 4)];
      const all = [event(40, 5), event(60, 2), ...(hasMore ? more : [])];
      return all.filter(({ blockNumber: at }) => {
        return Number(at) >= Number(fromBlock) && Number(at) <= Number(toBlock);
      });
    }
    case 'eth_getBlockByNumber': {
      const hash = HASHES[height];
      const whole = { hash, from: OTHER, to: OTHER, value: '0x0' };
      const isGone = hash === undefined || (height === 90 && second !== true);
      const transactions = isGone ? [] : [second === true ? whole : hash];
      return { hash: blockHash(height), timestamp: '0x6553f100', transactions };
    }
    case 'eth_getBlockReceipts':
      return [];
    case 'trace_block': {
      if (height !== 50) return [];
      const action = { callType: 'call', from: OTHER, to: OWN, value: '0x3' };
      return [{ type: 'call', action, transactionHash: CALL, traceAddress: [0] }];
    }
    default:
      return undefined;
  }
}

let world: ReconciledLake;
let small: SmallLake;

const listedTransfer = (height: number, amount: string) => {
  const place = { txId: HASHES[height], blockHash: blockHash(height), height: String(height) };
  return transfer({ ...place, from: OTHER, to: OWN, tokenContractAddress: TOKEN, amount });
};

async function landNode(path: string, record: WireRecord): Promise<void> {
  const height = Number(record['height']);
  const walk = { from: height, to: height, status: 'truncated' as const };
  await small.land(path, { keys: [String(record['txId'])], ...walk, records: [record] });
}

beforeAll(async () => {
  world = await ReconciledLake.open(OWN, resultOf);
  small = world.small;
  const records = [listedTransfer(40, '5')];
  await small.land(LIST.tokens, { keys: [OWN], params: TOKEN_20, records });
  await small.publish();
});

async function reconciled(addsNodeRows = false) {
  world.passHour();
  const options = { ...world.options(), addsNodeRows };
  const { reconciliations, nodeRows, exitCode } = await reconcileRun(options);
  const rows = reconciliations.filter(({ address }) => address === OWN);
  const verdicts = rows.map(({ asset_kind: kind, verdict }) => `${kind} ${verdict}`).sort();
  return { verdicts, nodeRows, differs: exitCode === 4 };
}

const AGREES = {
  verdicts: ['native agrees', 'nonce agrees', 'token_20 agrees'],
  nodeRows: 0,
  differs: false,
};
const SOURCES = `SELECT tx_hash, amount_text, coverage_status, sources::VARCHAR AS sources
  FROM token_transfers UNION ALL SELECT tx_hash, amount_text, coverage_status, sources::VARCHAR
  FROM internal_transactions ORDER BY tx_hash`;
const listedRow = [LISTED, '5', 'complete', '[mainchain/address/token-transaction-list]'];
const callRow = [CALL, '0.000000000000000003', 'truncated', '[witness/internal-transactions]'];
const eventRow = [EVENT, '2', 'truncated', '[witness/token-transfers]'];

test('movements that no list has become rows of the node, and the ledger agrees', async () => {
  const verdicts = ['native differs', 'nonce agrees', 'token_20 differs'];
  expect(await reconciled()).toEqual({ verdicts, nodeRows: 0, differs: true });
  expect(await small.rows(SOURCES)).toEqual([listedRow]);

  expect(await reconciled(true)).toEqual({ verdicts, nodeRows: 2, differs: true });
  expect(await small.rows(SOURCES)).toEqual([listedRow, callRow, eventRow]);
  expect(await reconciled(true)).toEqual(AGREES);

  const checks = await windrow(['check', '--data', small.root]);
  expect(checks.stdout).toContain(
    `The token_transfers of ${EVENT} in block 60 are truncated: the lists of the service lack`,
  );
  expect(checks.stdout).not.toContain('orphans:');
  const { stdout } = await windrow(['forget', OWN, '--dry-run', '--json', '--data', small.root]);
  const { plan } = JSON.parse(stdout) as {
    plan: { lookUps: { endpoint: string; rows: number }[] };
  };
  expect(plan.lookUps.map(({ endpoint, rows }) => [endpoint, rows])).toEqual([
    ['witness/internal-transactions', 1],
    ['witness/token-transfers', 1],
  ]);
});

test('the row of a list takes the place of that of the node', async () => {
  const records = [listedTransfer(60, '2')];
  await small.land(LIST.tokens, { keys: [OWN], params: TOKEN_20, from: 60, to: 60, records });
  await small.publish();
  const both = '[mainchain/address/token-transaction-list, witness/token-transfers]';
  const row = [EVENT, '2', 'complete', both];
  const checks = await windrow(['check', '--data', small.root]);
  expect(checks.stdout).toContain(`The internal_transactions of ${CALL} in block 50 are truncated`);
  expect(checks.stdout).not.toContain(EVENT);
  expect(await small.rows(SOURCES)).toEqual([listedRow, callRow, row]);
  expect(await reconciled()).toEqual(AGREES);
});

test('a row of the node hides no copy of a record of the service', async () => {
  const call = {
    ...{ txId: `0x${'4'.repeat(64)}`, blockHash: blockHash(170), height: '170' },
    ...{ from: OTHER, to: OWN, amount: '1', operation: 'call', state: 'success' },
  };
  const listed = internal(call);
  // The service does not stand by its list, and the node has one copy of two.
  const walk = { from: 170, to: 170, status: 'inconsistent' as const };
  await small.land(LIST.internal, { keys: [OWN], ...walk, records: [listed, listed] });
  await landNode('witness/internal-transactions', { ...call, transactionTime: '1700000000000' });
  const rows = `SELECT sources[1], count(*)::INTEGER FROM internal_transactions
    WHERE block_number = 170 GROUP BY ALL`;
  await small.publish();
  expect(await small.rows(rows)).toEqual([[LIST.internal, 2]]);
});

test('no row lands twice, and none of a transaction that has left its block', async () => {
  const walk = { from: 80, to: 80, records: [listedTransfer(80, '3')] };
  await small.land(LIST.tokens, { keys: [OWN], params: TOKEN_20, ...walk });
  await small.publish();
  hasMore = true;
  // The list of the service is complete, so its one copy is shown.
  expect(await reconciled(true)).toMatchObject({ nodeRows: 1, differs: true });
  expect(await reconciled(true)).toMatchObject({ nodeRows: 0, differs: true });
  const landed = `SELECT block_number::INTEGER FROM lake.token_transfers
    WHERE starts_with(_endpoint, 'witness/') ORDER BY 1`;
  expect(await small.rows(landed)).toEqual([[60], [80]]);
});

test('a reorganisation removes the rows of the node with their coverage', async () => {
  await small.lake.table('internal_transactions').reorganised(50);
  await small.publish();
  const hashes = (await small.rows(SOURCES)).map(([hash]) => hash);
  expect(hashes).not.toContain(CALL);
  expect(hashes).toEqual(expect.arrayContaining([LISTED, EVENT]));
  const open = `FROM lake.coverage WHERE endpoint = 'witness/internal-transactions'`;
  expect(await small.rows(open)).toEqual([]);
});
