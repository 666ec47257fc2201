import {
  dayOf,
  greatest,
  grouped,
  hadOneBefore,
  type Leg,
  ONE,
  quantile,
  sumOf,
  textIn,
  textOf,
  unitsOf,
  type World,
} from './world.ts';

/**
 * The answers to the questions of sql/examples, from the movements of the chain. Rows stand in no
 * order, and every value is a text, a number, a boolean or null.
 */
type Rows = unknown[][];

const iso = (timeMs: number): string => new Date(timeMs).toISOString();
const countOf = (legs: readonly Leg[], isMeant: (leg: Leg) => boolean): number =>
  legs.filter(isMeant).length;
const unitsIn = (legs: readonly Leg[]): bigint => sumOf(legs.map(({ units }) => units));

function busiest(legs: readonly Leg[]): string {
  const groups = grouped(legs, ({ address }) => [address]);
  const ranked = groups
    .map(({ key, rows }) => ({ address: String(key[0]), legs: rows.length }))
    .sort((a, b) => a.legs - b.legs || (a.address < b.address ? -1 : 1));
  return ranked.at(-1)?.address ?? '';
}

function latencies(world: World) {
  return world.crossings
    .filter((row) => row['cross_status'] === '0x1')
    .map((row) => {
      const [main, zone] = [Number(row['main_block_time']), Number(row['zone_block_time'])];
      const isDeposit = row['direction'] === 'MainToZone';
      return {
        direction: row['direction'],
        type: row['cross_type'],
        departedMs: isDeposit ? main : zone,
        seconds: (isDeposit ? zone - main : main - zone) / 1000,
      };
    });
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

/** Legs of fungible tokens and of native value, by address, chain and token. */
export function fungible({ legs }: World) {
  const counted = legs.filter(({ leg, tokenId }) => leg !== 'zone' && tokenId === null);
  return grouped(counted, ({ address, axis, token, standard }) => [address, axis, token, standard]);
}

/** The ids that each address holds on the primary chain at the end. */
function heldIds({ legs }: World) {
  const moved = legs.filter(({ axis, tokenId }) => axis === 'primary' && tokenId !== null);
  return grouped(moved, ({ address, token, standard, tokenId }) => {
    return [address, token, standard, tokenId];
  });
}

export const EXAMPLES: Readonly<Record<string, (world: World) => Rows>> = {
  activity_by_label: ({ legs, labels }) =>
    grouped(legs, ({ address, axis, leg }) => [labels.get(address), axis, leg]).map(
      ({ key, rows }) => [
        ...key,
        new Set(rows.map(({ address }) => address)).size,
        rows.length,
        countOf(rows, ({ succeeded }) => succeeded === false),
        iso(Math.min(...rows.map(({ timeMs }) => timeMs))),
        iso(Math.max(...rows.map(({ timeMs }) => timeMs))),
      ],
    ),
  balances_now: (world) =>
    fungible(world).map(({ key: [address, axis, token], rows }) => {
      const isKnown = axis === 'primary' && token !== null && unitsIn(rows) >= 0n;
      const net = textOf(unitsIn(rows));
      const symbol = greatest(rows.map((leg) => leg.symbol));
      return [
        address,
        axis,
        token,
        symbol,
        isKnown ? 'zero' : 'unknown',
        isKnown ? net : null,
        net,
      ];
    }),
  busiest_hours_in_berlin: ({ legs }) => {
    const format = { hour: 'numeric', hourCycle: 'h23', timeZone: 'Europe/Berlin' } as const;
    const hours = new Intl.DateTimeFormat('en', format);
    const fees = legs.filter(({ leg }) => leg === 'fee');
    return grouped(fees, ({ timeMs }) => [Number(hours.format(timeMs))]).map(({ key, rows }) => [
      ...key,
      rows.length,
    ]);
  },
  cross_chain_latency: (world) =>
    grouped(latencies(world), ({ type, direction }) => [type, direction]).map(({ key, rows }) => {
      const seconds = rows.map((row) => row.seconds);
      return [
        ...key,
        rows.length,
        rows.length,
        rounded(quantile(seconds, 0.5)),
        rounded(quantile(seconds, 0.95)),
        Math.max(...seconds),
        0,
      ];
    }),
  cross_chain_latency_by_hour: (world) =>
    grouped(latencies(world), ({ direction, departedMs }) => {
      return [direction, `${iso(departedMs).slice(0, 13)}:00:00.000Z`];
    }).map(({ key, rows }) => {
      const seconds = rows.map((row) => row.seconds);
      const [median, p95] = [quantile(seconds, 0.5), quantile(seconds, 0.95)];
      return [...key, rows.length, rounded(median), rounded(p95)];
    }),
  failure_rate_by_method: ({ transactions }) =>
    grouped(transactions, (row) => [row['method_id'] || null]).map(({ key: [method], rows }) => {
      const failed = rows.filter((row) => row['tx_status'] === 'fail').length;
      const name = method === '0xa9059cbb' ? 'transfer' : null;
      return [method, name, rows.length, failed, Math.round((10_000 * failed) / rows.length) / 100];
    }),
  fees_by_sender_and_day: ({ legs }) =>
    grouped(
      legs.filter(({ leg }) => leg === 'fee'),
      ({ timeMs, address }) => [dayOf(timeMs), address],
    ).map(({ key, rows }) => [
      ...key,
      rows.length,
      countOf(rows, ({ succeeded }) => succeeded === false),
      textOf(-unitsIn(rows)),
      true,
    ]),
  first_seen: ({ legs, labels }) =>
    grouped(legs, ({ address, axis }) => [address, axis]).map(({ key: [address, axis], rows }) => {
      const block = Math.min(...rows.map((leg) => leg.block));
      const first = rows.filter((leg) => leg.block === block);
      const kinds = first.map(({ leg }) => leg).sort();
      return [
        address,
        labels.get(String(address)),
        axis,
        block,
        dayOf(first[0]?.timeMs ?? 0),
        kinds[0],
      ];
    }),
  gas_by_followed_address_and_day: ({ transactions, addresses }) =>
    grouped(
      transactions.filter((row) => addresses.includes(textIn(row, 'from_address') ?? '')),
      (row) => [dayOf(Number(row['block_time']))],
    ).map(({ key, rows }) => {
      const fees = sumOf(rows.map((row) => unitsOf(textIn(row, 'tx_fee') ?? '0')));
      return [
        ...key,
        new Set(rows.map((row) => row['from_address'])).size,
        rows.length,
        rows.reduce((sum, row) => sum + Number(row['gas_used']), 0),
        textOf(fees),
        Number(textOf(fees)),
      ];
    }),
  gas_price_percentiles: ({ transactions }) =>
    grouped(transactions, (row) => [dayOf(Number(row['block_time']))]).map(({ key, rows }) => {
      const prices = rows.map((row) => Number(row['gas_price'])).sort((a, b) => a - b);
      const at = (share: number) => prices[Math.max(0, Math.ceil(share * prices.length) - 1)];
      return [...key, prices.length, String(at(0.1)), String(at(0.5)), String(at(0.9))];
    }),
  internal_calls_of_failed_transactions: ({ internals, transactions }) => {
    const failed = transactions.filter((row) => row['tx_status'] === 'fail');
    const methods = new Map(failed.map((row) => [row['tx_hash'], row['method_id'] || null]));
    return internals
      .filter((row) => methods.has(row['tx_hash'] ?? ''))
      .map((row) => [
        Number(row['block_number']),
        row['tx_hash'],
        methods.get(row['tx_hash'] ?? ''),
        row['operation'],
        row['from_address'],
        row['to_address'],
        row['amount'],
        'fail',
      ]);
  },
  largest_counterparties: ({ legs }) => {
    const native = legs.filter(
      ({ leg, counterparty }) => (leg === 'value' || leg === 'internal') && counterparty !== null,
    );
    const pairs = grouped(native, ({ address, counterparty }) => [address, counterparty]).map(
      ({ key: [address, counterparty], rows }) => ({
        address: String(address),
        counterparty: String(counterparty),
        received: sumOf(rows.map(({ units }) => (units !== null && units > 0n ? units : 0n))),
        sent: -sumOf(rows.map(({ units }) => (units !== null && units < 0n ? units : 0n))),
        moves: countOf(rows, ({ units }) => units !== null && units !== 0n),
        unknown: countOf(rows, ({ units }) => units === null),
      }),
    );
    const size = (pair: (typeof pairs)[number]) => pair.received + pair.sent;
    return grouped(pairs, ({ address }) => [address]).flatMap(({ rows }) =>
      rows
        .sort((a, b) => {
          if (size(a) !== size(b)) return size(a) < size(b) ? 1 : -1;
          return a.counterparty < b.counterparty ? -1 : 1;
        })
        .slice(0, 10)
        .map((pair, i) => [
          pair.address,
          pair.counterparty,
          Number(textOf(pair.received)),
          Number(textOf(pair.sent)),
          pair.moves,
          pair.unknown,
          i + 1,
        ]),
    );
  },
  ledger_with_running_balance: ({ legs }) => {
    const address = busiest(legs);
    const ledger = legs.filter((leg) => leg.address === address);
    const blocks = grouped(ledger, ({ axis, token, tokenId, block }) => [
      axis,
      token,
      tokenId,
      block,
    ]);
    const tokens = grouped(blocks, ({ key }) => key.slice(0, 3));
    const rows = tokens.flatMap(({ rows: ofToken }) => {
      let balance: bigint | null = null;
      const byHeight = ofToken.toSorted((a, b) => Number(a.key[3]) - Number(b.key[3]));
      return byHeight.flatMap(({ rows: ofBlock }) => {
        if (ofBlock.some(({ units }) => units !== null)) {
          balance = (balance ?? 0n) + unitsIn(ofBlock);
        }
        return ofBlock.map((leg) => ({ leg, balance }));
      });
    });
    return rows.map(({ leg, balance }) => {
      return [
        leg.block,
        dayOf(leg.timeMs),
        leg.axis,
        leg.hash,
        leg.leg,
        leg.direction,
        leg.counterparty,
        leg.symbol,
        leg.token,
        leg.tokenId,
        leg.units === null ? null : textOf(leg.units),
        balance === null ? null : Number(textOf(balance)),
      ];
    });
  },
  nfts_held_now: (world) =>
    heldIds(world).flatMap(({ key: [address, token, standard, id], rows }) => {
      const net = unitsIn(rows);
      const hadOne = standard === 'token_721' && hadOneBefore(rows);
      const amount = hadOne ? ONE + net : net;
      if (amount <= 0n) return [];
      const symbol = greatest(rows.map((leg) => leg.symbol));
      // The chain moves ids that nobody minted: two of one id are a contradiction.
      const shown = hadOne && amount > ONE ? null : textOf(amount);
      return [[address, token, symbol, standard, id, shown, world.last]];
    }),
  token_net_flow: ({ legs }) =>
    grouped(
      legs.filter(({ leg }) => leg === 'token'),
      ({ token, standard }) => [token, standard],
    ).map(({ key: [token, standard], rows }) => [
      token,
      rows.map(({ symbol }) => symbol ?? '').sort()[0],
      standard,
      textOf(unitsIn(rows.filter(({ direction }) => direction === 'in'))),
      textOf(-unitsIn(rows.filter(({ direction }) => direction === 'out'))),
      textOf(unitsIn(rows)),
      rows.length,
    ]),
  token_net_flow_by_month: ({ legs }) =>
    grouped(
      legs.filter(({ leg }) => leg === 'token'),
      ({ timeMs, address, token }) => [`${dayOf(timeMs).slice(0, 7)}-01`, address, token],
    ).map(({ key, rows }) => [
      ...key,
      greatest(rows.map((leg) => leg.symbol)),
      rows.length,
      textOf(unitsIn(rows)),
      Number(textOf(unitsIn(rows))),
    ]),
  token_totals: ({ transfers }) =>
    grouped(transfers, (row) => [row['token_address'], row['token_standard']]).map(
      ({ key, rows }) => {
        const units = sumOf(rows.map((row) => unitsOf(textIn(row, 'amount') ?? '0')));
        return [...key, rows.length, textOf(units), Number(textOf(units))];
      },
    ),
  transfers_by_status: ({ transfers, transactions }) => {
    const settled = new Set(transactions.map((row) => row['tx_hash']));
    return grouped(transfers, (row) => {
      return [row['token_standard'], settled.has(row['tx_hash']) ? 'success' : null];
    }).map(({ key, rows }) => {
      return [...key, rows.length, new Set(rows.map((row) => row['tx_hash'])).size];
    });
  },
  trusted_ranges: ({ addresses, labels, last, lastZone }) =>
    addresses.flatMap((address) => [
      [address, labels.get(address) ?? null, 'primary', 0, last, 0, last],
      [address, labels.get(address) ?? null, 'zone', 0, lastZone, 0, lastZone],
    ]),
  where_data_is_incomplete: () => [],
  zone_activity_of_an_address: ({ legs }) => {
    const there = legs.filter(({ axis }) => axis === 'zone');
    const moves = there.filter(({ address }) => address === busiest(there));
    return moves.map((leg) => [
      leg.block,
      dayOf(leg.timeMs),
      leg.hash,
      leg.leg,
      leg.direction,
      leg.counterparty,
      leg.text,
      leg.succeeded,
    ]);
  },
};
