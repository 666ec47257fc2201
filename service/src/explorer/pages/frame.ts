import { Html, html } from '../../../../src/export/html/html.ts';
import type { ChainCoverage } from '../facts/coverage.ts';
import { number, rangeText } from './parts.ts';
import { PAGES_STYLE } from './style.ts';

export interface PageContent {
  readonly title: string;
  readonly body: Html;
  /** The text in the search box. */
  readonly searched?: string;
}

/** A whole page. `coverage` is undefined if it cannot be read. */
export function framedPage(
  { title, body, searched = '' }: PageContent,
  coverage: readonly ChainCoverage[] | undefined,
): string {
  const head = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${title} - windrow</title>`;
  const rest = html`</head><body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><a class="home" href="/explore">windrow</a>
<form class="row search" role="search" action="/explore/search" method="get">
<label>Address, hash, block or label
<input name="q" value="${searched}" required maxlength="200" autocomplete="off" spellcheck="false">
</label><button>Search</button></form>
<a href="/explore/reconciliations">Reconciliations</a>
<a href="/docs">API reference</a></header>
<main id="main" tabindex="-1">${body}</main>
<footer>${coverageFoot(coverage)}</footer>
</body></html>`;
  // A digest of the style would not match if the style were escaped.
  return `${head.text}<style>${PAGES_STYLE}</style>${rest.text}\n`;
}

function coverageFoot(coverage: readonly ChainCoverage[] | undefined): Html {
  if (coverage === undefined) return html`<p class="soft">The coverage cannot be read now.</p>`;
  const lines = coverage.map((chain) => html`<li>${coverageSentence(chain)}</li>`);
  const none = coverage.length === 0 ? html`<p class="soft">Nothing was exported yet.</p>` : html``;
  return html`<h2>Coverage of this lake</h2>
<p class="soft">A lake holds a part of the chain. Records outside of its coverage are missing here,
which does not mean that they do not exist.</p>${none}<ul class="soft">${lines}</ul>`;
}

function coverageSentence({
  chain,
  addresses,
  range,
  wholeBlocks,
  incomplete,
  complete,
  reconciled,
}: ChainCoverage): Html {
  const whole =
    wholeBlocks === undefined
      ? 'no whole blocks are complete'
      : `whole blocks are complete within ${rangeText(wholeBlocks)}`;
  const open =
    incomplete === 0
      ? 'every requested interval is complete'
      : `${number(incomplete)} requested intervals are not complete`;
  const named =
    addresses === 0 ? 'without names of addresses' : `for ${number(addresses)} addresses`;
  return html`${chain} chain: blocks ${rangeText(range)} were requested ${named}; ${whole};
${open}; ${number(complete)} blocks times addresses are complete, and ${number(reconciled)} of them
complete and reconciled.`;
}

/** A section with a heading of its own. */
export function section(id: string, title: string, content: Html): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`;
}

/** A sentence that the reader must not miss. `known` marks good news. */
export function note(text: Html | string, kind: '' | 'known' = ''): Html {
  return new Html(html`<p class="note ${kind}">${text}</p>`.text);
}
