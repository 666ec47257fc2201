import { describe, expect, it } from 'vitest';
import { wordsOfDataset } from '../../../../src/catalogue/index.ts';
import type { CanonicalRecord } from '../../../../src/catalogue/record.ts';
import {
  type SimulatedDataset,
  simulatedChain,
  type ZoneDataset,
} from '../../../src/simulated/chain.ts';

const { recordsAt, zone } = simulatedChain({ seed: 'meadow', head: 9_000, zoneStart: 8_600 });

const PRIMARY: Readonly<Record<SimulatedDataset, string>> = {
  blocks:
    'chain_full_name chain_short_name block_hash block_number validator block_time amount ' +
    'txn_count txn_internal block_size mine_reward total_fee fee_symbol avg_fee ommer_blocks ' +
    'merkle_root gas_used gas_limit gas_avg_price block_state burnt miner difficulty ' +
    'block_nonce confirmations tips base_fee_per_gas',
  transactions:
    'tx_hash block_number block_hash block_time from_address to_address from_is_contract ' +
    'to_is_contract amount method_id symbol nonce gas_used gas_limit gas_price tx_fee tx_type ' +
    'tx_status',
  internal_transactions:
    'tx_hash block_number block_hash block_time operation from_address to_address ' +
    'from_is_contract to_is_contract amount tx_status',
  token_transfers:
    'tx_hash block_number block_hash block_time from_address to_address token_address ' +
    'from_is_contract to_is_contract amount symbol token_id token_standard method_id tx_status',
};
const ZONE: Readonly<Record<ZoneDataset, string>> = {
  zone_blocks: 'block_hash block_number miner block_time txn_count',
  zone_transactions:
    'tx_hash block_number block_hash block_time tx_status from_address action_type tx_index ' +
    'amount amount_raw action_nonce action_data error_message token_transfer_count event_count',
  cross_chain_transfers:
    'cross_id direction cross_type cross_status main_tx_hash main_block_number main_block_time ' +
    'zone_tx_hash zone_block_number zone_block_time from_address to_address source_address ' +
    'target_address amount amount_raw token_address token_standard token_id token_name ' +
    'zone_event_index zone_block_hash batch_detail update_time published_block_number',
};

/** The records of a dataset at all heights up to this one. */
function upTo<D extends string>(
  head: number,
  at: (height: number) => Readonly<Record<D, readonly CanonicalRecord[]>>,
  dataset: D,
): CanonicalRecord[] {
  return Array.from({ length: head + 1 }, (_, height) => at(height)[dataset]).flat();
}

const CASES = [
  ...(Object.keys(PRIMARY) as SimulatedDataset[]).map((dataset) => {
    return { dataset, columns: PRIMARY[dataset], records: () => upTo(9_000, recordsAt, dataset) };
  }),
  ...(Object.keys(ZONE) as ZoneDataset[]).map((dataset) => {
    const records = () => upTo(zone.head, (height) => zone.recordsAt(height), dataset);
    return { dataset, columns: ZONE[dataset], records };
  }),
];

describe.each(CASES)('the records of $dataset', ({ dataset, columns, records }) => {
  const all = records();

  it('all have the same columns, and those are words of the catalogue', () => {
    expect([...new Set(all.map((record) => Object.keys(record).join(' ')))]).toEqual([columns]);
    const words = wordsOfDataset(dataset).map(({ column }) => column);
    expect(words).toEqual(expect.arrayContaining(columns.split(' ')));
    if (dataset in ZONE) expect(new Set(words)).toEqual(new Set(columns.split(' ')));
  });

  it('have values of the kinds that the catalogue declares, in canonical spelling', () => {
    const misspelled: string[] = [];
    for (const { column, kind } of wordsOfDataset(dataset)) {
      for (const value of new Set(all.map((record) => record[column] ?? null))) {
        // Records of the zone chain have null for none.
        if (value === null || (value === '' && dataset in PRIMARY)) continue;
        const text = String(value);
        const fits = typeof value === kind.wire && kind.pattern.test(text) && text !== '';
        if (!fits || kind.canonical(text) !== text) misspelled.push(`${column} ${text}`);
        kind.decode(text);
      }
    }
    expect(misspelled).toEqual([]);
  });
});
