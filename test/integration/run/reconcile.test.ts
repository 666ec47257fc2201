import { cp, rm } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { createExplorer } from '../../../service/src/explorer/explorer.ts';
import { query } from '../../../src/load/query/query.ts';
import { EVIDENCE_SQL, reconciliationMatrix } from '../../../src/load/query/reconciled.ts';
import { landReconciled } from '../../../src/run/reconcile/land-reconciled.ts';
import { reconcileIfDue, reconcileRun } from '../../../src/run/shell/reconcile-run.ts';
import { windrow } from '../../e2e/command-line.ts';
import { internal, LIST, type SmallLake, TOKEN_20, transfer } from '../../fixtures/load-lake.ts';
import { quietEffects } from '../../fixtures/quiet-effects.ts';
import { ReconciledLake } from '../../fixtures/reconciled-lake.ts';

/** Goal: a difference stays in sight until a comparison includes its block, and then it goes. */

const OWN = `0x${'a'.repeat(40)}`;
const GIFT = { height: '50', from: `0x${'b'.repeat(40)}`, to: OWN, amount: '0.000000000000000003' };

/** A node of a chain on which the address got 3 wei in block 50, and nothing else happened. */
function resultOf(method: string, [, tag]: readonly unknown[]): string | undefined {
  if (method === 'eth_chainId' || method === 'web3_clientVersion') return '0x1';
  if (method === 'eth_blockNumber') return '0x3e8';
  if (method === 'eth_getTransactionCount') return '0x0';
  if (method === 'eth_getBalance') return Number(tag) < 50 ? '0x0' : '0x3';
  return undefined;
}

let world: ReconciledLake;
let small: SmallLake;
beforeAll(async () => {
  world = await ReconciledLake.open(OWN, resultOf);
  small = world.small;
  await small.publish();
});

const options = (root?: string) => world.options('reconcile: { every: 1d, strict: true }', root);
const compared = async () => {
  world.passHour();
  const { reconciliations, findings, exitCode } = await reconcileRun(options());
  const [native] = reconciliations.filter(({ asset_kind: kind }) => kind === 'native');
  const blocks = findings.map(({ block_number: block }) => block);
  return { exitCode, verdict: native?.verdict, cause: native?.cause, blocks };
};
const open = () => small.rows('SELECT block_number, what FROM reconciliation_findings');
const isDue = async () => (await reconcileIfDue(options(), small.lake)) !== undefined;

/** The row of the address in the matrix, the evidence by dataset, and the page. */
async function shown() {
  const { warehouse } = small.lake.layout;
  const ask = async (sql: string) => (await query(warehouse, sql)).rows;
  const { titles, rows, addresses, assets } = await reconciliationMatrix(ask);
  const explorer = createExplorer({ warehouse, effects: quietEffects(), memoryBytes: 2 ** 29 });
  const { status, body } = await explorer.answer('/explore/reconciliations', '');
  await explorer.close();
  const row = rows.find(({ address }) => address === OWN);
  const cells = titles.map((title, at) => [title, row?.results[at]]);
  const evidence = (await ask(EVIDENCE_SQL)).map((row) => Object.values(row));
  return { cells, size: [addresses, assets], evidence, status, page: String(body) };
}

const VIEWS_OF_THE_CALL =
  'address_activity counterparties daily_address_summary internal_transactions token_balances';

test('a withdrawn block that differed stays a difference until it is read again', async () => {
  const differs = { exitCode: 4, verdict: 'differs', blocks: [50] };
  expect(await compared()).toMatchObject(differs);
  const sql = `SELECT DISTINCT from_block, to_block FROM coverage WHERE status = 'inconsistent'`;
  expect(await small.rows(sql)).toEqual([[50, 50]]);
  const before = await shown();
  expect(before).toMatchObject({ size: [2, 4], status: 200 });
  expect(before.cells).toContainEqual(['native', '50']);
  expect(before.cells).toContainEqual(['nonce', 'agrees']);
  expect(before.page).toContain('<a href="/explore/block/primary/50">50</a>');
  expect(before.page).toContain('199 blocks times addresses');

  const cause = 'block 50 differed, and is not complete since then';
  expect(await compared()).toMatchObject({ ...differs, cause });
  expect(await open()).toEqual([[50, 'unnamed']]);

  await small.land(LIST.internal, { keys: [OWN], from: 50, to: 50, records: [internal(GIFT)] });
  await small.publish();
  expect(await isDue()).toBe(true);
  expect(await open()).toEqual([]);
  expect(await isDue()).toBe(false);
  expect(
    await small.rows('SELECT DISTINCT verdict FROM reconciliations WHERE address IS NOT NULL'),
  ).toEqual([['agrees']]);
  const after = await shown();
  expect(after.cells).toContainEqual(['native', 'agrees']);
  expect(after.evidence).toEqual([
    ['internal_transactions', 100, 100],
    ['transactions', 100, 100],
  ]);
  expect(after.page).toContain('200 of them\ncomplete and reconciled.');
  for (const view of VIEWS_OF_THE_CALL.split(' '))
    expect(await small.rows(`SELECT reconciled FROM ${view}`), view).toEqual([[true]]);
  const status = await windrow(['status', '--data', small.root]);
  expect(status.stdout).toContain(
    'transactions: complete in 100 blocks times addresses, complete and reconciled in 100.',
  );
});

test('a copied data root gets a warehouse of its own, because the views name the first one', async () => {
  const copy = `${small.root}-copy`;
  await cp(small.root, copy, { recursive: true });
  const { reconciliations } = await reconcileRun(options(copy));
  expect(reconciliations.map(({ verdict }) => verdict)).toContain('agrees');
  await rm(copy, { recursive: true });
});

test('native value proves no movement without a contract, nor one token all of them', async () => {
  const nameless = transfer({ ...GIFT, tokenContractAddress: '' });
  await small.land(LIST.tokens, { keys: [OWN], params: TOKEN_20, records: [nameless] });
  await small.land(LIST.tokensOfContract, { keys: [OWN] });
  const evidence = async (kind: string, verdict: string) => {
    const range = { from_block: 0, to_block: 99 };
    const cells = { address: OWN, asset_kind: kind, token_address: '0x7', ...range };
    await landReconciled(small.lake, [{ ...cells, verdict }] as never, [], 1_800_000_000_000);
    await small.publish();
    const ofTransfers = `FROM coverage WHERE dataset = 'token_transfers'`;
    return (await small.rows(`SELECT evidence ${ofTransfers} ORDER BY key_kind`)).flat();
  };
  expect(await evidence('token_20', 'agrees')).toEqual(['reconciled', 'walk']);
  for (const view of ['address_activity', 'counterparties', 'token_balances']) {
    const proven = await small.rows(`SELECT reconciled FROM ${view} WHERE token_standard <> ''`);
    expect(proven, view).toEqual([[false]]);
  }
  const later = { params: TOKEN_20, readAtMs: 1_900_000_000_000 };
  await small.land(LIST.tokens, { keys: [OWN], ...later, records: [nameless] });
  expect(await evidence('token_20', 'agrees')).toEqual(['walk', 'walk']);
  await small.land(LIST.tokens, { keys: [OWN], params: TOKEN_20, records: [nameless] });
  expect(await evidence('token_404', 'differs')).toEqual(['walk', 'walk']);
});
