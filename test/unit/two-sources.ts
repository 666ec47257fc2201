import { datasetOf, endpointAt, filledBy } from '../../src/catalogue/index.ts';
import type { CanonicalRecord, WireRecord } from '../../src/catalogue/record.ts';
import { variant } from '../../src/plan/slice.ts';
import { lakeSource } from '../../src/service/lake-source.ts';
import { tablesSource } from '../../src/service/records-source.ts';
import type { Query, Source } from '../../src/service/source.ts';
import { simulatedChain } from '../../src/simulated/chain.ts';
import { quietEffects } from '../quiet-effects.ts';
import { CROSS_CHAIN, IN_BLOCK, INTERNAL, SmallLake, TRANSACTIONS } from './load-lake.ts';

export const FROM = 1_000;
const TO = 1_080;
export const ZONE_TO = 9_000;
const STANDARDS = ['token_20', 'token_721', 'token_1155', 'token_10'];
/** By dataset: what all lists say of a record. */
export const COMPARED: Readonly<Record<string, readonly string[]>> = {
  transactions: ['block_number', 'block_time', 'tx_hash', 'from_address', 'to_address', 'amount'],
  internal_transactions: ['block_number', 'tx_hash', 'from_address', 'to_address', 'amount'],
  token_transfers: [
    'tx_hash',
    'from_address',
    'to_address',
    'token_id',
    'token_standard',
    'amount',
  ],
  cross_chain_transfers: ['zone_tx_hash', 'main_tx_hash', 'source_address', 'amount', 'amount_raw'],
};

type Records = ReadonlyMap<string, readonly CanonicalRecord[]>;

/** A lake, and the records that it holds as they are. */
export interface TwoSources {
  readonly lake: Source;
  readonly plain: Source;
  readonly records: Records;
  /** Addresses that many records name, and all those of parties that several share. */
  readonly keys: readonly string[];
  close(): Promise<void>;
}

/** Blocks of the simulated chain in a lake, in lists of whole blocks and in lists of two addresses. */
export async function twoSources(): Promise<TwoSources> {
  const chain = simulatedChain({ seed: 'stubble', head: TO, zoneStart: FROM - 10 });
  const records = recordsOf(chain);
  const shared = records
    .get('transactions')
    ?.find(({ to_address: to }) => String(to).includes(','));
  const keys = [...chain.addresses(3), ...String(shared?.['to_address']).split(',')];
  const small = await SmallLake.open();
  await land(small, records, IN_BLOCK, { protocolType: 'transaction' });
  await land(small, records, IN_BLOCK, { protocolType: 'internal' });
  for (const protocolType of STANDARDS) await land(small, records, IN_BLOCK, { protocolType });
  await land(small, records, CROSS_CHAIN, {});
  await land(small, records, TRANSACTIONS, {}, keys.slice(0, 2));
  await land(small, records, INTERNAL, {}, keys.slice(0, 2));
  const lake = await lakeSource({ root: small.root, effects: quietEffects() });
  const close = async (): Promise<void> => {
    await lake.close();
    await small.close();
  };
  return { lake, plain: tablesSource(records), records, keys, close };
}

function recordsOf(chain: ReturnType<typeof simulatedChain>): Records {
  const tables = new Map<string, CanonicalRecord[]>();
  const collect = (added: Readonly<Record<string, readonly CanonicalRecord[]>>): void => {
    for (const [dataset, records] of Object.entries(added)) {
      if (!(dataset in COMPARED)) continue;
      tables.set(dataset, [...(tables.get(dataset) ?? []), ...records]);
    }
  };
  for (let height = FROM; height <= TO; height += 1) collect(chain.recordsAt(height));
  for (let height = 0; height <= ZONE_TO; height += 1) collect(chain.zone.recordsAt(height));
  return tables;
}

async function land(
  small: SmallLake,
  tables: Records,
  path: string,
  params: Readonly<Record<string, string>>,
  asked: readonly string[] = [''],
): Promise<void> {
  const endpoint = endpointAt(path);
  const dataset = datasetOf(endpoint, params);
  const filled = [...filledBy(endpoint, variant(params).params)];
  const records = (tables.get(dataset) ?? [])
    .filter((record) => filled.every(([word, value]) => record[word.column] === value))
    .filter((record) => asked.includes('') || names(record, asked));
  const wire = records.map(
    (record): WireRecord =>
      Object.fromEntries(endpoint.fields.map((each) => [each.wire, record[each.column] ?? ''])),
  );
  await small.land(path, { keys: asked, params, from: 0, to: ZONE_TO, records: wire });
}

function names(record: CanonicalRecord, asked: readonly string[]): boolean {
  const named = `${record['from_address']},${record['to_address']}`.split(',');
  return named.some((each) => asked.includes(each.trim()));
}

/** The answer by what all lists say, in order of heights alone: nothing else is agreed upon. */
export async function answered(source: Source, query: Query): Promise<[number, string[], unknown]> {
  const { total, records } = await source.find(query);
  const columns = COMPARED[query.dataset] ?? [];
  const lines = records.map((record) => JSON.stringify(columns.map((each) => record[each])));
  const column = query.dataset === 'cross_chain_transfers' ? 'zone_block_number' : 'block_number';
  return [total, lines.sort(), records.map((record) => record[column])];
}
