import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { encodeAbiParameters, encodeFunctionData } from 'viem';
import { compiled, MULTICALL_CODE } from './contracts.mjs';
import { randomOf } from './random.mjs';
import { hex, result, results } from './rpc.mjs';

/** A chain of anvil, filled by transactions of a seed. */

const ANVIL = fileURLToPath(
  new URL('../anvil/node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil', import.meta.url),
);
const BLOCK_TRANSACTIONS = 10;
/** The address at which Multicall3 is deployed on most chains. */
export const MULTICALL = '0xca11bde05977b3631167028862be2a173976ca11';
const MULTICALL_BLOCK = 40;
/**
 * The newest blocks, which a followed address mines: no list shows its rewards. The calls for one
 * asset suffice to see that nothing else differs behind so few.
 */
const REWARDED_BLOCKS = 2;
const NOBODY = `0x${'0'.repeat(40)}`;
const CRATE_IDS = [0n, 1n, 7n, 2n ** 255n + 3n];
const GWEI = 10n ** 9n;
const ETHER = 10n ** 18n;

/**
 * Starts anvil and sends the transactions. Returns its address, the followed addresses, the
 * contracts by name with their classes, and a function that stops it.
 */
export async function filledChain({ seed, transactions, followedCount }) {
  const { url, stop } = await startedAnvil();
  try {
    return { url, stop, ...(await filled(url, { seed, transactions, followedCount })) };
  } catch (error) {
    stop();
    throw error;
  }
}

/** A node of an empty chain, which mines only on request. */
export async function startedAnvil() {
  const anvil = spawn(ANVIL, [
    ...['--port', '0', '--no-mining', '--order', 'fifo', '--accounts', '40'],
    ...['--balance', '1000000', '--timestamp', '1700000000', '--gas-limit', '60000000'],
  ]);
  let text = '';
  for await (const part of anvil.stdout) {
    text += part;
    const [, address] = /Listening on (\S+)/.exec(text) ?? [];
    if (address === undefined) continue;
    anvil.stdout.resume();
    return { url: `http://${address}`, stop: () => anvil.kill() };
  }
  throw new Error(`anvil did not start: ${text}`);
}

async function filled(url, { seed, transactions, followedCount }) {
  const random = randomOf(seed);
  const code = compiled();
  const accounts = (await result(url, 'eth_accounts')).map((name) => name.toLowerCase());
  await result(url, 'anvil_setBlockTimestampInterval', 12);
  await result(url, 'anvil_setCoinbase', NOBODY);

  const nonces = new Map(accounts.map((account) => [account, 0]));
  const waiting = [];
  let block = 0;
  let sent = 0;
  const mine = async () => {
    await results(
      url,
      waiting.splice(0).map((body) => ['eth_sendTransaction', body]),
    );
    await result(url, 'evm_mine');
    block += 1;
  };
  const send = (from, to, { value = 0n, data = '0x', gas = 400_000 } = {}) => {
    const nonce = nonces.get(from);
    nonces.set(from, nonce + 1);
    const tip = BigInt(1 + random.below(3000)) * 10n ** 6n;
    const price = random.chance(0.3)
      ? { gasPrice: hex(20n * GWEI + tip) }
      : { maxFeePerGas: hex(50n * GWEI), maxPriorityFeePerGas: hex(tip) };
    waiting.push({
      ...{ from, data, value: hex(value), gas: hex(gas), nonce: hex(nonce), ...price },
      ...(to === undefined ? {} : { to }),
    });
    sent += 1;
  };

  // Deployments, by an account that nobody follows.
  const [deployer] = accounts.slice(-1);
  const contracts = {};
  const deploy = async (contract, name, ...args) => {
    const { abi, creation } = code[contract];
    const inputs = abi.find(({ type }) => type === 'constructor')?.inputs ?? [];
    const data = creation + encodeAbiParameters(inputs, args).slice(2);
    send(deployer, undefined, { data, gas: 5_000_000 });
    await mine();
    const [hash] = (await result(url, 'eth_getBlockByNumber', 'latest', false)).transactions;
    const { contractAddress } = await result(url, 'eth_getTransactionReceipt', hash);
    contracts[name] = { address: contractAddress.toLowerCase(), abi };
  };
  await deploy('Coin', 'hay', 'HAY', 18);
  await deploy('Coin', 'usdr', 'USDR', 6);
  await deploy('Odd', 'odd', 'ODD');
  await deploy('Toll', 'toll', 'TOLL');
  await deploy('Tide', 'tide', 'TIDE');
  await deploy('Bait', 'bait', 'BAIT');
  await deploy('Deed', 'deed');
  await deploy('Crate', 'crate');
  await deploy('Router', 'router');
  await deploy('Router', 'till');
  await deploy('Router', 'desk');
  await deploy('Bomb', 'bomb');
  await deploy('Bomb', 'mine');
  const call = (from, name, functionName, args, options = {}) => {
    const { address, abi } = contracts[name];
    send(from, address, { ...options, data: encodeFunctionData({ abi, functionName, args }) });
  };

  const houses = ['router', 'till', 'bomb', 'hay', 'mine'].map((name) => contracts[name].address);
  const people = accounts.slice(0, followedCount - houses.length);
  const followed = [...people, ...houses];
  const outsiders = accounts.slice(people.length, -1);
  const strangers = Array.from({ length: 60 }, () => random.address());
  const anyone = () => {
    const kind = random.below(100);
    if (kind < 45) return random.pick(people);
    return kind < 60 ? random.pick(outsiders) : random.pick(strangers);
  };
  const sender = () => (random.chance(0.8) ? random.pick(people) : random.pick(outsiders));

  // Everybody has something of everything.
  const FUNGIBLE = ['hay', 'usdr', 'odd', 'toll', 'tide'];
  for (const owner of [...people, ...outsiders]) {
    for (const name of FUNGIBLE) call(deployer, name, 'mint', [owner, 10n ** 24n]);
    const plenty = CRATE_IDS.map(() => 10n ** 9n);
    call(deployer, 'crate', 'moveAll', [NOBODY, owner, CRATE_IDS, plenty]);
    if (waiting.length >= BLOCK_TRANSACTIONS) await mine();
  }
  for (const house of houses.slice(0, 2)) send(deployer, house, { value: 5000n * ETHER });
  await mine();

  const deeds = [];
  const value = () => random.amount(19);
  const OPERATIONS = [
    [26, () => send(sender(), anyone(), { value: value(), gas: 90_000 })],
    [2, () => send(sender(), random.pick(houses), { value: value(), gas: 90_000 })],
    [1, () => send(sender(), anyone(), { gas: 90_000 })],
    [1, (from = sender()) => send(from, from, { value: value(), gas: 90_000 })],
    [10, () => call(sender(), 'hay', 'transfer', [anyone(), random.amount(20)])],
    [7, () => call(sender(), 'usdr', 'transfer', [anyone(), random.amount(9)])],
    [4, () => call(sender(), 'odd', 'transfer', [anyone(), random.amount(6)])],
    [2, () => call(sender(), 'hay', 'pull', [sender(), anyone(), random.amount(18)])],
    [1, (from = sender()) => call(from, 'hay', 'transfer', [from, random.amount(18)])],
    [2, () => call(sender(), 'usdr', 'spread', [[anyone(), anyone(), anyone()], random.amount(8)])],
    [1, () => call(sender(), 'hay', 'transfer', [anyone(), 10n ** 30n])],
    [4, () => call(sender(), 'toll', 'transfer', [anyone(), random.amount(20)])],
    [4, () => call(sender(), 'tide', 'transfer', [anyone(), random.amount(20)])],
    [1, () => call(deployer, 'tide', 'rise', [])],
    [2, () => call(deployer, 'bait', 'spread', [[anyone(), anyone()], random.amount(9)])],
    [6, () => moveDeed()],
    [4, () => call(sender(), 'crate', 'move', crated(random.pick(CRATE_IDS), random.amount(3)))],
    [
      3,
      () =>
        call(
          sender(),
          'crate',
          'moveAll',
          crated(
            someIds(),
            someIds().map(() => 3n),
          ),
        ),
    ],
    [4, () => call(sender(), 'desk', 'forward', [anyone()], { value: value() })],
    [2, () => call(sender(), 'router', 'forward', [anyone()], { value: value() })],
    [
      3,
      () => call(sender(), 'desk', 'split', [[anyone(), anyone(), anyone()]], { value: value() }),
    ],
    [2, () => call(sender(), 'router', 'pay', [anyone(), random.amount(17)])],
    [1, () => call(sender(), 'till', 'pay', [anyone(), random.amount(17)])],
    [2, () => call(sender(), 'desk', 'failing', [anyone()], { value: value() })],
    [
      2,
      () => call(sender(), 'desk', 'retry', [contracts.till.address, anyone()], { value: value() }),
    ],
    [
      2,
      () => call(sender(), 'desk', 'lend', [contracts.till.address, anyone()], { value: value() }),
    ],
    [1, () => call(sender(), 'desk', 'explode', [anyone()], { value: value() })],
    [1, () => call(sender(), 'desk', 'refill', [contracts.bomb.address], { value: value() })],
    [1, () => call(sender(), 'mine', 'boom', [anyone()])],
  ];
  const someIds = () => CRATE_IDS.slice(0, 3);
  const crated = (...rest) => [sender(), anyone(), ...rest];
  const moveDeed = () => {
    const deed = random.chance(0.3) || deeds.length === 0 ? undefined : random.pick(deeds);
    const to = anyone();
    const id = deed?.id ?? BigInt(deeds.length) * 10n ** 15n + 1n;
    call(sender(), 'deed', 'move', [deed?.owner ?? NOBODY, to, id]);
    if (deed === undefined) deeds.push({ id, owner: to });
    else deed.owner = to;
  };
  const wheel = OPERATIONS.flatMap(([weight, run]) => Array.from({ length: weight }, () => run));
  const last = Math.ceil((transactions - sent) / BLOCK_TRANSACTIONS) + block;
  while (sent < transactions) {
    if (block === MULTICALL_BLOCK) await result(url, 'anvil_setCode', MULTICALL, MULTICALL_CODE);
    if (block === last - REWARDED_BLOCKS) await result(url, 'anvil_setCoinbase', people[0]);
    for (let nth = 0; nth < BLOCK_TRANSACTIONS; nth += 1) random.pick(wheel)();
    await mine();
  }
  await result(url, 'anvil_setCoinbase', NOBODY);
  for (let nth = 0; nth < 10; nth += 1) await mine();
  return { head: block, followed, houses, contracts, sent, rewarded: people[0] };
}
