import type { AskWarehouse } from './warehouse-reader.ts';

/** Labels of addresses, and symbols of tokens, from CSV files. */
export interface ShownNames {
  readonly labels: ReadonlyMap<string, string>;
  readonly symbols: ReadonlyMap<string, string>;
}

/** The names of these addresses and tokens, all in lower case. */
export async function namesOf(
  ask: AskWarehouse,
  addresses: readonly (string | undefined)[],
): Promise<ShownNames> {
  const wanted = addresses.filter((text) => text !== undefined).filter((text) => text !== '');
  if (wanted.length === 0) return { labels: new Map(), symbols: new Map() };
  const list = [...new Set(wanted.flatMap((text) => text.split(',')))].join(',');
  const rows = await ask(
    `WITH wanted AS (SELECT unnest(string_split($1::VARCHAR, ',')) AS address)
     SELECT 'label' AS kind, address, label AS name
     FROM lake.labels SEMI JOIN wanted USING (address)
     UNION ALL
     SELECT 'symbol', token_address, symbol FROM lake.tokens
     SEMI JOIN wanted ON wanted.address = token_address`,
    list,
  );
  const ofKind = (kind: string): Map<string, string> =>
    new Map(
      rows.flatMap((row) =>
        row['kind'] === kind && row['name'] !== null
          ? [[String(row['address']), String(row['name'])]]
          : [],
      ),
    );
  return { labels: ofKind('label'), symbols: ofKind('symbol') };
}
