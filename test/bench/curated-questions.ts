import type { DuckDBConnection } from '@duckdb/node-api';
import { literal } from '../../src/land/storage/sql-text.ts';
import { cleanFileIn } from './made-up/clean-tables.ts';

/**
 * Questions of analysts, each as SQL over the views of the warehouse and as SQL over the clean
 * files of a made-up lake (`made-up-lake.ts`). Both must have equal answers.
 */

export interface Question {
  readonly name: string;
  /** SQL over the views of the warehouse. */
  readonly warehouse: string;
  /** SQL over the clean files. */
  readonly clean: string;
}

/** The records that questions are about. They are in the middle of the lake. */
export interface Subjects {
  readonly hash: string;
  /** A transaction with many token transfers. */
  readonly hashOfTransfers: string;
  readonly firstBlock: number;
  readonly lastBlock: number;
  /** A followed address with many records, but not the busiest. */
  readonly address: string;
  readonly token: string;
  readonly nft: string;
  /** First and last day of a month. */
  readonly firstDay: string;
  readonly lastDay: string;
}

const BLOCKS = 1000;
const MONTH_DAYS = 30;
/** Rank of the followed address by its number of transactions. */
const ADDRESS_RANK = 10;

/** Selects subjects from the clean files. */
export async function subjectsIn(connection: DuckDBConnection, folder: string): Promise<Subjects> {
  const values = async (sql: string): Promise<readonly unknown[]> =>
    (await connection.runAndReadAll(sql)).getRowsJson()[0] ?? [];
  const fileOf = cleanFileIn(folder);
  const [transactions, transfers] = ['transactions', 'token_transfers'].map(fileOf);
  const [lowest, highest, days] = (
    await values(
      `SELECT min(block_number), max(block_number), max(block_date) - min(block_date)
       FROM ${transactions}`,
    )
  ).map(Number);
  const middle = Math.floor(((lowest ?? 0) + (highest ?? 0)) / 2);
  const firstBlock = Math.max(lowest ?? 0, middle - BLOCKS / 2);
  const skipped = Math.max(0, Math.floor(((days ?? 0) - MONTH_DAYS) / 2));
  const [hash] = await values(
    `SELECT min(tx_hash) FROM ${transactions} WHERE block_number BETWEEN ${middle} AND ${middle + 9}`,
  );
  const [hashOfTransfers] = await values(
    `SELECT tx_hash FROM ${transfers} WHERE block_number BETWEEN ${middle} AND ${middle + 99}
     GROUP BY ALL ORDER BY count(*) DESC, tx_hash LIMIT 1`,
  );
  const [address] = await values(
    `SELECT from_address FROM ${transactions} WHERE NOT from_is_contract
     GROUP BY ALL ORDER BY count(*) DESC, from_address LIMIT 1 OFFSET ${ADDRESS_RANK}`,
  );
  const busiest = (standard: string): Promise<readonly unknown[]> =>
    values(
      `SELECT token_address FROM ${transfers}
       WHERE token_standard = ${literal(standard)} AND amount IS NOT NULL
       GROUP BY ALL ORDER BY count(*) DESC, token_address LIMIT 1`,
    );
  const [token] = await busiest('token_20');
  const [nft] = await busiest('token_721');
  const [firstDay, lastDay] = await values(
    `SELECT CAST(min(block_date) + ${skipped} AS VARCHAR),
       CAST(min(block_date) + ${skipped + MONTH_DAYS - 1} AS VARCHAR)
     FROM ${transactions}`,
  );
  const text = String;
  return {
    hash: text(hash),
    hashOfTransfers: text(hashOfTransfers),
    firstBlock,
    lastBlock: firstBlock + BLOCKS - 1,
    address: text(address),
    token: text(token),
    nft: text(nft),
    firstDay: text(firstDay),
    lastDay: text(lastDay),
  };
}

/** The questions. Those that read the same columns of a view and of a file share their SQL. */
export function questionsAbout(subjects: Subjects, folder: string): Question[] {
  const fileOf = cleanFileIn(folder);
  return templates(subjects).map(({ name, table, sql, clean = { table, sql } }) => {
    return { name, warehouse: sql(table), clean: clean.sql(fileOf(clean.table)) };
  });
}

interface Template {
  readonly name: string;
  /** The view that is asked. */
  readonly table: string;
  readonly sql: (from: string) => string;
  /** By hand, where the clean files have no table of this name. */
  readonly clean?: { readonly table: string; readonly sql: (from: string) => string };
}

/** Sums of one token's transfers: over the flows, and over the transfers themselves. */
function flow(name: string, within: (day: string) => string, token: string): Template {
  const ofToken = `token_address = ${literal(token)}`;
  return {
    name,
    table: 'token_flows_daily',
    sql: (from) => `SELECT day, transfers, amount_double AS amount, senders
      FROM ${from} WHERE ${ofToken} AND ${within('day')} ORDER BY day`,
    clean: {
      table: 'token_transfers',
      sql: (from) => `SELECT block_date AS day, count(*) AS transfers,
          sum(amount_double) AS amount, count(DISTINCT from_address) AS senders
        FROM ${from}
        WHERE ${ofToken} AND ${within('block_date')} AND tx_status IS DISTINCT FROM 'fail'
        GROUP BY day ORDER BY day`,
    },
  };
}

function templates(subjects: Subjects): Template[] {
  const { hash, hashOfTransfers, address, token, nft, firstDay, lastDay } = subjects;
  const inBlocks = `block_number BETWEEN ${subjects.firstBlock} AND ${subjects.lastBlock}`;
  const inMonth = (day: string): string =>
    `${day} BETWEEN DATE ${literal(firstDay)} AND DATE ${literal(lastDay)}`;
  const ofAddress = `address = ${literal(address)}`;
  return [
    {
      name: 'nothing: the cost of a process',
      table: 'transactions',
      sql: () => 'SELECT 1 AS one',
    },
    {
      name: 'count of transactions',
      table: 'transactions',
      sql: (from) => `SELECT count(*) AS records FROM ${from}`,
    },
    {
      name: 'one transaction by hash',
      table: 'transactions',
      sql: (from) => `SELECT block_number, block_time, tx_hash, from_address, to_address,
          amount_text, amount, tx_fee_text, tx_status, nonce, gas_used, coverage_status
        FROM ${from} WHERE tx_hash = ${literal(hash)}`,
    },
    {
      name: 'transactions of 1,000 blocks',
      table: 'transactions',
      sql: (from) => `SELECT block_number, count(*) AS records, sum(amount) AS amount,
          sum(tx_fee) AS fees, count(DISTINCT from_address) AS senders
        FROM ${from} WHERE ${inBlocks} GROUP BY block_number ORDER BY block_number`,
    },
    {
      name: 'one sender',
      table: 'transactions',
      sql: (
        from,
      ) => `SELECT count(*) AS records, count(*) FILTER (WHERE tx_status = 'fail') AS failed,
          sum(amount) AS amount, sum(tx_fee) AS fees, max(nonce) AS last_nonce
        FROM ${from} WHERE from_address = ${literal(address)}`,
    },
    flow('flow of one token per day of a month', inMonth, token),
    flow('flow of one token per day of all time', () => 'true', token),
    {
      name: 'internal transactions of 1,000 blocks',
      table: 'internal_transactions',
      sql: (from) => `SELECT operation, count(*) AS records, sum(amount) AS amount,
          count(*) FILTER (WHERE tx_status = 'fail') AS failed
        FROM ${from} WHERE ${inBlocks} GROUP BY operation ORDER BY operation`,
    },
    {
      name: 'transfers of one transaction',
      table: 'token_transfers',
      sql: (from) => `SELECT block_number, token_address, token_standard, token_id, from_address,
          to_address, amount_text, tx_status, occurrence, coverage_status
        FROM ${from} WHERE tx_hash = ${literal(hashOfTransfers)} ORDER BY ALL`,
    },
    {
      name: 'cross-chain journeys by direction',
      table: 'cross_chain_journeys',
      sql: (from) => `SELECT direction, cross_status, count(*) AS records,
          avg(latency_seconds) AS latency_seconds, count(*) FILTER (WHERE main_leg_found) AS matched
        FROM ${from} GROUP BY ALL ORDER BY ALL`,
    },
    {
      name: 'one address in one month',
      table: 'address_activity',
      sql: (from) => `SELECT leg, direction, count(*) AS records, sum(signed_double) AS amount
        FROM ${from} WHERE ${ofAddress} AND ${inMonth('block_date')}
        GROUP BY leg, direction ORDER BY leg, direction`,
    },
    {
      name: 'running balance of one address',
      table: 'address_activity',
      sql: (from) => `SELECT block_date,
          sum(sum(signed_amount)) OVER (ORDER BY block_date) AS balance
        FROM ${from} WHERE ${ofAddress} AND axis = 'primary' AND token_address IS NULL
        GROUP BY block_date ORDER BY block_date`,
    },
    {
      name: 'top counterparties of one address',
      table: 'address_activity',
      sql: (from) => `SELECT counterparty, count(*) AS records,
          count(DISTINCT token_address) AS tokens
        FROM ${from} WHERE ${ofAddress} AND counterparty IS NOT NULL
        GROUP BY counterparty ORDER BY records DESC, counterparty LIMIT 20`,
    },
    {
      name: 'fees per day',
      table: 'transactions',
      sql: (from) => `SELECT block_date, count(*) AS records, sum(tx_fee) AS fees
        FROM ${from} GROUP BY block_date ORDER BY block_date`,
    },
    {
      name: 'holders of an NFT contract',
      table: 'token_transfers',
      // Transfers of one id in one block have no order in all lists, so hash and recipient decide.
      sql: (from) => `SELECT owner, count(*) AS ids FROM (
          SELECT token_id, max_by(to_address, (block_number, tx_hash, to_address)) AS owner
          FROM ${from} WHERE token_address = ${literal(nft)} GROUP BY token_id
        ) GROUP BY owner ORDER BY ids DESC, owner LIMIT 100`,
    },
  ];
}
