import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeAbiParameters, encodeFunctionData } from 'viem';
import { MULTICALL, startedAnvil } from './chain.mjs';
import { compiled, MULTICALL_CODE } from './contracts.mjs';
import { assetKey } from './ledger.mjs';
import { randomOf } from './random.mjs';
import { nodeBalances, recordsOf } from './records.mjs';
import { hex, result, results } from './rpc.mjs';
import { listening } from './service.mjs';
import { pipelineFile, windrow } from './windrow.mjs';
import { witness } from './witness.mjs';

/**
 * Goal: many addresses with five assets each cost few requests to a node, with Multicall3 and
 * without it, and give the balances of single calls. Run: npm ci --prefix test/anvil && npm run
 * build && node test/reconcile/cost.mjs [ADDRESSES [--keep]].
 */

const ADDRESSES = Number(process.argv[2] ?? 1000);
const MOST_REQUESTS = 60;
const COINS = ['hay', 'usdr', 'odd'];
const PER_BLOCK = 100;
const PEAK = 'process.on("exit", () => console.error("peak", process.resourceUsage().maxRSS))';

const failures = [];
const folder = await mkdtemp(join(tmpdir(), 'windrow-cost-'));
const { url, stop } = await startedAnvil();
try {
  await measure();
} finally {
  stop();
  if (process.argv.includes('--keep')) process.stdout.write(`${folder}\n`);
  else await rm(folder, { recursive: true, force: true });
}
process.stdout.write(failures.map((failure) => `FAILED: ${failure}\n`).join(''));
process.exitCode = failures.length === 0 ? 0 : 1;

async function measure() {
  const { tokens, addresses, head } = await filled();
  const world = await recordsOf(url, head, tokens, new Set());
  const service = await listening(world);
  const options = { service: service.url, addresses, from: 2, to: head - 6 };
  const data = join(folder, 'data');
  const run = await windrow('run', await pipelineFile(folder, options), '--data', data);
  if (run.code !== 0) throw new Error(`${run.out}${run.said}`);
  const expected = await singleBalances(addresses, tokens, options.to);
  process.env.NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(PEAK)}`;
  for (const name of ['with Multicall3', 'without Multicall3']) {
    const hidden = (method, _params, answer) => (method === 'eth_getCode' ? '0x' : answer);
    const node = await witness(url, name.startsWith('without') ? { changes: hidden } : {});
    const pipeline = await pipelineFile(folder, { ...options, witnesses: [node.url] });
    const { code, out, said } = await windrow('reconcile', pipeline, '--data', data, '--json');
    node.close();
    if (code !== 0) failures.push(`windrow reconcile ended with ${code}: ${said}`);
    const rows = JSON.parse(out).reconciliations.filter(({ address }) => address !== null);
    const wrong = rows.filter((row) => row.closing !== expected.get(slotOf(row)));
    if (rows.length !== expected.size) failures.push(`${rows.length} rows of ${expected.size}`);
    if (wrong.length > 0) {
      failures.push(`${wrong.length} balances are not those of single calls (${wrong[0].cause})`);
    }
    if (node.requests() > MOST_REQUESTS) failures.push(`${node.requests()} requests`);
    // Nonces stay single calls.
    const isSingle = node.total() > 3 * ADDRESSES + 50;
    if (isSingle !== name.startsWith('without')) failures.push(`${node.total()} calls`);
    const [, peak] = /peak (\d+)/.exec(said) ?? [];
    const figures = `${node.requests()} requests, ${node.total()} calls, ${Math.round(peak / 1024)} MB`;
    process.stdout.write(`${ADDRESSES} addresses x 5 assets, ${name}: ${figures}\n`);
  }
  service.close();
}

/** A chain on which every address has received ether and each coin. */
async function filled() {
  const random = randomOf(51);
  const addresses = Array.from({ length: ADDRESSES }, () => random.address());
  const [deployer] = await result(url, 'eth_accounts');
  await result(url, 'anvil_setCode', MULTICALL, MULTICALL_CODE);
  let [head, nonce, waiting] = [0, 0, []];
  const mine = async () => {
    await results(url, waiting);
    await result(url, 'evm_mine');
    [head, waiting] = [head + 1, []];
  };
  const send = async (transaction) => {
    const shared = { from: deployer, gas: hex(3_000_000), nonce: hex(nonce) };
    waiting.push(['eth_sendTransaction', { ...shared, ...transaction }]);
    nonce += 1;
    if (waiting.length === PER_BLOCK) await mine();
  };
  const tokens = [];
  const { Coin, Router } = compiled();
  const deployed = async (data) => {
    await send({ data });
    await mine();
    const [hash] = (await result(url, 'eth_getBlockByNumber', 'latest', false)).transactions;
    return (await result(url, 'eth_getTransactionReceipt', hash)).contractAddress.toLowerCase();
  };
  const router = await deployed(Router.creation);
  for (const symbol of COINS) {
    const inputs = encodeAbiParameters([{ type: 'string' }, { type: 'uint8' }], [symbol, 6]);
    const address = await deployed(Coin.creation + inputs.slice(2));
    tokens.push({ address, standard: 'token_20', places: 6, symbol });
  }
  for (const address of addresses) {
    await send({ to: address, value: hex(random.amount(18) + 1n), gas: hex(30_000) });
    for (const { address: to } of tokens) {
      const args = [address, random.amount(9) + 1n];
      const data = encodeFunctionData({ abi: Coin.abi, functionName: 'mint', args });
      await send({ to, data, gas: hex(100_000) });
    }
  }
  // The list of internal transactions is complete where it shows records until its end.
  for (const to of addresses.slice(0, 10)) {
    const data = encodeFunctionData({ abi: Router.abi, functionName: 'forward', args: [to] });
    await send({ to: router, data, value: hex(1), gas: hex(100_000) });
    await mine();
  }
  return { tokens, addresses, head };
}

function slotOf({ address, asset_kind: kind, token_address: token }) {
  return `${address} ${assetKey({ kind, token })}`;
}

async function singleBalances(addresses, tokens, height) {
  const balanceOf = nodeBalances(url);
  const assets = [{ kind: 'native' }, { kind: 'nonce' }];
  for (const { address } of tokens) assets.push({ kind: 'token_20', token: address, id: null });
  const balances = new Map();
  for (const address of addresses) {
    for (const asset of assets) {
      const balance = await balanceOf(asset, address, height);
      balances.set(`${address} ${assetKey(asset)}`, String(balance));
    }
  }
  return balances;
}
