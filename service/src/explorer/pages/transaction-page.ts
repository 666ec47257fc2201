import { type Html, html, tableHtml } from '../../../../src/export/html/html.ts';
import type { QueryRow } from '../../../../src/load/query/query.ts';
import { textIn } from '../facts/cells.ts';
import type { ShownNames } from '../facts/names.ts';
import type { TransactionFacts } from '../facts/transaction-facts.ts';
import { note, type PageContent, section } from './frame.ts';
import { journeysTable } from './journey-page.ts';
import {
  addressLinks,
  amountPart,
  blockLink,
  coverageText,
  facts,
  number,
  statusPart,
  timeText,
  tokenLink,
} from './parts.ts';

/** A transaction with its calls and transfers, in their order. */
export function transactionPage(transaction: TransactionFacts, names: ShownNames): PageContent {
  const { primary, zone, journeys, isCut, hash } = transaction;
  const cut = isCut
    ? note('The transaction has more calls, transfers or journeys than this page lists.')
    : html``;
  return {
    title: `Transaction ${hash}`,
    searched: hash,
    body: html`<h1>Transaction <code>${hash}</code></h1>
${primary.length > 1 ? note(REORGANISED) : html``}
${primary.map((row) => transactionFactsList(row, names))}
${zone.map((row) => zoneFactsList(row, names))}
${primary.length + zone.length > 0 ? html`` : note(LEGS_ALONE)}${cut}
${journeys.length === 0 ? html`` : journeysPart(transaction, names)}
${zone.length > 0 && primary.length === 0 ? html`` : parts(transaction, names)}`,
  };
}

const REORGANISED = 'The chain was reorganised: the transaction is in several blocks.';
const LEGS_ALONE =
  'The lake has no record of the transaction itself, but records that name its hash.';

function parts(transaction: TransactionFacts, names: ShownNames): Html {
  const calls = html`${wholeNote(transaction, 'internal_transactions', 'internal calls')}
${callsTable(transaction.calls, names)}`;
  const transfers = html`${wholeNote(transaction, 'token_transfers', 'token transfers')}
${transfersTable(transaction.transfers, names)}`;
  return html`${section('calls', 'Internal calls', calls)}
${section('transfers', 'Token transfers', transfers)}`;
}

function wholeNote({ whole }: TransactionFacts, dataset: string, name: string): Html {
  return whole.has(dataset)
    ? note(`All ${name} of this transaction are exported.`, 'known')
    : note(`Only those ${name} are here that lists of exported addresses have: there may be more.`);
}

function transactionFactsList(row: QueryRow, names: ShownNames): Html {
  const method = textIn(row, 'method_name') ?? textIn(row, 'method_id');
  const gas = textIn(row, 'gas_used');
  return facts([
    ['Chain', 'primary'],
    ['Status', statusPart(textIn(row, 'tx_status'))],
    ['Block', blockLink('primary', textIn(row, 'block_number'))],
    ['Time (UTC)', timeText(textIn(row, 'block_time'))],
    ['From', addressLinks(textIn(row, 'from_address'), names)],
    ['To', addressLinks(textIn(row, 'to_address'), names)],
    ['Value', valueText(row)],
    ['Fee', amountPart(textIn(row, 'tx_fee_text'))],
    ['Method', method],
    ['Gas used', gas && number(gas)],
    ['Nonce', textIn(row, 'nonce')],
    ['Coverage of this record', coverageText(textIn(row, 'coverage_status'))],
  ]);
}

function valueText(row: QueryRow): Html {
  const moved = row['succeeded'] === false ? ' (not moved, because it failed)' : '';
  return html`${amountPart(textIn(row, 'amount_text'))} ${textIn(row, 'symbol') ?? ''}${moved}`;
}

function zoneFactsList(row: QueryRow, names: ShownNames): Html {
  const value = textIn(row, 'amount_text');
  const data = textIn(row, 'action_data');
  return html`${facts([
    ['Chain', 'zone'],
    ['Status', statusPart(textIn(row, 'tx_status'))],
    ['Block', blockLink('zone', textIn(row, 'block_number'))],
    ['Place in the block', textIn(row, 'tx_index')],
    ['Time (UTC)', timeText(textIn(row, 'block_time'))],
    ['User', addressLinks(textIn(row, 'from_address'), names)],
    ['Action', textIn(row, 'action_type')],
    ['Amount', value === undefined ? undefined : amountPart(value)],
    ['Error', textIn(row, 'error_message')],
    ['Coverage of this record', coverageText(textIn(row, 'coverage_status'))],
  ])}${data === undefined ? html`` : dataPart(data)}`;
}

const MOST_DATA = 20_000;

function dataPart(data: string): Html {
  const shown = data.length > MOST_DATA ? `${data.slice(0, MOST_DATA)} …` : data;
  return html`<details><summary>The whole action</summary><p><code>${shown}</code></p></details>`;
}

function callsTable(rows: readonly QueryRow[], names: ShownNames): Html {
  if (rows.length === 0) return html`<p>The lake has none.</p>`;
  const cells = rows.map((row, i) => [
    i + 1,
    textIn(row, 'operation') ?? null,
    addressLinks(textIn(row, 'from_address'), names),
    addressLinks(textIn(row, 'to_address'), names),
    amountPart(textIn(row, 'amount_text')),
    statusPart(textIn(row, 'tx_status')),
    coverageText(textIn(row, 'coverage_status')),
  ]);
  const columns = ['place', 'operation', 'from', 'to', 'amount', 'status', 'coverage'];
  const caption = orderCaption(rows);
  return tableHtml({ caption, columns, rows: cells, numbers: ['amount'] });
}

function orderCaption(rows: readonly QueryRow[]): string {
  const isOrdered = rows.every((row) => textIn(row, 'list_position') !== undefined);
  return isOrdered ? 'In the order of the service' : 'Their order is not known';
}

function transfersTable(rows: readonly QueryRow[], names: ShownNames): Html {
  if (rows.length === 0) return html`<p>The lake has none.</p>`;
  const cells = rows.map((row, i) => [
    i + 1,
    tokenLink(row, names),
    addressLinks(textIn(row, 'from_address'), names),
    addressLinks(textIn(row, 'to_address'), names),
    amountPart(textIn(row, 'amount_text')),
    textIn(row, 'token_standard') ?? null,
    coverageText(textIn(row, 'coverage_status')),
  ]);
  const columns = ['place', 'token', 'from', 'to', 'amount', 'standard', 'coverage'];
  return tableHtml({ caption: orderCaption(rows), columns, rows: cells, numbers: ['amount'] });
}

function journeysPart({ journeys, hash }: TransactionFacts, names: ShownNames): Html {
  const link = html`<p><a href="/explore/journey/${hash}">Both legs on one page</a></p>`;
  return section('journeys', 'Cross-chain', html`${journeysTable(journeys, names)}${link}`);
}

const PARTIES = ['source_address', 'target_address'];

/** All addresses that the page names. */
export function addressesNamed(lists: TransactionFacts): (string | undefined)[] {
  const columns = ['from_address', 'to_address', 'token_address'].concat(PARTIES);
  const rows = [lists.primary, lists.zone, lists.calls, lists.transfers, lists.journeys].flat();
  return rows.flatMap((row) => columns.map((column) => textIn(row, column)));
}
