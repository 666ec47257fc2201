import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filledChain } from './chain.mjs';
import { assetKey, assetOf, sums } from './ledger.mjs';
import { nodeBalances, recordsOf } from './records.mjs';
import { listening } from './service.mjs';
import { lakeSums, pipelineFile, windrow } from './windrow.mjs';

/**
 * Goal: the ledger of windrow, over a service whose lists come from the chain of a real EVM node,
 * has the balances of the node. Run: npm ci --prefix test/anvil && npm run test:reconcile --
 * [--whole] [--seed N] [--keep].
 */

const argument = (name, other) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? other : Number(process.argv[at + 1]);
};
const isWhole = process.argv.includes('--whole');
const SEED = argument('seed', 51);
const TRANSACTIONS = argument('transactions', isWhole ? 5000 : 1500);
const FOLLOWED = 30;

const TOKENS = {
  hay: ['token_20', 18],
  usdr: ['token_20', 6],
  odd: ['token_20', 0],
  toll: ['token_20', 18, 'token moves without transfers'],
  tide: ['token_20', 18, 'token moves without transfers'],
  bait: ['token_20', 6, 'transfer without a move'],
  deed: ['token_721', 0],
  crate: ['token_1155', 0],
};

let passed = 0;
const failures = [];
const check = (title, problems) => {
  if (problems.length === 0) passed += 1;
  else failures.push(title);
  const lines = problems.slice(0, 12).map((each) => `  ${each}`);
  const more = problems.length > 12 ? [`  and ${problems.length - 12} more`] : [];
  const word = problems.length === 0 ? 'ok' : 'FAILED';
  process.stdout.write(`${[`${word}: ${title}`, ...lines, ...more].join('\n')}\n`);
};
const note = (text) => process.stdout.write(`${text}\n`);

const folder = await mkdtemp(join(tmpdir(), 'windrow-reconcile-'));
note(`reconcile: seed ${SEED}`);
const chain = await filledChain({
  seed: SEED,
  transactions: TRANSACTIONS,
  followedCount: FOLLOWED,
});
try {
  await judge();
} finally {
  chain.stop();
  if (process.argv.includes('--keep')) note(folder);
  else await rm(folder, { recursive: true, force: true });
}
note(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;

async function judge() {
  const tokens = Object.entries(TOKENS).map(([name, [standard, places, cause]]) => {
    const { address } = chain.contracts[name];
    return { address, standard, places, cause, symbol: name.toUpperCase() };
  });
  const contracts = new Set(Object.values(chain.contracts).map(({ address }) => address));
  const world = await recordsOf(chain.url, chain.head, tokens, contracts);
  const to = chain.head - 6;
  note(`${chain.sent} transactions in ${chain.head} blocks; ${world.records.length} records`);

  // The world itself: lists and node agree but for the classes that cannot.
  const truth = await truthOf(world, tokens, to);
  const odd = [...truth.values()].filter(({ difference, cause }) => {
    return (difference !== 0n) !== (cause !== undefined);
  });
  check('the lists of the service and the node agree but for known classes', odd.map(shown));

  const clean = await landed('clean', world.records, world.blocks, to);
  const lake = await lakeSums(clean.data);
  check('the ledger of windrow is the one of the lists', ledgerProblems(lake, truth, tokens));
}

/** Each followed address and asset, with its sums, balances and class. */
async function truthOf(world, tokens, to) {
  const moved = sums(world.records, 0, to);
  const balanceOf = nodeBalances(chain.url);
  const found = new Map();
  for (const address of chain.followed) {
    const always = ['native', 'nonce'].map((kind) => assetKey({ kind }));
    const ofAddress = moved.get(address) ?? new Map();
    for (const key of new Set([...always, ...ofAddress.keys()])) {
      const asset = assetOf(key);
      const opening = await balanceOf(asset, address, 0);
      const closing = await balanceOf(asset, address, to);
      const sum = ofAddress.get(key) ?? 0n;
      const difference = closing - opening - sum;
      const token = tokens.find((each) => each.address === asset.token);
      const isRewarded = key === always[0] && address === chain.rewarded;
      const isContract = key === always[1] && difference !== 0n;
      const cause = isRewarded
        ? 'rewards or withdrawals'
        : isContract
          ? 'contract nonce'
          : difference === 0n
            ? undefined
            : token?.cause;
      found.set(`${address} ${key}`, {
        address,
        key,
        opening,
        closing,
        moved: sum,
        difference,
        cause,
      });
    }
  }
  return found;
}

function shown({ address, key, difference, cause = 'no class' }) {
  return `${address} ${key}: differs by ${difference}, ${cause}`;
}

/** Exports the lists into a data root of its own. */
async function landed(name, records, blocks, to) {
  const data = join(folder, name);
  const service = await listening({ records, blocks });
  try {
    const pipeline = await pipelineFile(folder, {
      service: service.url,
      addresses: chain.followed,
      to,
    });
    const { code, said, out } = await windrow('run', pipeline, '--data', data);
    // Its checks see gaps between nonces without a node, and then it ends with 4.
    if (code !== 0 && code !== 4) throw new Error(`windrow run ended with ${code}: ${out}${said}`);
  } finally {
    service.close();
  }
  return { records, blocks, data, to };
}

function ledgerProblems(lake, truth, tokens) {
  const problems = [];
  const left = new Map(
    [...truth].filter(([, { key, moved }]) => moved !== 0n && key !== 'nonce||'),
  );
  const rest = new Map();
  for (const { address, kind, token_address, token_id, amounts, unknown } of lake) {
    const id = kind === 'token_1155' ? token_id : null;
    const slot = `${address} ${assetKey({ kind, token: token_address, id })}`;
    if (Number(unknown) !== 0) problems.push(`${slot}: ${unknown} unknown amounts`);
    const places = tokens.find((each) => each.address === token_address)?.places ?? 18;
    const sum = amounts.reduce(
      (total, text) => total + (text === null ? 0n : raw(text, places)),
      0n,
    );
    rest.set(slot, (rest.get(slot) ?? 0n) + sum);
  }
  for (const [slot, { moved }] of left) {
    if (rest.get(slot) !== moved)
      problems.push(`${slot}: ${rest.get(slot)} in the lake, not ${moved}`);
  }
  return problems;
}

function raw(text, places) {
  const [whole, fraction = ''] = text.replace('-', '').split('.');
  const units = BigInt(whole + fraction.padEnd(places, '0'));
  return text.startsWith('-') ? -units : units;
}
