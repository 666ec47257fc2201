import { type Html, html, tableHtml } from './html.ts';

interface Matrix {
  readonly titles: readonly string[];
  readonly rows: readonly { readonly address: string; readonly results: readonly string[] }[];
  readonly addresses: number;
  readonly assets: number;
}

/** Reconciliations by address and asset. `linkOf` links to a page of an address or a block. */
export function matrixHtml(
  { titles, rows, addresses, assets }: Matrix,
  linkOf: (page: string, text: string) => Html = (_, text) => html`${text}`,
  pipeline = 'PIPELINE',
): Html {
  if (rows.length === 0) {
    return html`<p>No balance was reconciled with a node yet: name one as <code>witness</code> in a
pipeline, and run <code>windrow reconcile ${pipeline}</code>.</p>`;
  }
  const cells = rows.map(({ address, results }) => [
    address.startsWith('0x') ? linkOf(`address/${address}`, address) : address,
    ...titles.map((_, at) => {
      const result = results[at];
      if (result === undefined) return null;
      if (result === 'agrees') return html`<span class="good">agrees</span>`;
      if (!/^\d+$/.test(result)) return html`<span class="warn">${result}</span>`;
      return html`<span class="bad">block ${linkOf(`block/primary/${result}`, result)}</span>`;
    }),
  ]);
  const shown = `${rows.length} of ${addresses} addresses, ${titles.length} of ${assets} assets`;
  const caption = `The newest results, differences with their first block before others: ${shown}`;
  return tableHtml({ caption, columns: ['address', ...titles], rows: cells });
}
