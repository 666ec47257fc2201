import { copyFile, cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { serve, windrow, writePipeline } from '../interop/windrow.mjs';

/** Tables of a few hundred rows at most, which both verifiers read within a second. */
const SMALL = { head: 29_100, addresses: 4 };

const pipelineOver = (url) => `version: 1
name: certified
source:
  url: ${url}
  chain: MAINCHAIN
  zoneChain: ZONECHAIN
  credentials: none
  finalityLagBlocks: 10
  finalityLagZoneBlocks: 500
  rate: { startPerSecond: 500, maxPerSecond: 5000 }
witness: { url: ${url}/rpc }
keys: { addresses: { file: addresses.csv } }
blocks: { from: 29000, to: safe }
zoneBlocks: { from: 11290, to: safe }
datasets:
  blocks:
    - endpoint: mainchain/block/block-list
      blocks: { from: 29050, to: safe }
  transactions:
    - endpoint: mainchain/address/normal-transaction-list-multi
      keys: addresses
  internal_transactions:
    - endpoint: mainchain/address/internal-transaction-list-multi
      keys: addresses
  token_transfers:
    - endpoint: mainchain/address/token-transaction-list
      keys: addresses
      each: { protocolType: [token_20, token_721, token_1155, token_10] }
  zone_blocks:
    - endpoint: mainchain/zone/block/block-list
  zone_transactions:
    - endpoint: mainchain/zone/block/transaction-list-multi
  cross_chain_transfers:
    - endpoint: mainchain/zone/cross/transaction-list
`;

/** A small lake, which other programs change, and the warehouse that windrow makes of it. */
export async function smallLake(folder, changer) {
  const [root, whole] = [join(folder, 'small'), join(folder, 'whole')];
  const service = await serve(SMALL.head);
  try {
    const file = await writePipeline(folder, pipelineOver(service.url), SMALL.addresses);
    await windrow('run', file, '--data', root);
    // The balances that it cannot compare are rows, too.
    await windrow('reconcile', file, '--data', root).catch(() => undefined);
  } finally {
    service.stop();
  }
  await cp(root, whole, { recursive: true });
  const cache = join(folder, 'cache');
  process.env.XDG_CACHE_HOME = cache;
  return {
    root,
    change: (certificate, seed) => changer.call({ call: 'change', root, certificate, seed }),
    merge: () => changer.call({ call: 'merge', root }),
    /** The newest warehouse of windrow, whose views read the files that another reader finds. */
    reread: async (certificate) => {
      const [made] = await readdir(join(cache, 'windrow'));
      const warehouse = join(folder, 'reread.duckdb');
      await copyFile(join(cache, 'windrow', made, 'warehouse.duckdb'), warehouse);
      await changer.call({ call: 'reread', root, warehouse, certificate });
      return warehouse;
    },
    restore: async () => {
      await rm(root, { recursive: true });
      await cp(whole, root, { recursive: true });
    },
  };
}
