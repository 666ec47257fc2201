import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPublicClient, createTestClient, createWalletClient, http, parseEther } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';

/**
 * Goal: a capture of the pending state of a real EVM node equals the values that viem reads from the
 * node, before and after a block is sealed. Run: npm ci --prefix test/anvil && npm run test:anvil.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ANVIL = join(ROOT, 'test/anvil/node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil');
const MNEMONIC = 'test test test test test test test test test test test junk';
/** Deploys a contract that returns its own balance for any call. */
const CREATION = '0x684760005260206000f360005260096017f3';

const failures = [];
const equal = (what, actual, expected) => {
  const [left, right] = [actual, expected].map((value) => JSON.stringify(value));
  if (left !== right) failures.push(`${what}: ${left} in the lake, ${right} from viem`);
};

const folder = await mkdtemp(join(tmpdir(), 'windrow-anvil-'));
const anvil = spawn(ANVIL, ['--port', '0', '--no-mining', '--mnemonic', MNEMONIC]);
try {
  const url = await listening();
  await check(url);
} finally {
  anvil.kill();
  await once(anvil, 'exit');
  await rm(folder, { recursive: true, force: true });
}
const verdict = failures.length === 0 ? 'The pending state of anvil equals the lake.' : 'FAILED';
process.stdout.write(`${[...failures, verdict].join('\n')}\n`);
process.exitCode = failures.length === 0 ? 0 : 1;

async function listening() {
  let text = '';
  for await (const part of anvil.stdout) {
    text += part;
    const [, address] = /Listening on (\S+)/.exec(text) ?? [];
    if (address !== undefined) {
      anvil.stdout.resume();
      return `http://${address}`;
    }
  }
  throw new Error(`anvil did not start: ${text}`);
}

async function check(url) {
  const transport = http(url);
  const client = createPublicClient({ transport, chain: foundry });
  const miner = createTestClient({ transport, chain: foundry, mode: 'anvil' });
  const [sender, receiver] = [0, 1].map((addressIndex) => {
    return mnemonicToAccount(MNEMONIC, { addressIndex });
  });
  const wallet = createWalletClient({ transport, chain: foundry, account: sender });

  const creation = await wallet.sendTransaction({ data: CREATION, gas: 200_000n });
  await miner.mine({ blocks: 1 });
  const { contractAddress } = await client.getTransactionReceipt({ hash: creation });
  const hashes = [];
  for (const [nonce, to] of [receiver.address, contractAddress].entries()) {
    const value = parseEther(`${nonce + 1}.000000000000000001`);
    hashes.push(await wallet.sendTransaction({ to, value, nonce: nonce + 1, gas: 100_000n }));
  }

  const addresses = [sender, receiver].map(({ address }) => address.toLowerCase()).sort();
  await writeFile(
    join(folder, 'calls.csv'),
    `contract,function,arguments\n${contractAddress},held()(uint256),\n`,
  );
  await writeFile(
    join(folder, 'pending.yaml'),
    `version: 1
name: anvil
source: { url: "${url}", chain: MAINCHAIN, credentials: none, rate: { startPerSecond: 100, maxPerSecond: 100 } }
keys: { addresses: { list: ${JSON.stringify(addresses)} } }
commit: { rows: 1, slices: 1, seconds: 1 }
pending: { url: "${url}", every: 1s, reads: [block, balances, nonces, receipts, calls: calls.csv] }
`,
  );

  const before = await state(client, 'pending', addresses, contractAddress);
  const height = Number((await client.getBlock({ blockTag: 'pending' })).number);
  const running = spawn(process.execPath, [
    join(ROOT, 'dist/cli/main.js'),
    ...['run', join(folder, 'pending.yaml'), '--data', join(folder, 'lake'), '--for', '8s'],
  ]);
  let said = '';
  for (const out of [running.stdout, running.stderr]) out.on('data', (part) => (said += part));
  const ended = once(running, 'exit');
  while (running.exitCode === null && !(await hasLanded())) await pause(100);
  await miner.mine({ blocks: 1 });
  const [code] = await ended;
  if (code !== 0) throw new Error(`windrow ended with ${code}: ${said}`);
  const after = await state(client, BigInt(height), addresses, contractAddress);

  equal('the pending state', lakeState('pending', height), before);
  equal('the settled state', lakeState('settled', height), after);
  const receipts = await Promise.all(hashes.map((hash) => client.getTransactionReceipt({ hash })));
  equal(
    'settled receipts',
    rowsOf(
      `SELECT tx_hash, in_block::VARCHAR, tx_status, gas_used::VARCHAR FROM lake.pending_receipts
       WHERE tag = 'settled' AND block_number = ${height} ORDER BY tx_index`,
    ),
    receipts.map(({ transactionHash, blockNumber, status, gasUsed }) => {
      return [transactionHash, String(blockNumber), status, String(gasUsed)];
    }),
  );
  const compared = rowsOf(
    `SELECT what, agrees FROM pending_vs_settled WHERE what IN ('nonce', 'call')
     AND block_number = ${height} AND agrees IS NOT NULL`,
  );
  equal('values that were compared', compared.length, addresses.length + 1);
}

/** Balances, next nonces, the result of the call and the transactions, by viem alone. */
async function state(client, block, addresses, to) {
  const at = typeof block === 'bigint' ? { blockNumber: block } : { blockTag: block };
  const balances = [];
  const nonces = [];
  for (const address of addresses) {
    balances.push(String(await client.getBalance({ address, ...at })));
    nonces.push(String(await client.getTransactionCount({ address, ...at })));
  }
  const { data } = await client.call({ to, data: '0x', ...at });
  const { transactions } = await client.getBlock(at);
  return { balances, nonces, call: String(BigInt(data)), hashes: transactions.join() };
}

/** The same from the first reading of the height. */
function lakeState(tag, height) {
  const first = (subject, value, table) =>
    rowsOf(
      `SELECT ${subject} AS subject, arg_min(${value}, read_at) AS first_value FROM lake.${table}
       WHERE tag = '${tag}' AND block_number = ${height} GROUP BY 1 ORDER BY 1`,
    ).map(([, shown]) => shown);
  return {
    balances: first('address', 'balance_raw', 'pending_balances'),
    nonces: first('address', 'next_nonce::VARCHAR', 'pending_nonces'),
    call: first('call_data', 'value_text', 'pending_calls')[0],
    hashes: first('tag', 'tx_hashes', 'pending_blocks')[0],
  };
}

/** Whether the first reading has been committed. */
async function hasLanded() {
  const log = join(folder, 'lake/lake/MAINCHAIN/pending_blocks/_delta_log');
  return (await readdir(log).catch(() => [])).length > 0;
}

function rowsOf(sql) {
  const args = [join(ROOT, 'dist/cli/main.js'), 'query', sql, '--json'];
  args.push('--data', join(folder, 'lake'));
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout).map((row) => Object.values(row));
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
