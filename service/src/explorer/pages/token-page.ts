import { type Html, html, tableHtml } from '../../../../src/export/html/html.ts';
import { numberIn, textIn } from '../facts/cells.ts';
import type { TokenFacts } from '../facts/token-facts.ts';
import { note, type PageContent, section } from './frame.ts';
import { pager } from './pager.ts';
import {
  addressLinks,
  amountPart,
  blockLink,
  coverageText,
  facts,
  hashLink,
  number,
  rangeText,
  timeText,
} from './parts.ts';

/** The exported transfers of a token. */
export function tokenPage(tokenFacts: TokenFacts): PageContent {
  const { token, names, rows, decimals, extent } = tokenFacts;
  const [first] = rows;
  const symbol = names.symbols.get(token) ?? (first && textIn(first, 'symbol'));
  const list = facts([
    ['Label', names.labels.get(token)],
    ['Symbol', symbol],
    ['Standard', first && textIn(first, 'token_standard')],
    ['Decimal places', decimals],
    ['Exported transfers', number(extent.rows)],
    ['Blocks', extent.rows === 0 ? undefined : rangeText(extent)],
  ]);
  return {
    title: `Token ${symbol ?? token}`,
    searched: token,
    body: html`<h1>Token <code>${token}</code></h1>${list}
<p><a href="/explore/address/${token}">The contract as an address</a></p>${coverageNote(tokenFacts)}
${section('transfers', 'Transfers', transfers(tokenFacts))}`,
  };
}

function coverageNote({ lists }: TokenFacts): Html {
  if (lists.length === 0) {
    return note(`The transfers of this contract were not requested by its name. Those of exported
addresses and blocks are here: there may be more.`);
  }
  const parts = lists.map((row) => {
    const [from, to] = [numberIn(row, 'from_block') ?? 0, numberIn(row, 'to_block') ?? 0];
    return `${textIn(row, 'status')} within blocks ${rangeText({ from, to })}`;
  });
  return note(`Transfers of this contract were requested: ${parts.join('; ')}.`);
}

function transfers(tokenFacts: TokenFacts): Html {
  const { rows, names, token } = tokenFacts;
  if (rows.length === 0) return html`<p>The lake has none.</p>`;
  const cells = rows.map((row) => [
    blockLink('primary', textIn(row, 'block_number')),
    timeText(textIn(row, 'block_time')),
    hashLink(textIn(row, 'tx_hash')),
    addressLinks(textIn(row, 'from_address'), names),
    addressLinks(textIn(row, 'to_address'), names),
    amountPart(textIn(row, 'amount_text')),
    textIn(row, 'token_id') ?? null,
    coverageText(textIn(row, 'coverage_status')),
  ]);
  const columns = ['block', 'time (UTC)', 'transaction', 'from', 'to', 'amount', 'token id'];
  return html`${tableHtml({
    caption: 'Transfers, newest block first',
    columns: [...columns, 'coverage'],
    rows: cells,
    numbers: ['amount'],
  })}${pager(`/explore/token/${token}`, tokenFacts)}`;
}
