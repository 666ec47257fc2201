import {
  balancesOf,
  type Call,
  callsOf,
  dayOf,
  feeOf,
  highest,
  movesOf,
  paidTo,
  quotient,
  type Rows,
  summed,
  type Truth,
  type Tx,
} from './truth.ts';

/**
 * Queries as people write them for Dune, BigQuery and Etherscan, each with its answer from the
 * simulated chain. ADDRESS and TOKEN stand for values of the reader's own. As docs/familiar-names.md
 * says, casts to NUMERIC are left out.
 */
export interface Pattern {
  readonly sql: string;
  readonly rows: (truth: Truth) => Rows;
}

const WEI = 10n ** 18n;
const hasMoved = ({ ok, type }: Call): boolean => {
  return ok && !['delegatecall', 'callcode', 'staticcall'].includes(type);
};
const names = ({ from, to }: Tx, address: string): boolean => from === address || to === address;

export const PATTERNS: Readonly<Record<string, Pattern>> = {
  'BigQuery: ether balances of all addresses by double entry': {
    sql: `with double_entry_book as (
    -- debits
    select to_address as address, value as value
    from \`bigquery-public-data.crypto_ethereum.traces\`
    where to_address is not null
    and status = 1
    and (call_type not in ('delegatecall', 'callcode', 'staticcall') or call_type is null)
    union all
    -- credits
    select from_address as address, -value as value
    from crypto_ethereum.traces
    where from_address is not null
    and status = 1
    and (call_type not in ('delegatecall', 'callcode', 'staticcall') or call_type is null)
    union all
    -- transaction fees debits
    select miner as address, sum(receipt_gas_used * gas_price) as value
    from crypto_ethereum.transactions as transactions
    join \`bigquery-public-data\`.crypto_ethereum.blocks as blocks on blocks.number = transactions.block_number
    group by blocks.number, blocks.miner
    union all
    -- transaction fees credits
    select from_address as address,
      -(receipt_gas_used * gas_price) as value
    from crypto_ethereum.transactions
)
select address, cast(sum(value) as varchar) as balance
from double_entry_book
group by address
having sum(value) <> 0`,
    rows: (truth) => balancesOf(truth).map(([address, wei]) => [address, String(wei)]),
  },
  'BigQuery: transactions per day': {
    sql: `SELECT DATE(block_timestamp) AS day, COUNT(*) AS transactions
FROM crypto_ethereum.transactions
WHERE block_timestamp >= '2000-01-01'
GROUP BY day ORDER BY day`,
    rows: ({ txs }) => summed(txs, dayOf, () => 1).map(([day, count]) => [day, count]),
  },
  'BigQuery: addresses that spent most gas': {
    sql: `SELECT from_address, SUM(receipt_gas_used) AS gas_used
FROM crypto_ethereum.transactions
GROUP BY from_address ORDER BY gas_used DESC, from_address LIMIT 10`,
    rows: ({ txs }) =>
      highest(
        summed(
          txs,
          ({ from }) => from,
          ({ gasUsed }) => gasUsed,
        ),
        10,
        // Sums of 64-bit numbers are texts.
      ).map(([address, gas]) => [address, String(gas)]),
  },
  'BigQuery: most popular tokens by number of transfers': {
    sql: `SELECT token_address, COUNT(1) AS tx_count
FROM crypto_ethereum.token_transfers
GROUP BY token_address ORDER BY tx_count DESC, token_address LIMIT 10`,
    rows: (truth) => {
      const moves = [...movesOf(truth, 'token_20'), ...movesOf(truth, 'token_721')];
      return highest(
        summed(
          moves,
          ({ token }) => token,
          () => 1,
        ),
        10,
      );
    },
  },
  'BigQuery: how full blocks are': {
    sql: `SELECT number, gas_used / gas_limit AS utilization, transaction_count
FROM crypto_ethereum.blocks ORDER BY number`,
    rows: ({ blocks }) =>
      blocks.map((block) => [block.number, block.gasUsed / block.gasLimit, block.transactions]),
  },
  'BigQuery: failed transactions of each sender': {
    sql: `SELECT from_address, COUNTIF(receipt_status = 0) AS failed
FROM crypto_ethereum.transactions GROUP BY 1 HAVING failed > 0`,
    rows: ({ txs }) =>
      summed(
        txs.filter(({ ok }) => !ok),
        ({ from }) => from,
        () => 1,
      ),
  },
  'BigQuery: contracts created by internal transactions, and what they are': {
    sql: `SELECT contracts.address, contracts.block_number, traces.from_address AS creator
FROM crypto_ethereum.contracts AS contracts
JOIN crypto_ethereum.traces AS traces ON traces.to_address = contracts.address
WHERE traces.trace_type = 'create' AND traces.status = 1`,
    rows: ({ calls }) =>
      calls
        .filter(({ type, ok }) => type === 'create' && ok)
        .map(({ to, block, from }) => [to, block, from]),
  },
  'Dune: daily active addresses': {
    sql: `SELECT date_trunc('day', block_time) AS day, COUNT(DISTINCT "from") AS active
FROM ethereum.transactions
WHERE block_time > now() - interval '100' year
GROUP BY 1 ORDER BY 1`,
    rows: ({ txs }) =>
      summed(
        [...new Set(txs.map((tx) => `${dayOf(tx)} ${tx.from}`))],
        (key) => {
          return `${key.slice(0, 10)}T00:00:00.000Z`;
        },
        () => 1,
      ),
  },
  'Dune: share of successful transactions per day': {
    sql: `SELECT block_date, AVG(CASE WHEN success THEN 1.0 ELSE 0.0 END) AS success_rate
FROM ethereum.transactions GROUP BY 1`,
    rows: ({ txs }) =>
      summed(txs, dayOf, () => 1).map(([day, count]) => {
        const good = txs.filter((tx) => dayOf(tx) === day && tx.ok).length;
        return [day, good / Number(count)];
      }),
  },
  'Dune: fees in ether per day': {
    sql: `SELECT block_date, SUM(gas_used * gas_price / 1e18) AS fees_eth
FROM ethereum.transactions GROUP BY 1`,
    rows: ({ txs }) =>
      summed(txs, dayOf, (tx) => Number(feeOf(tx)) / 1e18).map(([day, fees]) => [day, fees]),
  },
  'Dune: contracts with most transactions': {
    sql: `SELECT "to" AS contract, COUNT(*) AS transactions
FROM ethereum.transactions WHERE "to" IS NOT NULL
GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5`,
    rows: ({ txs }) => {
      const sent = txs.filter(({ to }) => to !== null);
      return highest(
        summed(
          sent,
          ({ to }) => String(to),
          () => 1,
        ),
        5,
      );
    },
  },
  'Dune: new addresses per day': {
    sql: `WITH first_seen AS (
  SELECT "from" AS address, MIN(block_time) AS first_time FROM ethereum.transactions GROUP BY 1
)
SELECT CAST(date_trunc('day', first_time) AS date) AS day, COUNT(*) AS new_addresses
FROM first_seen GROUP BY 1`,
    rows: ({ txs }) => {
      const first = new Map<string, Tx>();
      for (const tx of txs) if (!first.has(tx.from)) first.set(tx.from, tx);
      return summed([...first.values()], dayOf, () => 1);
    },
  },
  'Dune: ether balance of an address from traces and fees': {
    sql: `SELECT SUM(amount) / 1e18 AS balance FROM (
  SELECT CAST(value AS double) AS amount FROM ethereum.traces
  WHERE "to" = 'ADDRESS' AND success
    AND (call_type NOT IN ('delegatecall', 'callcode', 'staticcall') OR call_type IS NULL)
  UNION ALL
  SELECT -CAST(value AS double) FROM ethereum.traces
  WHERE "from" = 'ADDRESS' AND success
    AND (call_type NOT IN ('delegatecall', 'callcode', 'staticcall') OR call_type IS NULL)
  UNION ALL
  SELECT -CAST(gas_used AS double) * gas_price FROM ethereum.transactions WHERE "from" = 'ADDRESS'
)`,
    rows: (truth) => {
      const fees = truth.txs.filter(({ from }) => from === truth.address);
      const paid = fees.reduce((sum, tx) => sum + feeOf(tx), 0n);
      return [[Number(paidTo(truth, truth.address) - paid) / 1e18]];
    },
  },
  'Dune: largest ether transfers': {
    sql: `SELECT hash, value / 1e18 AS eth FROM ethereum.transactions
WHERE value > 5000000000000000000 AND success ORDER BY value DESC, hash LIMIT 20`,
    rows: ({ txs }) =>
      txs
        .filter(({ wei, ok }) => wei > 5n * WEI && ok)
        .sort((a, b) => Number(b.wei - a.wei) || (a.hash < b.hash ? -1 : 1))
        .slice(0, 20)
        .map(({ hash, wei }) => [hash, Number(wei) / 1e18]),
  },
  'Dune: holders of a token from its transfers': {
    sql: `WITH transfers AS (
  SELECT "to" AS address, value AS amount FROM erc20_ethereum.evt_Transfer
  WHERE contract_address = 'TOKEN'
  UNION ALL
  SELECT "from" AS address, -value AS amount FROM erc20_ethereum.evt_Transfer
  WHERE contract_address = 'TOKEN'
)
SELECT address, SUM(amount) AS balance FROM transfers
GROUP BY 1 HAVING SUM(amount) > 0 ORDER BY 2 DESC`,
    rows: (truth) => {
      const moves = movesOf(truth, 'token_20').filter(({ token }) => token === truth.token);
      const sums = new Map<string, bigint>();
      for (const { from, to, raw } of moves) {
        sums.set(to, (sums.get(to) ?? 0n) + (raw ?? 0n));
        sums.set(from, (sums.get(from) ?? 0n) - (raw ?? 0n));
      }
      return [...sums]
        .filter(([, sum]) => sum > 0n)
        .map(([address, sum]) => {
          return [address, sum > BigInt(Number.MAX_SAFE_INTEGER) ? String(sum) : Number(sum)];
        });
    },
  },
  'Dune: volume of each token, with its decimals': {
    sql: `SELECT t.symbol, SUM(e.value / POWER(10, t.decimals)) AS volume, COUNT(*) AS transfers
FROM erc20_ethereum.evt_Transfer e
JOIN tokens.erc20 t ON t.contract_address = e.contract_address AND t.blockchain = 'ethereum'
GROUP BY 1`,
    rows: (truth) => {
      const moves = movesOf(truth, 'token_20').filter(({ raw }) => raw !== null);
      return summed(
        moves,
        ({ symbol }) => symbol,
        ({ whole }) => whole,
      ).map(([symbol, sum]) => {
        return [symbol, sum, moves.filter((move) => move.symbol === symbol).length];
      });
    },
  },
  'Dune: transfers of all standards by symbol': {
    sql: `SELECT token_standard, symbol, SUM(amount) AS volume FROM tokens.transfers
WHERE blockchain = 'ethereum' AND block_date >= DATE '2000-01-01'
  AND token_standard IN ('erc20', 'erc721', 'erc1155') GROUP BY 1, 2`,
    rows: (truth) =>
      (['20', '721', '1155'] as const).flatMap((standard) =>
        summed(
          movesOf(truth, `token_${standard}`),
          ({ symbol }) => symbol,
          ({ whole }) => whole,
        ).map(([symbol, sum]) => [`erc${standard}`, symbol, sum]),
      ),
  },
  'Dune: NFTs minted per contract': {
    sql: `SELECT contract_address, COUNT(*) AS minted, COUNT(DISTINCT "tokenId") AS ids
FROM erc721_ethereum.evt_Transfer
WHERE "from" = '0x0000000000000000000000000000000000000000' GROUP BY 1`,
    rows: (truth) => {
      const mints = movesOf(truth, 'token_721').filter(({ from }) => /^0x0+$/.test(from));
      return summed(
        mints,
        ({ token }) => token,
        () => 1,
      ).map(([token, count]) => {
        const ids = mints.filter((mint) => mint.token === token).map(({ id }) => id);
        return [token, count, new Set(ids).size];
      });
    },
  },
  'Dune: base fee per block in gwei': {
    sql: `SELECT number, base_fee_per_gas / 1e9 AS base_fee_gwei FROM ethereum.blocks`,
    rows: ({ blocks }) => blocks.map(({ number, baseFee }) => [number, Number(baseFee) / 1e9]),
  },
  'Etherscan: transactions of an address, oldest first': {
    sql: `SELECT "blockNumber", "timeStamp", hash, "from", "to", value / 1e18 AS ether, "isError"
FROM etherscan.txlist WHERE "from" = 'ADDRESS' OR "to" = 'ADDRESS'
ORDER BY "blockNumber"`,
    rows: ({ txs, address }) =>
      txs
        .filter((tx) => names(tx, address))
        .map(({ block, timeMs, hash, from, to, wei, ok }) => {
          return [block, Math.floor(timeMs / 1000), hash, from, to, Number(wei) / 1e18, ok ? 0 : 1];
        }),
  },
  'Etherscan: fees that an address paid by month': {
    sql: `SELECT strftime(to_timestamp(timeStamp), '%Y-%m') AS month,
  SUM(gasUsed * gasPrice) / 1e18 AS fees
FROM etherscan.txlist WHERE "from" = 'ADDRESS' GROUP BY month`,
    rows: ({ txs, address }) =>
      summed(
        txs.filter(({ from }) => from === address),
        (tx) => dayOf(tx).slice(0, 7),
        (tx) => Number(feeOf(tx)) / 1e18,
      ),
  },
  'Etherscan: ether that contracts sent to each address': {
    sql: `SELECT "to", SUM(value) / 1e18 AS received, COUNT(*) AS calls
FROM etherscan.txlistinternal WHERE "isError" = 0 AND type = 'call' AND value > 0 GROUP BY "to"`,
    rows: (truth) => {
      const calls = callsOf(truth).filter((call) => {
        return hasMoved(call) && call.type === 'call' && call.wei > 0n;
      });
      return summed(
        calls,
        ({ to }) => to,
        ({ wei }) => Number(wei) / 1e18,
      ).map(([to, sum]) => {
        return [to, sum, calls.filter((call) => call.to === to).length];
      });
    },
  },
  'Etherscan: net flow of each token of an address': {
    sql: `SELECT "tokenSymbol",
  SUM(CASE WHEN "to" = 'ADDRESS' THEN value ELSE 0 END
    - CASE WHEN "from" = 'ADDRESS' THEN value ELSE 0 END) / pow(10, MAX("tokenDecimal")) AS net
FROM etherscan.tokentx
WHERE ("from" = 'ADDRESS' OR "to" = 'ADDRESS') AND "tokenDecimal" IS NOT NULL GROUP BY 1`,
    rows: (truth) => {
      const { address } = truth;
      const moves = movesOf(truth, 'token_20').filter(({ raw, from, to }) => {
        return raw !== null && (from === address || to === address);
      });
      const nets = new Map<string, { raw: bigint; decimals: number }>();
      for (const { symbol, raw, from, to, decimals } of moves) {
        const { raw: sum } = nets.get(symbol) ?? { raw: 0n };
        const gain = (to === address ? (raw ?? 0n) : 0n) - (from === address ? (raw ?? 0n) : 0n);
        nets.set(symbol, { raw: sum + gain, decimals });
      }
      return [...nets].map(([symbol, { raw, decimals }]) => [symbol, quotient(raw, decimals)]);
    },
  },
  'Etherscan: NFTs that an address received': {
    sql: `SELECT hash, "contractAddress", "tokenID", "tokenSymbol" FROM etherscan.tokennfttx
WHERE "to" = 'ADDRESS' ORDER BY "blockNumber"`,
    rows: (truth) =>
      movesOf(truth, 'token_721')
        .filter(({ to }) => to === truth.address)
        .map(({ hash, token, id, symbol }) => [hash, token, id, symbol]),
  },
  'Etherscan: ERC-1155 units moved by id': {
    sql: `SELECT "contractAddress", "tokenID", SUM("tokenValue") AS units
FROM etherscan.token1155tx GROUP BY 1, 2`,
    rows: (truth) =>
      summed(
        movesOf(truth, 'token_1155'),
        ({ token, id }) => `${token} ${id}`,
        ({ whole }) => whole,
      ).map(([key, units]) => [...String(key).split(' '), units]),
  },
  'Etherscan: methods that an address called': {
    sql: `SELECT "methodId", "functionName", COUNT(*) AS calls FROM etherscan.txlist
WHERE "from" = 'ADDRESS' GROUP BY 1, 2`,
    rows: ({ txs, address, methods }) =>
      summed(
        txs.filter(({ from }) => from === address),
        ({ methodId }) => methodId ?? '',
        () => 1,
      ).map(([id, calls]) => [id === '' ? null : id, methods.get(String(id)) ?? null, calls]),
  },
};
