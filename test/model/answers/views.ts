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
      .filter((each) => each['to_is_contract'] === true)
      .map((each): Sighting => {
        const method = textIn(each, 'method_id') || null;
        return {
          address: textIn(each, 'to_address'),
          kind: 'transaction',
          block: blockOf(each),
          method,
        };
      }),
    ...internals
      .filter((each) => each['to_is_contract'] === true || each['operation'] === 'create')
      .map((each): Sighting => {
        return { address: textIn(each, 'to_address'), kind: 'call to', block: blockOf(each) };
      }),
    ...internals
      .filter((each) => each['from_is_contract'] === true)
      .map((each): Sighting => {
        return { address: textIn(each, 'from_address'), kind: 'call from', block: blockOf(each) };
      }),
    ...[...transactions, ...transfers]
      .filter((each) => each['from_is_contract'] === true)
      .map((each): Sighting => {
        return { address: textIn(each, 'from_address'), kind: 'party', block: blockOf(each) };
      }),
    ...transfers
      .filter((each) => each['to_is_contract'] === true)
      .map((each): Sighting => {
        return { address: textIn(each, 'to_address'), kind: 'party', block: blockOf(each) };
      }),
    ...transfers.map((each): Sighting => {
      return { address: textIn(each, 'token_address'), kind: 'token', block: blockOf(each) };
    }),
  ].filter(({ address }) => address !== null && address !== '' && !address.includes(','));
}

export const VIEWS: Readonly<Record<string, ExpectedView>> = {
  token_balances: {
    columns: 'address, axis, token_address, received_text, sent_text, net_text, legs, last_block',
    where: 'true',
    rows: (world) =>
      fungible(world).map(({ key: [address, axis, token], of }) => [
        address,
        axis,
        token,
        textOf(total(incoming(of))),
        textOf(-total(outgoing(of))),
        textOf(total(of)),
        of.length,
        Math.max(...heights(of)),
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
        .filter(({ of }) => total(of) > 0n)
        .map(({ key, of }) => {
          const until = key[1] === 'primary' ? last : lastZone;
          return [...key, textOf(total(of)), of.length, 0, until];
        }),
  },
  daily_address_summary: {
    columns: `day, address, axis, legs, transactions, failed, fees_text, received_text, sent_text,
      token_moves, tokens, crossings, counterparties, unknown_legs, first_block, last_block`,
    where: 'true',
    rows: ({ legs }) =>
      grouped(legs, ({ timeMs, address, axis }) => [dayOf(timeMs), address, axis]).map(
        ({ key, of }) => {
          const sent = of.filter(({ leg }) => leg === 'fee' || leg === 'zone');
          const tokens = of.filter(({ leg }) => leg === 'token');
          const others = of.flatMap(({ counterparty }) => counterparty ?? []);
          return [
            ...key,
            of.length,
            sent.length,
            sent.filter(({ succeeded }) => succeeded === false).length,
            textOf(-total(of.filter(({ leg }) => leg === 'fee'))),
            textOf(total(incoming(of).filter(isNative))),
            textOf(-total(outgoing(of).filter(isNative))),
            tokens.length,
            new Set(tokens.map(({ token }) => token)).size,
            of.filter(({ leg }) => leg === 'cross_chain').length,
            new Set(others).size,
            unknown(of),
            Math.min(...heights(of)),
            Math.max(...heights(of)),
          ];
        },
      ),
  },
  fees_daily: {
    columns: 'day, from_address, followed, transactions, failed, gas_used, fees_text',
    where: 'true',
    rows: ({ transactions, addresses }) =>
      grouped(transactions, (each) => {
        return [dayOf(Number(each['block_time'])), textIn(each, 'from_address')];
      }).map(({ key, of }) => [
        ...key,
        addresses.includes(String(key[1])),
        of.length,
        of.filter((each) => each['tx_status'] === 'fail').length,
        of.reduce((sum, each) => sum + Number(each['gas_used']), 0),
        textOf(sumOf(of.map((each) => unitsOf(textIn(each, 'tx_fee') ?? '0')))),
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
      ).map(({ key, of }) => [
        ...key,
        incoming(of).length,
        textOf(total(incoming(of))),
        outgoing(of).length,
        textOf(-total(outgoing(of))),
        unknown(of),
        Math.max(...heights(of)),
      ]),
  },
  contracts_seen: {
    columns: `address, transactions_to, calls_to, calls_from, token_transfers, methods, first_block,
      last_block`,
    where: 'true',
    rows: (world) =>
      grouped(sightingsOf(world), ({ address }) => [address]).map(({ key, of }) => {
        const countOf = (wanted: string) => of.filter(({ kind }) => kind === wanted).length;
        const blocks = of.map(({ block }) => block);
        return [
          ...key,
          countOf('transaction'),
          countOf('call to'),
          countOf('call from'),
          countOf('token'),
          new Set(of.flatMap(({ method }) => method ?? [])).size,
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
