import { type Html, html } from '../../../../src/export/html/html.ts';
import type { ListPlace } from '../facts/activity-rows.ts';

/** Links to the first page of a list and to the next one. `target` has a query or none. */
export function pager(
  target: string,
  { place, next }: { readonly place: ListPlace | undefined; readonly next: ListPlace | undefined },
): Html {
  if (place === undefined && next === undefined) return html``;
  const separator = target.includes('?') ? '&' : '?';
  const newest = place === undefined ? html`` : html`<a href="${target}">Newest</a>`;
  const older =
    next === undefined
      ? html`<span class="soft">This is the oldest page.</span>`
      : html`<a rel="next" href="${target}${separator}at=${placeText(next)}">Older</a>`;
  return html`<nav class="pager" aria-label="Pages">${newest}${older}</nav>`;
}

function placeText({ block, skip }: ListPlace): string {
  return skip === 0 ? String(block) : `${block}-${skip}`;
}
