import { type Html, html, tableHtml } from '../../../../src/export/html/html.ts';
import type { QueryRow } from '../../../../src/load/query/query.ts';
import {
  type ActivityFilter,
  CHAINS,
  DIRECTIONS,
  LEGS,
  type RangeEnd,
} from '../facts/activity-filter.ts';
import type { AddressFacts, TokenNet } from '../facts/address-facts.ts';
import { textIn } from '../facts/cells.ts';
import { note, type PageContent, section } from './frame.ts';
import { pager } from './pager.ts';
import {
  addressLinks,
  amountPart,
  blockLink,
  coverageText,
  hashLink,
  NOTHING,
  number,
  rangeText,
  timeText,
  tokenLink,
} from './parts.ts';

/** The activity of an address on one chain, with its coverage. */
export function addressPage(facts: AddressFacts): PageContent {
  const { filter, names } = facts;
  const label = names.labels.get(filter.address);
  const title = label ?? filter.address;
  const heading = label === undefined ? html`` : html`<p>Label: <strong>${label}</strong></p>`;
  return {
    title: `Address ${title}`,
    searched: filter.address,
    body: html`<h1>Address <code>${filter.address}</code></h1>${heading}
${chainTabs(filter)}${coverageNotes(facts)}
${section('nets', 'Net of its exported legs', nets(facts))}
${section('activity', 'Activity', activity(facts))}`,
  };
}

function chainTabs({ address, chain }: ActivityFilter): Html {
  const tabs = CHAINS.map((name) => {
    const current = name === chain ? html` aria-current="page"` : html``;
    return html`<li><a href="/explore/address/${address}?chain=${name}"${current}>${name} chain</a>
</li>`;
  });
  return html`<nav aria-label="Chain"><ul class="tabs">${tabs}</ul></nav>`;
}

function coverageNotes({ coverage, filter }: AddressFacts): Html {
  const { isFollowed, complete, range: span, incomplete } = coverage;
  if (!isFollowed) {
    return note(`This address was not requested by name. Its legs come from whole exported blocks
and from other addresses' records, so there may be more of them elsewhere.`);
  }
  if (complete.length === 0 || span === undefined) {
    return note(`Nothing is proven complete for this address on the ${filter.chain} chain.`);
  }
  const ranges = complete.map(rangeText).join('; ');
  const all = complete.length === 1 && rangeText(span) === rangeText(complete[0] ?? span);
  const sentence = all
    ? `Everything that was requested is complete: blocks ${ranges}.`
    : `Complete in blocks ${ranges}, of the requested ${rangeText(span)}.`;
  const rows = incomplete.map((row) =>
    ['dataset', 'from_block', 'to_block', 'status', 'reason'].map(
      (name) => textIn(row, name) ?? null,
    ),
  );
  const columns = ['dataset', 'from', 'to', 'status', 'reason'];
  const table = tableHtml({ caption: 'Lists that are not complete', columns, rows });
  const details =
    rows.length === 0
      ? html``
      : html`<details><summary>Lists that are not complete</summary>${table}</details>`;
  const outside = 'Legs outside of these blocks may be missing.';
  return html`${note(`${sentence} ${outside}`, 'known')}${details}`;
}

function nets({ nets: all, tokens, filter, names }: AddressFacts): Html {
  if (all.length === 0) return html`<p>The lake has no legs of known tokens.</p>`;
  const rows = all.map((net) => netRow(net, { names }));
  const more = tokens > all.length ? ` of ${number(tokens)}` : '';
  const table = tableHtml({
    caption: `${all.length}${more} tokens, by number of legs`,
    columns: ['token', 'net', 'legs', 'opening balance'],
    rows,
    numbers: ['net', 'legs'],
  });
  const why =
    filter.chain === 'zone'
      ? 'Actions of the zone chain may move amounts that no record names.'
      : 'Addresses may own native tokens from before block 0.';
  return html`<p class="soft">The net is what came in less what went out in the exported blocks. It
is the balance only where the opening balance, before these blocks, is known to be zero. ${why}
For NFTs it is the
number of pieces of the collection.</p>${table}`;
}

function netRow(
  { sum, netText, symbol, opensAtZero }: TokenNet,
  { names }: Pick<AddressFacts, 'names'>,
): (Html | number)[] {
  const token = { token_address: sum.token ?? null, symbol: symbol ?? null };
  const unknown =
    sum.unknownLegs === 0 ? '' : `; ${number(sum.unknownLegs)} legs of unknown amount left out`;
  const opening = opensAtZero
    ? html`<span class="good">zero</span>${unknown}`
    : html`<span class="warn">unknown</span>${unknown}`;
  return [tokenLink(token, names), amountPart(netText), sum.legs, opening];
}

function activity(facts: AddressFacts): Html {
  const { extent, filter, rows } = facts;
  const summary =
    extent.rows === 0
      ? html`<p>The lake has no such legs.</p>`
      : html`<p>${number(extent.rows)} legs in blocks ${rangeText(extent)}, newest first.</p>`;
  const parts =
    rows.length === 0
      ? html``
      : html`${activityTable(facts)}${pager(activityTarget(filter), facts)}`;
  return html`${filterForm(filter)}${summary}${gapNote(facts)}${parts}`;
}

function gapNote({ balances, rows }: AddressFacts): Html {
  if (balances !== undefined || rows.length === 0) return html``;
  return html`<p class="soft">The net after each block is shown without a filter of kind or
direction.</p>`;
}

function activityTable({ rows, balances, filter, names }: AddressFacts): Html {
  const columns = ['block', 'time (UTC)', 'transaction', 'leg', 'counterparty', 'token', 'amount']
    .concat(balances === undefined ? [] : ['net after block'])
    .concat(['coverage']);
  const cells = rows.map((row, i) => [
    blockLink(filter.chain, textIn(row, 'block_number')),
    timeText(textIn(row, 'block_time')),
    hashLink(textIn(row, 'tx_hash')),
    legText(row),
    addressLinks(textIn(row, 'counterparty'), names),
    tokenOf(row, { filter, names }),
    amountOf(row),
    ...(balances === undefined ? [] : [netAfter(balances[i])]),
    coverageText(textIn(row, 'coverage_status')),
  ]);
  const numbers = ['amount', 'net after block'];
  const table = tableHtml({ caption: 'Legs, newest block first', columns, rows: cells, numbers });
  return html`<div class="activity">${table}</div>`;
}

/** Many actions of the zone chain have no amount. */
function amountOf(row: QueryRow): Html {
  const text = textIn(row, 'amount_text');
  return text === undefined && textIn(row, 'leg') === 'zone' ? NOTHING : amountPart(text);
}

function netAfter(text: string | undefined): Html {
  return text === undefined ? NOTHING : amountPart(text);
}

function tokenOf(row: QueryRow, { filter, names }: Pick<AddressFacts, 'filter' | 'names'>): Html {
  const isUnknown = filter.chain === 'zone' && textIn(row, 'token_address') === undefined;
  return isUnknown ? html`<span class="soft">unknown</span>` : tokenLink(row, names);
}

/** The kind of a leg, its direction, and whether it moved its amount. */
function legText(row: QueryRow): Html {
  const direction = textIn(row, 'direction') ?? '';
  const status = textIn(row, 'tx_status');
  const signed = textIn(row, 'signed_text');
  const moved = signed === undefined ? 'amount unknown' : signed === '0' ? 'moved nothing' : '';
  const notes = [status === 'success' ? '' : (status ?? 'status unknown'), moved];
  const rest = notes.filter((text) => text !== '').join(', ');
  return html`${textIn(row, 'leg') ?? ''} <span class="${direction}">${direction}</span>
<span class="soft">${rest}</span>`;
}

const KIND_NAMES: Readonly<Record<string, string>> = {
  value: 'value of transactions',
  fee: 'fees',
  internal: 'internal calls',
  token: 'token transfers',
  cross_chain: 'cross-chain transfers',
  zone: 'other zone transactions',
};

/** A form that narrows the activity of an address. */
function filterForm(filter: ActivityFilter): Html {
  const { address, chain, leg = '', direction = '', token = '' } = filter;
  const kinds = LEGS[chain].map((kind) => [kind, KIND_NAMES[kind] ?? kind] as const);
  const directions = DIRECTIONS.map((name) => [name, name] as const);
  return html`<form class="row filters" method="get" action="/explore/address/${address}"
aria-label="Filter">
<input type="hidden" name="chain" value="${chain}">
${choice('Kind', 'kind', leg, kinds)}
${choice('Direction', 'direction', direction, directions)}
<label class="token">Token: contract, or native
<input name="token" value="${token}" maxlength="42" autocomplete="off" spellcheck="false"></label>
<label>From block or date
<input name="from" value="${endText(filter.from) ?? ''}" maxlength="30" autocomplete="off"></label>
<label>To block or date
<input name="to" value="${endText(filter.to) ?? ''}" maxlength="30" autocomplete="off"></label>
<button>Filter</button>
<a href="/explore/address/${address}?chain=${chain}">Clear</a></form>`;
}

function choice(
  title: string,
  name: string,
  chosen: string,
  options: readonly (readonly [value: string, text: string])[],
): Html {
  const all = [['', 'all'] as const, ...options].map(([value, text]) => {
    const selected = value === chosen ? html` selected` : html``;
    return html`<option value="${value}"${selected}>${text}</option>`;
  });
  return html`<label>${title}<select name="${name}">${all}</select></label>`;
}

/** The page's path and filter, without its place. */
function activityTarget(filter: ActivityFilter): string {
  const query = new URLSearchParams({ chain: filter.chain });
  const ends = { from: endText(filter.from), to: endText(filter.to) };
  const { leg: kind, direction, token } = filter;
  for (const [name, value] of Object.entries({ kind, direction, token, ...ends })) {
    if (value !== undefined) query.set(name, value);
  }
  return `/explore/address/${filter.address}?${query}`;
}

function endText(end: RangeEnd | undefined): string | undefined {
  if (end === undefined) return undefined;
  return end.block === undefined ? new Date(end.atMs).toISOString() : String(end.block);
}
