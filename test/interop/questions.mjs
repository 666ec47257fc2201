import { windrow } from './windrow.mjs';

/**
 * Questions of analysts about curated tables. Their SQL is understood by DuckDB, ClickHouse,
 * DataFusion and polars alike; `windrow` asks the same of a view of the warehouse.
 */

/** The records that the questions are about, all found in the lake. */
const SUBJECTS = `SELECT
  (SELECT arg_max(tx_hash, (records, tx_hash)) FROM (
    SELECT tx_hash, count(*) AS records FROM token_transfers SEMI JOIN transactions USING (tx_hash)
    GROUP BY ALL)) AS hash,
  (SELECT arg_max(from_address, (records, from_address)) FROM (
    SELECT from_address, count(*) AS records FROM transactions GROUP BY ALL)) AS sender,
  (SELECT arg_max(address, (records, address)) FROM (
    SELECT address, count(*) AS records FROM address_activity
    WHERE signed_amount IS NOT NULL AND axis = 'primary' AND token_address IS NULL
    GROUP BY ALL)) AS address,
  (SELECT arg_max(token_address, (records, token_address)) FROM (
    SELECT token_address, count(*) AS records FROM token_transfers
    WHERE token_standard = 'token_20' GROUP BY ALL)) AS token,
  (SELECT arg_max(token_address, (records, token_address)) FROM (
    SELECT token_address, count(*) AS records FROM token_transfers
    WHERE token_standard = 'token_721' GROUP BY ALL)) AS nft,
  (SELECT CAST(quantile_disc(block_number, 0.4) AS VARCHAR) FROM transactions) AS low,
  (SELECT CAST(quantile_disc(block_number, 0.6) AS VARCHAR) FROM transactions) AS high,
  (SELECT zone_tx_hash FROM cross_chain_transfers ORDER BY ALL LIMIT 1) AS crossing`;

/** The questions about a lake: `readers` for all readers and `windrow`, each SQL by name. */
export async function questionsAbout(root) {
  const [subjects] = await windrow('query', SUBJECTS, '--data', root);
  const questions = { readers: {}, windrow: {} };
  for (const [name, { readers, windrow: form = readers }] of Object.entries(templates(subjects))) {
    questions.readers[name] = readers;
    questions.windrow[name] = form;
  }
  return questions;
}

/** The rows that windrow answers to each question; all are asked in one query. */
export async function answersOfWindrow(root, questions) {
  if (Object.keys(questions).length === 0) return new Map();
  const columns = Object.entries(questions).map(([name, sql]) => {
    return `(SELECT list(answer) FROM (${sql}) AS answer) AS "${name}"`;
  });
  const [answers] = await windrow('query', `SELECT ${columns.join(',')}`, '--data', root);
  const rowsOf = (answer) => (answer ?? []).map((row) => Object.values(row));
  return new Map(Object.entries(answers).map(([name, answer]) => [name, rowsOf(answer)]));
}

function templates({ hash, sender, address, token, nft, low, high, crossing }) {
  const range = `block_number BETWEEN ${low} AND ${high}`;
  const native = `address = '${address}' AND axis = 'primary' AND token_address IS NULL`;
  return {
    'number of transactions': { readers: 'SELECT count(*) AS records FROM transactions' },
    'one transaction': {
      readers: `SELECT block_number, block_time, block_date, from_address, to_address, amount_text,
          amount, amount_double, tx_fee, succeeded, coverage_status
        FROM transactions WHERE tx_hash = '${hash}'`,
    },
    'transactions of a range of blocks': {
      readers: `SELECT count(*) AS records, count(DISTINCT from_address) AS senders,
          sum(amount) AS amount FROM transactions WHERE ${range}`,
    },
    'one sender': {
      readers: `SELECT tx_status, count(*) AS records, min(block_number) AS low,
          max(block_number) AS high, sum(tx_fee) AS fees
        FROM transactions WHERE from_address = '${sender}' GROUP BY tx_status ORDER BY tx_status`,
    },
    'flow of a token per day': {
      readers: `SELECT block_date AS day, count(*) AS transfers,
          count(DISTINCT from_address) AS senders
        FROM token_transfers
        WHERE token_address = '${token}' AND (tx_status IS NULL OR tx_status <> 'fail')
        GROUP BY block_date ORDER BY day`,
      windrow: `SELECT day, sum(transfers) AS transfers, count(DISTINCT from_address) AS senders
        FROM token_flows WHERE token_address = '${token}' GROUP BY day ORDER BY day`,
    },
    'internal transactions of a range of blocks': {
      readers: `SELECT operation, count(*) AS records, sum(amount) AS amount
        FROM internal_transactions WHERE ${range} GROUP BY operation ORDER BY operation`,
    },
    'token transfers of one transaction': {
      readers: `SELECT token_address, token_standard, from_address, to_address, amount_text, succeeded
        FROM token_transfers WHERE tx_hash = '${hash}'
        ORDER BY token_address, from_address, to_address, amount_text`,
    },
    'cross-chain journeys by direction': {
      readers: `SELECT direction, count(*) AS records, count(latency_seconds) AS timed,
          min(latency_seconds) AS fastest, max(latency_seconds) AS slowest
        FROM cross_chain_journeys GROUP BY direction ORDER BY direction`,
    },
    'one cross-chain transfer': {
      readers: `SELECT zone_block_number, zone_block_time, main_tx_hash, amount_text, amount, direction
        FROM cross_chain_transfers WHERE zone_tx_hash = '${crossing}'
        ORDER BY main_tx_hash, amount_text`,
    },
    'one address': {
      readers: `SELECT leg, direction, count(*) AS records, sum(signed_amount) AS amount
        FROM address_activity
        WHERE ${native}
        GROUP BY leg, direction ORDER BY leg, direction`,
    },
    'running balance of one address': {
      readers: `SELECT block_date, sum(moved) OVER (ORDER BY block_date) AS balance
        FROM (SELECT block_date, sum(signed_amount) AS moved FROM address_activity
          WHERE ${native} GROUP BY block_date) AS days
        ORDER BY block_date`,
    },
    'counterparties of one address': {
      readers: `SELECT counterparty, count(*) AS records FROM address_activity
        WHERE address = '${address}' AND axis = 'primary' AND counterparty IS NOT NULL
        GROUP BY counterparty ORDER BY records DESC, counterparty LIMIT 20`,
    },
    'fees per day': {
      readers: `SELECT block_date, count(*) AS records, sum(tx_fee) AS fees
        FROM transactions GROUP BY block_date ORDER BY block_date`,
    },
    'owners of an NFT contract': {
      // Transfers of one id in its last block have no order, so all their recipients count.
      readers: `SELECT to_address, count(*) AS ids
        FROM token_transfers AS t JOIN (
          SELECT token_id AS id, max(block_number) AS last_block FROM token_transfers
          WHERE token_address = '${nft}' GROUP BY token_id
        ) AS newest ON t.token_id = newest.id AND t.block_number = newest.last_block
        WHERE t.token_address = '${nft}'
        GROUP BY to_address ORDER BY ids DESC, to_address`,
    },
    'actions on the zone chain': {
      readers: `SELECT action_type, count(*) AS records, count(DISTINCT from_address) AS users
        FROM zone_transactions GROUP BY action_type ORDER BY action_type`,
    },
  };
}
