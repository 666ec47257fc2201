/** The pipelines that the suite runs, as a user would write them. */

export const PIPELINES = {
  /** Lists of many pages by windows of blocks, and one list for each address and type of token. */
  addresses: `
  transactions:
    - { endpoint: mainchain/address/normal-transaction-list-multi, keys: addresses }
  internal_transactions:
    - { endpoint: mainchain/address/internal-transaction-list-multi, keys: addresses }
  token_transfers:
    - endpoint: mainchain/address/token-transaction-list
      keys: addresses
      each: { protocolType: [token_20, token_721, token_1155, token_10] }`,
  /** One address a list, over all heights. */
  history: `
  transactions:
    - { endpoint: mainchain/address/normal-transaction-list, keys: addresses }
  token_transfers:
    - endpoint: mainchain/address/token-transaction-list
      keys: addresses
      each: { protocolType: [token_20] }`,
  /** Lists by address, and look-ups of the hashes in them. */
  hashes: `
  transactions:
    - { endpoint: mainchain/address/normal-transaction-list-multi, keys: few }
    - { endpoint: mainchain/transaction/transaction-multi, keys: unsettled }
  internal_transactions:
    - { endpoint: mainchain/address/internal-transaction-list-multi, keys: few }
    - { endpoint: mainchain/transaction/internal-transaction-detail, keys: calls }
  token_transfers:
    - endpoint: mainchain/address/token-transaction-list
      keys: few
      each: { protocolType: [token_20] }
    - endpoint: mainchain/transaction/token-transfer-multi
      keys: moved
      each: { protocolType: [token_20, token_721] }`,
  /** Everything in some blocks, of which one is a burst. */
  blocks: `
  blocks:
    - { endpoint: mainchain/block/block-fills }
  transactions:
    - { endpoint: mainchain/block/transaction-list }
  internal_transactions:
    - { endpoint: mainchain/block/transaction-list }
  token_transfers:
    - endpoint: mainchain/block/transaction-list
      each: { protocolType: [token_20, token_721] }`,
  /** Lists of tokens, which move and have no block bounds. */
  tokens: `
  token_transfers:
    - { endpoint: mainchain/token/transaction-list, keys: tokens }`,
  zone: `
  zone_blocks:
    - { endpoint: mainchain/zone/block/block-list }
  zone_transactions:
    - { endpoint: mainchain/zone/block/transaction-list-multi }
    - { endpoint: mainchain/zone/address/transaction-list, keys: addresses }
    - { endpoint: mainchain/zone/transaction/transaction-fills, keys: actions }`,
} as const;

export type PipelineName = keyof typeof PIPELINES;

export interface PipelineSettings {
  /** Heights of the primary axis; the whole chain by default. */
  readonly blocks?: { readonly from: number; readonly to: number };
  readonly zoneBlocks?: { readonly from: number; readonly to: number };
  /** Most records that the service is documented to list for one query. */
  readonly recordCap?: number;
  readonly maxPerSecond?: number;
  readonly timeUnit?: 's';
  /** Addresses of one request, and blocks of one slice; by default those of windrow. */
  readonly groupSize?: number;
  readonly windowBlocks?: number;
  /** A line that sets the level of proof, indented as it must stand. */
  readonly proofLine?: string;
}

const range = (blocks: { readonly from: number; readonly to: number } | undefined): string =>
  blocks === undefined ? '{ from: 0, to: safe }' : `{ from: ${blocks.from}, to: ${blocks.to} }`;

/** Key sets that are given, where it is not `addresses`. */
const SETS: Readonly<Partial<Record<PipelineName, string>>> = { hashes: 'few', tokens: 'tokens' };

const FOUND_SETS = {
  hashes: `  unsettled:
    from: [transactions]
    by: [mainchain/address/normal-transaction-list-multi]
  calls: { from: [internal_transactions], by: [mainchain/address/internal-transaction-list-multi] }
  moved: { from: [token_transfers], by: [mainchain/address/token-transaction-list] }
`,
  zone: `  actions:
    from: [zone_transactions]
    by: [mainchain/zone/address/transaction-list]
`,
} as const;

/** The text of a pipeline; its addresses come beside it. */
export function pipelineText(name: PipelineName, settings: PipelineSettings = {}): string {
  const { recordCap = 10_000, maxPerSecond = 200, proofLine = '' } = settings;
  const sizes = (['groupSize', 'windowBlocks'] as const)
    .filter((key) => settings[key] !== undefined)
    .map((key) => `${key}: ${settings[key]}`);
  const isOfSource = proofLine.startsWith(' ');
  const setText = name === 'hashes' || name === 'zone' ? FOUND_SETS[name] : '';
  const set = SETS[name] ?? 'addresses';
  const isKeyed = name !== 'blocks';
  const keys = isKeyed ? `keys:\n  ${set}: { list: ["0x${'0'.repeat(40)}"] }\n${setText}` : '';
  return `version: 1
name: hostile-${name}
source:
  url: http://127.0.0.1:1
  chain: MAINCHAIN
  zoneChain: ZONECHAIN
  credentials: none
  finalityLagBlocks: 0
  finalityLagZoneBlocks: 0
  recordCap: ${recordCap}
  rate: { startPerSecond: ${Math.min(50, maxPerSecond)}, maxPerSecond: ${maxPerSecond} }
${settings.timeUnit === undefined ? '' : `  timeUnit: ${settings.timeUnit}`}
${isOfSource ? proofLine : ''}
${isOfSource ? '' : proofLine}
${keys}blocks: ${range(settings.blocks)}
zoneBlocks: ${range(settings.zoneBlocks)}
${sizes.join('\n')}
commit: { rows: 1000000, slices: 100000, seconds: 86400 }
datasets:${PIPELINES[name]}
`;
}
