import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filledChain } from './chain.mjs';
import { faultsIn } from './faults.mjs';
import { blockProblems, callProblems, documentProblems, falseAgreements } from './judge.mjs';
import { assetKey, assetOf, ledgerProblems, sums } from './ledger.mjs';
import { nodeBalances, recordsOf } from './records.mjs';
import { listening } from './service.mjs';
import { assetsReconciled, lakeSums, nodeRows, pipelineFile, windrow } from './windrow.mjs';
import { KINDS, witness } from './witness.mjs';

/**
 * Goal: `windrow reconcile` finds exactly the movements that an explorer has wrong, and explains the
 * balances of tokens that move without transfers, over a real EVM node. Run: npm ci --prefix
 * test/anvil && npm run test:reconcile -- [--whole] [--seed N] [--keep].
 */

const argument = (name, other) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? other : Number(process.argv[at + 1]);
};
const isWhole = process.argv.includes('--whole');
const SEED = argument('seed', 51);
const TRANSACTIONS = argument('transactions', isWhole ? 5000 : 1200);
const FAULTS = argument('faults', isWhole ? 200 : 30);
const FOLLOWED = 30;
/** Most faults that one data root has; each changes other assets of other addresses. */
const ROUND_FAULTS = 50;
const LATE_BLOCK = 60;

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
let written = 0;
const failures = [];
const check = (title, problems) => {
  if (problems.length === 0) passed += 1;
  else failures.push(title);
  const lines = problems.slice(0, 12).map((line) => `  ${line}`);
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
  note(`${chain.sent} transactions in ${chain.head} blocks; ${world.records.length} records`);

  // The world itself: lists and node agree but for the classes that cannot.
  const whole = { from: 0, to: chain.head - 6 };
  const truth = await truthOf(world, tokens, whole);
  const odd = [...truth.values()].filter(({ difference, cause }) => {
    return (difference !== 0n) !== (cause !== undefined);
  });
  check('the lists of the service and the node agree but for known classes', odd.map(shown));

  const clean = await landed('clean', world, whole);
  const lake = await lakeSums(clean.data);
  check('the ledger of windrow is the one of the lists', ledgerProblems(lake, truth, tokens));

  const first = await reconciled(clean, [{}]);
  check('a faultless explorer agrees or is explained', documentProblems(first.document, truth));
  check('a faultless explorer costs few calls', callProblems(first.document, first.calls[0]));
  check('a faultless explorer ends with 0', first.code === 0 ? [] : [`exit code ${first.code}`]);
  check('the views of a faultless explorer are reconciled', await viewProblems(clean, first));
  await judgeNodes(clean);
  await judgeNodeRows(world, tokens, whole);

  for (let round = 1, left = FAULTS; left > 0; round += 1) {
    // Every second range begins after the first transactions, with balances before its first block.
    const range = { ...whole, from: round % 2 === 0 ? 0 : LATE_BLOCK };
    const figures = await truthOf(world, tokens, range);
    const isWatched = (address, key) => {
      const asset = figures.get(`${address} ${key}`);
      return asset && asset.cause === undefined && !asset.isClassed;
    };
    const count = Math.min(left, ROUND_FAULTS);
    const seed = SEED * 1000 + round;
    const { faults, records } = faultsIn(world, { seed, count, ...range, isWatched });
    if (faults.length === 0) throw new Error('no fault fits');
    left -= faults.length;
    const lists = await landed(`round-${round}`, { ...world, records }, range);
    const { document, calls, code } = await reconciled(lists, [{}]);
    const title = `round ${round}: ${faults.length} faults`;
    check(`${title} are found, and nothing else`, documentProblems(document, figures, faults));
    check(`${title} are not reconciled in the views`, await viewProblems(lists, { document }));
    check(`${title} cost few calls`, callProblems(document, calls[0]));
    check(`${title} end with 4`, code === 4 ? [] : [`exit code ${code}`]);
    if (round === 1) await judgeBlindNodes(lists, faults);
    await rm(lists.data, { recursive: true });
  }
}

/** The views tell the assets that agree, or are explained, from all others. */
async function viewProblems({ data }, { document }) {
  const slot = ({ address, ...asset }) => `${address} ${assetKey(asset)}`;
  const legs = new Set((await assetsReconciled(data)).map(slot));
  return document.reconciliations.flatMap(({ verdict, ...row }) => {
    const { address, asset_kind: kind, token_address: token, token_id: id, moved } = row;
    const hasAgreed = verdict === 'agrees' || verdict === 'explained';
    const name = slot({ address, kind, token, id });
    if (kind === 'nonce' || address === null || moved === '0') return [];
    return hasAgreed === legs.has(name) ? [] : [`${name}: ${verdict}, but the views disagree`];
  });
}

/** Nodes that fail, lag, lack state or lie are named, and no row agrees by them that should not. */
async function judgeNodes(clean) {
  const { to } = clean;
  const [, liedAbout] = chain.followed;
  const cases = [
    ['fails', [KINDS.fails()], ['fails'], 3],
    ['lags, one of three', [{}, {}, KINDS.lags(to - 50)], ['used', 'used', 'lags']],
    ['prunes', [KINDS.prunes(to - 20)], ['pruned']],
    ['lies, one of three', [{}, KINDS.lies(liedAbout), {}], ['used', 'disagrees', 'used']],
    ['fails, one of three', [KINDS.fails(), {}, {}], ['fails', 'used', 'used']],
  ];
  for (const [name, nodes, statuses, exitCode] of cases) {
    const { document, code } = await reconciled(clean, nodes);
    const named = document.witnesses.map(({ status }) => status);
    const problems = await falseAgreements(document, ...truthAt(clean));
    if (named.join() !== statuses.join()) problems.push(`the nodes are ${named}, not ${statuses}`);
    if (exitCode !== undefined && code !== exitCode) problems.push(`exit code ${code}`);
    const agree = document.reconciliations.filter(({ verdict }) => verdict === 'agrees').length;
    if (nodes.length === 3 && agree < 200) problems.push(`only ${agree} rows agree`);
    check(`a node that ${name} is named, and nothing agrees falsely`, problems);
  }
  const behind = await reconciled(clean, [KINDS.lags(to - 50)]);
  const problems = await falseAgreements(behind.document, ...truthAt(clean));
  const beyond = behind.document.reconciliations.filter(({ to_block }) => to_block > to - 50);
  if (beyond.length > 0) problems.push(`${beyond.length} rows go beyond the newest block`);
  check('nothing is compared beyond the newest block of a node that lags', problems);
}

/** Movements that lists lack become rows of the node, and then the balances reconcile. */
async function judgeNodeRows(world, tokens, range) {
  const assets = await truthOf(world, tokens, range);
  const isWatched = (address, key) => {
    const asset = assets.get(`${address} ${key}`);
    return asset && asset.cause === undefined && !asset.isClassed;
  };
  const options = { seed: SEED, ...range, isWatched, kinds: ['dropped'], count: 1 };
  const dropped = ['internal', 'token_20', 'token_721', 'token_1155'].map((list) => {
    return faultsIn(world, { ...options, lists: [list] }).faults[0]?.record;
  });
  const records = world.records.filter((record) => !dropped.includes(record));
  const lists = await landed('node-rows', { ...world, records }, range);
  const before = await reconciled(lists, [{}], '--repair');
  check('rows of a node are not added unasked', before.code === 4 ? [] : [`code ${before.code}`]);
  const { document, code } = await reconciled(lists, [{}], '--repair', '--rows-of-node');
  const left = document.reconciliations.filter(({ verdict }) => verdict === 'differs');
  const problems = left.map(({ address, asset_kind: kind }) => `${address} ${kind} differs`);
  if (code !== 0) problems.push(`exit code ${code}`);
  const rows = await nodeRows(lists.data);
  const hashes = dropped.map((record) => record?.hash).sort();
  if (rows.join() !== hashes.join()) problems.push(`the node has rows of ${rows}, not ${hashes}`);
  check('dropped calls and transfers become rows of the node, and all agrees', problems);
  await rm(lists.data, { recursive: true });
}

/** Faults are seen by nodes that cannot say everything, too. */
async function judgeBlindNodes(lists, faults) {
  const cases = [
    ['has no traces', KINDS['has no traces']()],
    ['prunes', KINDS.prunes(lists.to - 20)],
  ];
  for (const [name, node] of cases) {
    const { document } = await reconciled(lists, [node]);
    const problems = await falseAgreements(document, ...truthAt(lists));
    if (name === 'has no traces') problems.push(...blockProblems(document, faults));
    check(`over a node that ${name}, no fault is overlooked`, problems);
  }
}

/** The balances of the chain, and the sums of lists. */
function truthAt({ records }) {
  const movedOf = (address, key, from, to) => sums(records, from, to).get(address)?.get(key) ?? 0n;
  return [nodeBalances(chain.url), movedOf];
}

/** Reconciles the lists with witnesses of these kinds; the document, and the calls to each. */
async function reconciled({ records, blocks, data, from, to }, nodes, ...flags) {
  const witnesses = await Promise.all(nodes.map((options) => witness(chain.url, options)));
  const service = await listening({ records, blocks });
  try {
    const pipeline = await pipelineFile(folder, {
      ...{ service: service.url, addresses: chain.followed, from, to },
      witnesses: witnesses.map(({ url }) => url),
    });
    const { code, out, said } = await windrow(
      'reconcile',
      pipeline,
      ...flags,
      '--data',
      data,
      '--json',
    );
    if (!out.startsWith('{'))
      throw new Error(`windrow reconcile ended with ${code}: ${out}${said}`);
    written += 1;
    await writeFile(join(folder, `document-${written}.json`), out);
    return { code, document: JSON.parse(out), calls: witnesses.map((node) => node.total()) };
  } finally {
    for (const server of [service, ...witnesses]) server.close();
  }
}

/** Each followed address and asset, with its sums, balances and class. */
async function truthOf(world, tokens, { from, to }) {
  const moved = sums(world.records, from, to);
  const ever = sums(world.records, 0, to);
  const balanceOf = nodeBalances(chain.url);
  const [native, nonce] = ['native', 'nonce'].map((kind) => assetKey({ kind }));
  const rows = new Map();
  for (const address of chain.followed) {
    const ofAddress = moved.get(address) ?? new Map();
    for (const key of new Set([native, nonce, ...(ever.get(address)?.keys() ?? [])])) {
      const asset = assetOf(key);
      const opening = await balanceOf(asset, address, Math.max(0, from - 1));
      const closing = await balanceOf(asset, address, to);
      const sum = ofAddress.get(key) ?? 0n;
      const difference = closing - opening - sum;
      const token = tokens.find((candidate) => candidate.address === asset.token);
      const ofChain = {
        [native]: address === chain.rewarded ? 'rewards or withdrawals' : undefined,
        [nonce]: chain.houses.includes(address) ? 'contract nonce' : undefined,
      };
      const isClassed = token?.cause !== undefined;
      const cause = difference === 0n ? undefined : (token?.cause ?? ofChain[key]);
      const figures = { opening, closing, moved: sum, difference };
      // No list of the range names an asset that the address only held.
      const isHeld = !ofAddress.has(key) && key !== native && key !== nonce;
      if (isHeld && cause === undefined) continue;
      rows.set(`${address} ${key}`, { address, key, ...figures, cause, isClassed, isHeld });
    }
  }
  return rows;
}

function shown({ address, key, difference, cause = 'no class' }) {
  return `${address} ${key}: differs by ${difference}, ${cause}`;
}

/** Exports the lists into a data root of its own. */
async function landed(name, { records, blocks }, { from, to }) {
  const data = join(folder, name);
  const service = await listening({ records, blocks });
  try {
    const options = { service: service.url, addresses: chain.followed, from, to };
    const pipeline = await pipelineFile(folder, options);
    const { code, said, out } = await windrow('run', pipeline, '--data', data);
    // Its checks see gaps between nonces without a node, and then it ends with 4.
    if (code !== 0 && code !== 4) throw new Error(`windrow run ended with ${code}: ${out}${said}`);
  } finally {
    service.close();
  }
  return { records, blocks, data, from, to };
}
