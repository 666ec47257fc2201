/** Text of a page in which all untrusted text is escaped. `html` makes it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

export function escaped(text: string): string {
  return text.replaceAll(/[&<>"'`]/g, (character) => ESCAPES[character] ?? character);
}

type Part = Html | string | number | readonly Html[];

/** A template whose values are escaped unless they are Html already. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const filled = texts.map((text, i) => text + textOf(parts[i] ?? ''));
  return new Html(filled.join(''));
}

function textOf(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part));
  return part.map(({ text }) => text).join('\n');
}

export interface TableOf {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly TableCell[])[];
  /** Columns that are aligned as numbers besides those with numbers alone. */
  readonly numbers?: readonly string[];
}

type TableCell = Html | string | number | null;

/** A table that scrolls by itself on a narrow screen, also by keyboard. */
export function tableHtml({ caption, columns, rows, numbers = [] }: TableOf): Html {
  const isNumber = columns.map((name, i) => {
    if (numbers.includes(name)) return true;
    const all = rows.map((cells) => cells[i] ?? null).filter((cell) => cell !== null);
    return all.length > 0 && all.every((cell) => typeof cell === 'number');
  });
  const head = columns.map((name, i) => {
    return html`<th scope="col" class="${isNumber[i] ? 'number' : 'text'}">${name}</th>`;
  });
  const body = rows.map((cells) => {
    return html`<tr>${cells.map((cell, i) =>
      cellHtml(cell, isNumber[i] === true, columns[i] ?? ''),
    )}</tr>`;
  });
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
<table><caption>${caption}</caption><thead><tr>${head}</tr></thead><tbody>
${body}
</tbody></table></div>`;
}

function cellHtml(value: TableCell, isNumber: boolean, column: string): Html {
  const text = typeof value === 'number' ? value.toLocaleString('en-US') : (value ?? '–');
  return html`<td class="${isNumber ? 'number' : 'text'}" data-column="${column}">${text}</td>`;
}
