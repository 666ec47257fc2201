import { type Html, html, tableHtml } from '../../../../src/export/html/html.ts';
import type { QueryRow } from '../../../../src/load/query/query.ts';
import { BLOCK_ROWS, type BlockFacts } from '../facts/block-facts.ts';
import { textIn } from '../facts/cells.ts';
import type { ShownNames } from '../facts/names.ts';
import { note, type PageContent, section } from './frame.ts';
import {
  addressLinks,
  amountPart,
  coverageText,
  facts,
  hashLink,
  number,
  statusPart,
  timeText,
} from './parts.ts';

/** A block, and those of its transactions that the lake has. */
export function blockPage(blockFacts: BlockFacts, names: ShownNames): PageContent {
  const { chain, height, block } = blockFacts;
  return {
    title: `Block ${height} of the ${chain} chain`,
    searched: String(height),
    body: html`<h1>Block ${number(height)} of the ${chain} chain</h1>${neighbours(blockFacts)}
${blockFactsList(block, names)}
${section('transactions', 'Transactions', transactions(blockFacts, names))}`,
  };
}

function neighbours({ chain, before, after }: BlockFacts): Html {
  const link = (height: number | undefined, name: string): Html =>
    height === undefined
      ? html``
      : html`<a href="/explore/block/${chain}/${height}">${name} exported block</a>`;
  if (before === undefined && after === undefined) return html``;
  return html`<nav class="pager" aria-label="Blocks">${link(before, 'Previous')}
${link(after, 'Next')}</nav>`;
}

function blockFactsList(block: QueryRow | undefined, names: ShownNames): Html {
  if (block === undefined) return note('The record of the block itself was not exported.');
  const optional = (column: string): Html | undefined => {
    const text = textIn(block, column);
    return text === undefined ? undefined : amountPart(text);
  };
  return facts([
    ['Time (UTC)', timeText(textIn(block, 'block_time'))],
    ['Hash', textIn(block, 'block_hash')],
    ['Transactions', textIn(block, 'txn_count')],
    ['Internal transactions', textIn(block, 'txn_internal')],
    ['Packed by', addressLinks(textIn(block, 'miner') ?? textIn(block, 'validator'), names)],
    ['Amount moved', optional('amount_text')],
    ['Fees', optional('total_fee_text')],
    ['Gas used', optional('gas_used')],
    ['Coverage of this record', coverageText(textIn(block, 'coverage_status'))],
  ]);
}

function transactions(blockFacts: BlockFacts, names: ShownNames): Html {
  const dataset = blockFacts.chain === 'primary' ? 'transactions' : 'zone_transactions';
  const coverage = blockFacts.whole.has(dataset)
    ? note('All transactions of this block are exported.', 'known')
    : note(`Only those transactions are here that lists of exported addresses have, or that were
looked up by hash: there may be more.`);
  if (blockFacts.count === 0) return html`${coverage}<p>The lake has none.</p>`;
  return html`${coverage}${table(blockFacts, names)}${pages(blockFacts)}`;
}

function table({ chain, transactions: rows, count, skip }: BlockFacts, names: ShownNames): Html {
  const isPrimary = chain === 'primary';
  const cells = rows.map((row) => [
    hashLink(textIn(row, 'tx_hash')),
    addressLinks(textIn(row, 'from_address'), names),
    isPrimary
      ? addressLinks(textIn(row, 'to_address'), names)
      : (textIn(row, 'action_type') ?? null),
    amountOf(row, isPrimary),
    statusPart(textIn(row, 'tx_status')),
    coverageText(textIn(row, 'coverage_status')),
  ]);
  const first = number(skip + 1);
  return tableHtml({
    caption: `${first} to ${number(skip + rows.length)} of ${number(count)} exported transactions`,
    columns: ['transaction', 'from', isPrimary ? 'to' : 'action', 'amount', 'status', 'coverage'],
    rows: cells,
    numbers: ['amount'],
  });
}

/** Many actions of the zone chain have no amount. */
function amountOf(row: QueryRow, isPrimary: boolean): Html | null {
  const text = textIn(row, 'amount_text');
  return text === undefined && !isPrimary ? null : amountPart(text);
}

function pages({ chain, height, skip, count }: BlockFacts): Html {
  const path = `/explore/block/${chain}/${height}`;
  const link = (to: number, name: string): Html => html`<a href="${path}?skip=${to}">${name}</a>`;
  const back = skip === 0 ? html`` : link(Math.max(0, skip - BLOCK_ROWS), 'Previous transactions');
  const next = skip + BLOCK_ROWS < count ? link(skip + BLOCK_ROWS, 'More transactions') : html``;
  if (skip === 0 && skip + BLOCK_ROWS >= count) return html``;
  return html`<nav class="pager" aria-label="Pages">${back}${next}</nav>`;
}
