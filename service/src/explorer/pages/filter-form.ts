import { type Html, html } from '../../../../src/export/html/html.ts';
import { type ActivityFilter, DIRECTIONS, LEGS, type RangeEnd } from '../facts/activity-filter.ts';

const KIND_NAMES: Readonly<Record<string, string>> = {
  value: 'value of transactions',
  fee: 'fees',
  internal: 'internal calls',
  token: 'token transfers',
  cross_chain: 'cross-chain transfers',
  zone: 'other zone transactions',
};

/** A form that narrows the activity of an address. */
export function filterForm(filter: ActivityFilter): Html {
  const { address, chain, leg = '', direction = '', token = '' } = filter;
  const kinds = LEGS[chain].map((each) => [each, KIND_NAMES[each] ?? each] as const);
  const directions = DIRECTIONS.map((each) => [each, each] as const);
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
export function activityTarget(filter: ActivityFilter): string {
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
