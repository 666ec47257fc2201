import { balancesAt } from '../../fixtures/balances.ts';
import { fungible } from './examples.ts';
import { dayOf, grouped, type Leg, sumOf, textIn, textOf, unitsOf, type World } from './world.ts';

/** Rows of the views that answer questions, from the movements of the chain. */
export interface ExpectedView {
  /** Columns of the view, in the order of the rows. */
  readonly columns: string;
  readonly where: string;
  rows(world: World): unknown[][];
}

const PRIMARY = "axis = 'primary'";
const total = (legs: readonly Leg[]): bigint => sumOf(legs.map(({ units }) => units));
const incoming = (legs: readonly Leg[]): Leg[] => legs.filter((leg) => leg.direction === 'in');
const outgoing = (legs: readonly Leg[]): Leg[] => legs.filter((leg) => leg.direction === 'out');
const isNative = ({ leg }: Leg): boolean => leg === 'value' || leg === 'internal';
const unknown = (legs: readonly Leg[]): number => legs.filter((leg) => leg.units === null).length;
const heights = (legs: readonly Leg[]): number[] => legs.map(({ block }) => block);

interface Sighting {
  readonly address: string | null;
  readonly kind: 'transaction' | 'call to' | 'call from' | 'party' | 'token';
  readonly block: number;
  readonly method?: string | null;
}

/** Records that call one address a contract, one row per record and side. */
function sightingsOf({ transactions, internals, transfers }: World): Sighting[] {
  const blockOf = (record: (typeof transactions)[number]) => Number(record['block_number']);
  return [
    ...transactions
      .filter((row) => row['to_is_contract'] === true)
      .map((row): Sighting => {
        const method = textIn(row, 'method_id') || null;
        return {
          address: textIn(row, 'to_address'),
          kind: 'transaction',
          block: blockOf(row),
          method,
        };
      }),
    ...internals
      .filter((row) => row['to_is_contract'] === true || row['operation'] === 'create')
      .map((row): Sighting => {
        return { address: textIn(row, 'to_address'), kind: 'call to', block: blockOf(row) };
      }),
    ...internals
      .filter((row) => row['from_is_contract'] === true)
      .map((row): Sighting => {
        return { address: textIn(row, 'from_address'), kind: 'call from', block: blockOf(row) };
      }),
    ...[...transactions, ...transfers]
      .filter((row) => row['from_is_contract'] === true)
      .map((row): Sighting => {
        return { address: textIn(row, 'from_address'), kind: 'party', block: blockOf(row) };
      }),
    ...transfers
      .filter((row) => row['to_is_contract'] === true)
      .map((row): Sighting => {
        return { address: textIn(row, 'to_address'), kind: 'party', block: blockOf(row) };
      }),
    ...transfers.map((row): Sighting => {
      return { address: textIn(row, 'token_address'), kind: 'token', block: blockOf(row) };
    }),
  ].filter(({ address }) => address !== null && address !== '' && !address.includes(','));
}

export const VIEWS: Readonly<Record<string, ExpectedView>> = {
  token_balances: {
    columns: 'address, axis, token_address, received_text, sent_text, net_text, legs, last_block',
    where: 'true',
    rows: (world) =>
      fungible(world).map(({ key: [address, axis, token], rows }) => [
        address,
        axis,
        token,
        textOf(total(incoming(rows))),
        textOf(-total(outgoing(rows))),
        textOf(total(rows)),
        rows.length,
        Math.max(...heights(rows)),
      ]),
  },
  nft_holdings: {
    columns:
      'address, axis, token_address, token_id, net_text, legs, complete_from, complete_until',
    // Holdings that are surely zero are no rows, so only those with a gain are compared.
    where: "net_text NOT LIKE '-%' AND net_text <> '0'",
    rows: ({ legs, last, lastZone }) =>
      grouped(
        legs.filter(({ tokenId }) => tokenId !== null),
        ({ address, axis, token, tokenId }) => [address, axis, token, tokenId],
      )
        .filter(({ rows }) => total(rows) > 0n)
        .map(({ key, rows }) => {
          const until = key[1] === 'primary' ? last : lastZone;
          return [...key, textOf(total(rows)), rows.length, 0, until];
        }),
  },
  daily_address_summary: {
    columns: `day, address, axis, legs, transactions, failed, fees_text, received_text, sent_text,
      token_moves, tokens, crossings, counterparties, unknown_legs, first_block, last_block`,
    where: 'true',
    rows: ({ legs }) =>
      grouped(legs, ({ timeMs, address, axis }) => [dayOf(timeMs), address, axis]).map(
        ({ key, rows }) => {
          const sent = rows.filter(({ leg }) => leg === 'fee' || leg === 'zone');
          const tokens = rows.filter(({ leg }) => leg === 'token');
          const others = rows.flatMap(({ counterparty }) => counterparty ?? []);
          return [
            ...key,
            rows.length,
            sent.length,
            sent.filter(({ succeeded }) => succeeded === false).length,
            textOf(-total(rows.filter(({ leg }) => leg === 'fee'))),
            textOf(total(incoming(rows).filter(isNative))),
            textOf(-total(outgoing(rows).filter(isNative))),
            tokens.length,
            new Set(tokens.map(({ token }) => token)).size,
            rows.filter(({ leg }) => leg === 'cross_chain').length,
            new Set(others).size,
            unknown(rows),
            Math.min(...heights(rows)),
            Math.max(...heights(rows)),
          ];
        },
      ),
  },
  fees_daily: {
    columns: 'day, from_address, followed, transactions, failed, gas_used, fees_text',
    where: 'true',
    rows: ({ transactions, addresses }) =>
      grouped(transactions, (row) => {
        return [dayOf(Number(row['block_time'])), textIn(row, 'from_address')];
      }).map(({ key, rows }) => [
        ...key,
        addresses.includes(String(key[1])),
        rows.length,
        rows.filter((row) => row['tx_status'] === 'fail').length,
        rows.reduce((sum, row) => sum + Number(row['gas_used']), 0),
        textOf(sumOf(rows.map((row) => unitsOf(textIn(row, 'tx_fee') ?? '0')))),
      ]),
  },
  counterparties: {
    columns: `address, axis, counterparty, token_address, received_legs, received_text,
      sent_legs, sent_text, unknown_legs, last_block`,
    where: 'true',
    rows: ({ legs }) =>
      grouped(
        legs.filter(({ leg, counterparty }) => leg !== 'zone' && counterparty !== null),
        ({ address, axis, counterparty, token }) => [address, axis, counterparty, token],
      ).map(({ key, rows }) => [
        ...key,
        incoming(rows).length,
        textOf(total(incoming(rows))),
        outgoing(rows).length,
        textOf(-total(outgoing(rows))),
        unknown(rows),
        Math.max(...heights(rows)),
      ]),
  },
  contracts_seen: {
    columns: `address, transactions_to, calls_to, calls_from, token_transfers, methods, first_block,
      last_block`,
    where: 'true',
    rows: (world) =>
      grouped(sightingsOf(world), ({ address }) => [address]).map(({ key, rows }) => {
        const countOf = (wanted: string) => rows.filter(({ kind }) => kind === wanted).length;
        const blocks = rows.map(({ block }) => block);
        return [
          ...key,
          countOf('transaction'),
          countOf('call to'),
          countOf('call from'),
          countOf('token'),
          new Set(rows.flatMap(({ method }) => method ?? [])).size,
          Math.min(...blocks),
          Math.max(...blocks),
        ];
      }),
  },
};

/** Native balances and those of fungible tokens by `address|token`, as the chain keeps them. */
export function chainBalances({ chain, addresses, last }: World): Map<string, string> {
  const { native, tokens } = balancesAt(chain, last);
  const held = new Map<string, string>();
  for (const address of addresses) held.set(`${address}|`, textOf(native.get(address) ?? 0n));
  for (const [key, units] of tokens) {
    const [address = '', token = '', id = ''] = key.split('|');
    if (id === '' && addresses.includes(address)) held.set(`${address}|${token}`, textOf(units));
  }
  return held;
}

export const BALANCES = `SELECT address, coalesce(token_address, '') AS token, net_text
  FROM token_balances WHERE ${PRIMARY}`;
