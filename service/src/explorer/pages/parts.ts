import { Html, html } from '../../../../src/export/html/html.ts';
import type { QueryRow } from '../../../../src/load/query/query.ts';
import type { Chain } from '../facts/activity-filter.ts';
import { textIn } from '../facts/cells.ts';
import type { BlockRange } from '../facts/coverage.ts';
import type { ShownNames } from '../facts/names.ts';

/** Parts of pages: links, names, amounts and times. */

const ADDRESS = /^0x[0-9a-f]{40}$/;
const HASH = /^0x[0-9a-f]{64}$/;

/** Whole numbers with separators; other values as they are. */
export function number(value: unknown): string {
  const text = String(value);
  return /^-?[0-9]{4,}$/.test(text) ? text.replace(/\B(?=(\d{3})+$)/g, ',') : text;
}

export function rangeText({ from, to }: BlockRange): string {
  return from === to ? number(from) : `${number(from)} to ${number(to)}`;
}

export const NOTHING = html`<span class="soft">–</span>`;

/** `0x1234567…abcdef`; the link keeps the whole text. */
function short(text: string): string {
  return text.length > 20 ? `${text.slice(0, 9)}…${text.slice(-7)}` : text;
}

/** Links to one or several addresses, by their labels. */
export function addressLinks(text: string | undefined, names: ShownNames): Html {
  if (text === undefined) return NOTHING;
  const links = text.split(',').map((part) => {
    const label = names.labels.get(part);
    if (!ADDRESS.test(part)) return html`${part}`;
    return label === undefined
      ? html`<a class="mono" href="/explore/address/${part}" title="${part}">${short(part)}</a>`
      : html`<a href="/explore/address/${part}" title="${part}">${label}</a>`;
  });
  const [first = NOTHING, ...others] = links;
  if (others.length > 4) return html`${first} and ${others.length} more`;
  return html`${links}`;
}

export function hashLink(hash: string | undefined, isWhole = false): Html {
  if (hash === undefined) return NOTHING;
  const shown = isWhole ? hash : short(hash);
  if (!HASH.test(hash)) return html`${shown}`;
  return html`<a class="mono" href="/explore/tx/${hash}" title="${hash}">${shown}</a>`;
}

export function blockLink(chain: Chain, height: string | undefined): Html {
  if (height === undefined) return NOTHING;
  return html`<a href="/explore/block/${chain}/${height}">${number(height)}</a>`;
}

/** The token of a row, by its symbol; the service and its tokens choose symbols. */
export function tokenLink(row: QueryRow, names: ShownNames): Html {
  const token = textIn(row, 'token_address');
  const symbol = (token && names.symbols.get(token)) ?? textIn(row, 'symbol');
  const id = textIn(row, 'token_id');
  const piece = id === undefined ? '' : ` #${id.length > 12 ? short(id) : id}`;
  if (token === undefined) return html`${symbol ?? 'native token'}`;
  const shown = symbol ?? names.labels.get(token) ?? short(token);
  return html`<a href="/explore/token/${token}" title="${token}">${shown}</a>${piece}`;
}

/** Amounts with more digits are shortened, so that a row fits the screen of a phone. */
const MOST_DIGITS = 24;

/** Exact digits, with groups of three in the whole part; those of a long amount open on demand. */
export function amountPart(text: string | undefined): Html {
  if (text === undefined) return html`<span class="soft">unknown</span>`;
  const [, sign = '', whole = '', fraction = ''] = /^(-?)([^.]*)\.?(.*)$/.exec(text) ?? [];
  const exact = sign + number(whole) + (fraction === '' ? '' : `.${fraction}`);
  if (whole.length + fraction.length <= MOST_DIGITS)
    return html`<span class="mono">${exact}</span>`;
  const rounded =
    whole.length > MOST_DIGITS
      ? `${whole.slice(0, 1)}.${whole.slice(1, 9)}… × 10^${whole.length - 1}`
      : `${number(whole)}.${fraction.slice(0, MOST_DIGITS - whole.length)}…`;
  const shown = html`<summary class="mono" title="${exact}">${sign}${rounded}</summary>`;
  return html`<details class="exact">${shown}
<span class="mono">${exact}</span></details>`;
}

export function timeText(iso: string | undefined): Html {
  if (iso === undefined) return NOTHING;
  const shown = iso.replace('T', ' ').replace(/(\.\d+)?Z$/, '');
  return html`<time datetime="${iso}">${shown}</time>`;
}

export function statusPart(status: string | undefined): Html {
  if (status === undefined) return html`<span class="soft">unknown</span>`;
  const kind = status === 'success' ? 'good' : status === 'fail' ? 'bad' : 'warn';
  return html`<span class="${kind}">${status}</span>`;
}

/** The coverage of one record. */
export function coverageText(status: string | undefined): Html {
  return status === 'complete'
    ? html`<span class="good">complete</span>`
    : html`<span class="warn">${status ?? 'none'}</span>`;
}

/** ShownNames and values, without those that are absent. */
export function facts(
  all: readonly (readonly [name: string, value: Html | string | undefined])[],
): Html {
  const shown = all.flatMap(([name, value]) =>
    value === undefined || value === NOTHING ? [] : [html`<dt>${name}</dt><dd>${value}</dd>`],
  );
  return new Html(html`<dl class="facts">${shown}</dl>`.text);
}
