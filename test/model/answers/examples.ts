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
    .map(({ key, of }) => ({ address: String(key[0]), legs: of.length }))
    .sort((a, b) => a.legs - b.legs || (a.address < b.address ? -1 : 1));
  return ranked.at(-1)?.address ?? '';
}

function latencies(world: World) {
  return world.crossings
    .filter((each) => each['cross_status'] === '0x1')
    .map((each) => {
      const [main, zone] = [Number(each['main_block_time']), Number(each['zone_block_time'])];
      const isDeposit = each['direction'] === 'MainToZone';
      return {
        direction: each['direction'],
        type: each['cross_type'],
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
      ({ key, of }) => [
        ...key,
        new Set(of.map(({ address }) => address)).size,
        of.length,
        countOf(of, ({ succeeded }) => succeeded === false),
        iso(Math.min(...of.map(({ timeMs }) => timeMs))),
        iso(Math.max(...of.map(({ timeMs }) => timeMs))),
      ],
    ),
  balances_now: (world) =>
    fungible(world).map(({ key: [address, axis, token], of }) => {
      const isKnown = axis === 'primary' && token !== null && unitsIn(of) >= 0n;
      const net = textOf(unitsIn(of));
      const symbol = greatest(of.map((each) => each.symbol));
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
    return grouped(fees, ({ timeMs }) => [Number(hours.format(timeMs))]).map(({ key, of }) => [
      ...key,
      of.length,
    ]);
  },
  cross_chain_latency: (world) =>
    grouped(latencies(world), ({ type, direction }) => [type, direction]).map(({ key, of }) => {
      const seconds = of.map((each) => each.seconds);
      return [
        ...key,
        of.length,
        of.length,
        rounded(quantile(seconds, 0.5)),
        rounded(quantile(seconds, 0.95)),
        Math.max(...seconds),
        0,
      ];
    }),
  cross_chain_latency_by_hour: (world) =>
    grouped(latencies(world), ({ direction, departedMs }) => {
      return [direction, `${iso(departedMs).slice(0, 13)}:00:00.000Z`];
    }).map(({ key, of }) => {
      const seconds = of.map((each) => each.seconds);
      const [median, p95] = [quantile(seconds, 0.5), quantile(seconds, 0.95)];
      return [...key, of.length, rounded(median), rounded(p95)];
    }),
  failure_rate_by_method: ({ transactions }) =>
    grouped(transactions, (each) => [each['method_id'] || null]).map(({ key: [method], of }) => {
      const failed = of.filter((each) => each['tx_status'] === 'fail').length;
      const name = method === '0xa9059cbb' ? 'transfer' : null;
      return [method, name, of.length, failed, Math.round((10_000 * failed) / of.length) / 100];
    }),
  fees_by_sender_and_day: ({ legs }) =>
    grouped(
      legs.filter(({ leg }) => leg === 'fee'),
      ({ timeMs, address }) => [dayOf(timeMs), address],
    ).map(({ key, of }) => [
      ...key,
      of.length,
      countOf(of, ({ succeeded }) => succeeded === false),
      textOf(-unitsIn(of)),
      true,
    ]),
  first_seen: ({ legs, labels }) =>
    grouped(legs, ({ address, axis }) => [address, axis]).map(({ key: [address, axis], of }) => {
      const block = Math.min(...of.map((each) => each.block));
      const first = of.filter((each) => each.block === block);
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
      transactions.filter((each) => addresses.includes(textIn(each, 'from_address') ?? '')),
      (each) => [dayOf(Number(each['block_time']))],
    ).map(({ key, of }) => {
      const fees = sumOf(of.map((each) => unitsOf(textIn(each, 'tx_fee') ?? '0')));
      return [
        ...key,
        new Set(of.map((each) => each['from_address'])).size,
        of.length,
        of.reduce((sum, each) => sum + Number(each['gas_used']), 0),
        textOf(fees),
        Number(textOf(fees)),
      ];
    }),
  gas_price_percentiles: ({ transactions }) =>
    grouped(transactions, (each) => [dayOf(Number(each['block_time']))]).map(({ key, of }) => {
      const prices = of.map((each) => Number(each['gas_price'])).sort((a, b) => a - b);
      const at = (share: number) => prices[Math.max(0, Math.ceil(share * prices.length) - 1)];
      return [...key, prices.length, String(at(0.1)), String(at(0.5)), String(at(0.9))];
    }),
  internal_calls_of_failed_transactions: ({ internals, transactions }) => {
    const failed = transactions.filter((each) => each['tx_status'] === 'fail');
    const methods = new Map(failed.map((each) => [each['tx_hash'], each['method_id'] || null]));
    return internals
      .filter((each) => methods.has(each['tx_hash'] ?? ''))
      .map((each) => [
        Number(each['block_number']),
        each['tx_hash'],
        methods.get(each['tx_hash'] ?? ''),
        each['operation'],
        each['from_address'],
        each['to_address'],
        each['amount'],
        'fail',
      ]);
  },
  largest_counterparties: ({ legs }) => {
    const native = legs.filter(
      ({ leg, counterparty }) => (leg === 'value' || leg === 'internal') && counterparty !== null,
    );
    const pairs = grouped(native, ({ address, counterparty }) => [address, counterparty]).map(
      ({ key: [address, counterparty], of }) => ({
        address: String(address),
        counterparty: String(counterparty),
        received: sumOf(of.map(({ units }) => (units !== null && units > 0n ? units : 0n))),
        sent: -sumOf(of.map(({ units }) => (units !== null && units < 0n ? units : 0n))),
        moves: countOf(of, ({ units }) => units !== null && units !== 0n),
        unknown: countOf(of, ({ units }) => units === null),
      }),
    );
    const size = (pair: (typeof pairs)[number]) => pair.received + pair.sent;
    return grouped(pairs, ({ address }) => [address]).flatMap(({ of }) =>
      of
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
    const rows = tokens.flatMap(({ of: ofToken }) => {
      let balance: bigint | null = null;
      const byHeight = ofToken.toSorted((a, b) => Number(a.key[3]) - Number(b.key[3]));
      return byHeight.flatMap(({ of: ofBlock }) => {
        if (ofBlock.some(({ units }) => units !== null)) {
          balance = (balance ?? 0n) + unitsIn(ofBlock);
        }
        return ofBlock.map((leg) => ({ leg, balance }));
      });
    });
    return rows.map(({ leg: each, balance }) => {
      return [
        each.block,
        dayOf(each.timeMs),
        each.axis,
        each.hash,
        each.leg,
        each.direction,
        each.counterparty,
        each.symbol,
        each.token,
        each.tokenId,
        each.units === null ? null : textOf(each.units),
        balance === null ? null : Number(textOf(balance)),
      ];
    });
  },
  nfts_held_now: (world) =>
    heldIds(world).flatMap(({ key: [address, token, standard, id], of }) => {
      const net = unitsIn(of);
      const hadOne = standard === 'token_721' && hadOneBefore(of);
      const amount = hadOne ? ONE + net : net;
      if (amount <= 0n) return [];
      const symbol = greatest(of.map((each) => each.symbol));
      // The chain moves ids that nobody minted: two of one id are a contradiction.
      const shown = hadOne && amount > ONE ? null : textOf(amount);
      return [[address, token, symbol, standard, id, shown, world.last]];
    }),
  token_net_flow: ({ legs }) =>
    grouped(
      legs.filter(({ leg }) => leg === 'token'),
      ({ token, standard }) => [token, standard],
    ).map(({ key: [token, standard], of }) => [
      token,
      of.map(({ symbol }) => symbol ?? '').sort()[0],
      standard,
      textOf(unitsIn(of.filter(({ direction }) => direction === 'in'))),
      textOf(-unitsIn(of.filter(({ direction }) => direction === 'out'))),
      textOf(unitsIn(of)),
      of.length,
    ]),
  token_net_flow_by_month: ({ legs }) =>
    grouped(
      legs.filter(({ leg }) => leg === 'token'),
      ({ timeMs, address, token }) => [`${dayOf(timeMs).slice(0, 7)}-01`, address, token],
    ).map(({ key, of }) => [
      ...key,
      greatest(of.map((each) => each.symbol)),
      of.length,
      textOf(unitsIn(of)),
      Number(textOf(unitsIn(of))),
    ]),
  token_totals: ({ transfers }) =>
    grouped(transfers, (each) => [each['token_address'], each['token_standard']]).map(
      ({ key, of }) => {
        const units = sumOf(of.map((each) => unitsOf(textIn(each, 'amount') ?? '0')));
        return [...key, of.length, textOf(units), Number(textOf(units))];
      },
    ),
  transfers_by_status: ({ transfers, transactions }) => {
    const settled = new Set(transactions.map((each) => each['tx_hash']));
    return grouped(transfers, (each) => {
      return [each['token_standard'], settled.has(each['tx_hash']) ? 'success' : null];
    }).map(({ key, of }) => [...key, of.length, new Set(of.map((each) => each['tx_hash'])).size]);
  },
  trusted_ranges: ({ addresses, labels, last, lastZone }) =>
    addresses.flatMap((address) => [
      [address, labels.get(address) ?? null, 'primary', 0, last, 0, last],
      [address, labels.get(address) ?? null, 'zone', 0, lastZone, 0, lastZone],
    ]),
  where_data_is_incomplete: () => [],
  zone_activity_of_an_address: ({ legs }) => {
    const there = legs.filter(({ axis }) => axis === 'zone');
    const own = there.filter(({ address }) => address === busiest(there));
    return own.map((each) => [
      each.block,
      dayOf(each.timeMs),
      each.hash,
      each.leg,
      each.direction,
      each.counterparty,
      each.text,
      each.succeeded,
    ]);
  },
};
