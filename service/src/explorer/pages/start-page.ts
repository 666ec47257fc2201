import { html, tableHtml } from '../../../../src/export/html/html.ts';
import { matrixHtml } from '../../../../src/export/html/matrix.ts';
import type { QueryRow } from '../../../../src/load/query/query.ts';
import type { ReconciliationMatrix } from '../../../../src/load/query/reconciled.ts';
import { textIn } from '../facts/cells.ts';
import { type Hit, MOST_LABELS } from '../facts/found.ts';
import { type PageContent, section } from './frame.ts';
import { number } from './parts.ts';

/** Addresses on the first page; one more is passed, where there are more. */
export const MOST_ADDRESSES = 12;

/** The first page: a few addresses, and the tables of the lake. */
export function startPage(
  addresses: readonly QueryRow[],
  tables: readonly QueryRow[],
): PageContent {
  const links = addresses.slice(0, MOST_ADDRESSES).map((row) => {
    const address = textIn(row, 'address') ?? '';
    const label = textIn(row, 'label');
    return html`<li><a class="mono" href="/explore/address/${address}">${address}</a>
${label === undefined ? '' : ` ${label}`}</li>`;
  });
  const rows = tables.map((row) => [
    textIn(row, 'chain') ?? null,
    textIn(row, 'dataset') ?? null,
    number(textIn(row, 'rows') ?? 'unknown'),
  ]);
  const table = tableHtml({
    caption: 'Records that were exported, copies in several lists included',
    columns: ['chain', 'dataset', 'rows'],
    rows,
    numbers: ['rows'],
  });
  const isCut = addresses.length > MOST_ADDRESSES;
  const more = isCut ? html`<p>There are more: search for an address or a label.</p>` : html``;
  const first = html`<p>The first of the addresses that were requested by name:</p>
<ul>${links}</ul>${more}`;
  return {
    title: 'Lake',
    body: html`<h1>An exported lake</h1>
<p>Search for an address, the hash of a transaction or block, a height, or the beginning of a label.
These pages only read.</p>
${section('addresses', 'Addresses', links.length === 0 ? html`<p>None.</p>` : first)}
${section('tables', 'Tables', table)}`,
  };
}

export function reconciliationPage(matrix: ReconciliationMatrix): PageContent {
  const title = 'Reconciliations with a node';
  const table = matrixHtml(matrix, (page, text) => html`<a href="/explore/${page}">${text}</a>`);
  return { title, body: html`<h1>${title}</h1>${table}` };
}

/** Pages that match a search. */
export function hitsPage(searched: string, hits: readonly Hit[]): PageContent {
  const links = hits
    .slice(0, MOST_LABELS)
    .map(({ path, title }) => html`<li><a href="/explore/${path}">${title}</a></li>`);
  const isCut = hits.length > MOST_LABELS;
  const count = isCut ? `More than ${MOST_LABELS}` : hits.length;
  const more = isCut ? html`<p>There are more: search for more of the label.</p>` : html``;
  return {
    title: 'Search',
    searched,
    body: html`<h1>${count} pages match</h1><ul>${links}</ul>${more}`,
  };
}

/** An answer without the wanted page. */
export function refusalPage(title: string, lines: readonly string[], searched = ''): PageContent {
  return {
    title,
    searched,
    body: html`<h1>${title}</h1>${lines.map((line) => html`<p>${line}</p>`)}`,
  };
}
