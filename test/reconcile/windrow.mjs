import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The command line of windrow over a service and witnesses. */

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** Writes a pipeline over the service for these addresses; the file's path. */
export async function pipelineFile(folder, { service, addresses, witnesses, from, to }) {
  const file = join(folder, 'reconcile.json');
  const list = (endpoint, more = {}) => ({
    endpoint: `mainchain/${endpoint}`,
    keys: 'addresses',
    ...more,
  });
  const pipeline = {
    version: 1,
    name: 'anvil',
    source: {
      ...{ url: service, chain: 'MAINCHAIN', credentials: 'none', finalityLagBlocks: 4 },
      ...{ concurrency: 8, rate: { startPerSecond: 2000, maxPerSecond: 5000 } },
    },
    ...(witnesses === undefined ? {} : { witness: witnesses.map((url) => ({ url })) }),
    keys: { addresses: { list: addresses }, calls: { from: ['internal_transactions'] } },
    blocks: { from, to },
    commit: { rows: 50_000, slices: 2000, seconds: 10 },
    datasets: {
      transactions: [list('address/normal-transaction-list')],
      internal_transactions: [
        list('address/internal-transaction-list-multi'),
        list('transaction/internal-transaction-detail', { keys: 'calls' }),
      ],
      token_transfers: [
        list('address/token-transaction-list', {
          each: { protocolType: ['token_20', 'token_721', 'token_1155'] },
        }),
      ],
    },
  };
  await writeFile(file, JSON.stringify(pipeline, null, 1));
  return file;
}

/** Runs a verb; resolves with its exit code, output and messages. */
export async function windrow(...args) {
  const running = spawn(process.execPath, [MAIN, ...args]);
  const texts = await Promise.all(
    [running.stdout, running.stderr].map(async (stream) => {
      const parts = [];
      for await (const part of stream) parts.push(part);
      return Buffer.concat(parts).toString();
    }),
  );
  const code = running.exitCode ?? (await new Promise((resolve) => running.on('exit', resolve)));
  return { code, out: texts[0], said: texts[1] };
}

/** Exact sums of the ledger of a data root: units of 10^-18 by address and asset. */
export async function lakeSums(data) {
  const sql = `SELECT address, coalesce(token_standard, 'native') AS kind, token_address, token_id,
    list(signed_text) AS amounts, count(*) - count(signed_text) AS unknown
    FROM address_activity GROUP BY ALL`;
  const { code, out, said } = await windrow('query', sql, '--data', data, '--json');
  if (code !== 0) throw new Error(said);
  return JSON.parse(out);
}

/** The reconciled assets of a data root: addresses whose legs of an asset are all reconciled. */
export async function assetsReconciled(data) {
  const sql = `SELECT address, coalesce(token_standard, 'native') AS kind, token_address AS token,
      CASE token_standard WHEN 'token_1155' THEN token_id END AS id
    FROM address_activity WHERE axis = 'primary'
    GROUP BY ALL HAVING bool_and(reconciled)`;
  const { code, out, said } = await windrow('query', sql, '--data', data, '--json');
  if (code !== 0) throw new Error(said);
  return JSON.parse(out);
}

/** Hashes of rows of a data root that only a node has, in order. */
export async function nodeRows(data) {
  const sql = ['internal_transactions', 'token_transfers'].map((table) => {
    const source = table.replace('_', '-');
    return `SELECT tx_hash FROM ${table} WHERE sources = ['witness/${source}']`;
  });
  const ordered = `${sql.join(' UNION ALL ')} ORDER BY tx_hash`;
  const { code, out, said } = await windrow('query', ordered, '--data', data, '--json');
  if (code !== 0) throw new Error(said);
  return JSON.parse(out).map(({ tx_hash: hash }) => hash);
}
