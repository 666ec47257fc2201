import {
  type QueryResult,
  type QueryRow,
  query,
  type WarehousePlace,
} from '../../load/query/query.ts';
import { ADDRESS } from '../../pipeline/syntax/address.ts';

/** A macro that takes an address, with the literal that it is given. */
const CALL = new RegExp(
  String.raw`\b(complete_until(?:_zone)?|complete_ranges|ledger_of|label_of)` +
    String.raw`\(\s*(?:wanted\s*:=\s*)?(NULL\b|'[^']*')`,
  'gi',
);

/** Macros that answer for addresses that were requested by name alone. */
const OF_FOLLOWED = /^complete_/i;

/**
 * Notes for users whose query may not ask what they mean. A note that cannot be found is left out:
 * the answer is there.
 */
export async function answerNotes(
  sql: string,
  { rows }: QueryResult,
  warehouse: WarehousePlace,
): Promise<string[]> {
  const hint = capitalsHint(sql, rows);
  const notes = await macroNotes(sql, warehouse).catch(() => []);
  return hint === undefined ? notes : [hint, ...notes];
}

/** One note for each literal in SQL text for which a macro of the warehouse finds nothing. */
async function macroNotes(sql: string, warehouse: WarehousePlace): Promise<string[]> {
  const calls = [...sql.matchAll(CALL)].map(([, macro = '', literal = '']) => ({
    macro,
    literal,
    address: literal.slice(1, -1).toLowerCase(),
  }));
  if (calls.length === 0) return [];
  const followed = await followedAmong(
    calls.map(({ address }) => address),
    warehouse,
  );
  const notes = calls.flatMap(({ macro, literal, address }) => {
    const call = `${macro}(${literal})`;
    if (!literal.startsWith("'")) return [`${call} has no answer: give an address in quotes.`];
    if (followed.has(address)) return [];
    if (!ADDRESS.test(address)) {
      return [`${call} has no answer: an address is 0x and 40 hexadecimal digits.`];
    }
    return OF_FOLLOWED.test(macro)
      ? [`${call} has no answer: no pipeline requested this address by name (it is not followed).`]
      : [];
  });
  return [...new Set(notes)];
}

/** The addresses among these that a list of this lake was requested for by name. */
async function followedAmong(
  addresses: readonly string[],
  { warehouse, root }: WarehousePlace,
): Promise<ReadonlySet<string>> {
  const literals = addresses.map((address) => `'${address}'`).join(', ');
  const { rows } = await query(
    warehouse,
    `SELECT DISTINCT key FROM lake.reach WHERE key_kind = 'address' AND key IN (${literals})`,
    { root },
  );
  return new Set(rows.map(({ key }) => String(key)));
}

/** A hash or address with capitals in SQL text, where no macro that takes any case reads it. */
const CAPITALS = /(?<!\b(?:lower|label_of|addresses_in|complete_\w+)\(\s*)'(0x[0-9a-fA-F%_]*)'/gi;

/**
 * A hint for an empty answer to SQL that has a hash or an address with capitals: the lake stores
 * them in lower case. Undefined if the answer is not empty.
 */
function capitalsHint(sql: string, rows: readonly QueryRow[]): string | undefined {
  const values = rows.flatMap((row) => Object.values(row));
  const isNothing = rows.length <= 1 && values.every((value) => value === null || value === 0);
  if (!isNothing) return undefined;
  const written = [...sql.matchAll(CAPITALS)].map(([, literal = '']) => literal);
  const literal = written.find((literal) => /[A-F]/.test(literal));
  if (literal === undefined) return undefined;
  return (
    `Addresses and hashes are stored in lower case, and nothing matched '${literal}': write ` +
    `'${literal.toLowerCase()}', or compare with lower('...').`
  );
}
