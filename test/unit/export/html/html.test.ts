import { expect, test } from 'vitest';
import { escaped, html, tableHtml } from '../../../../src/export/html/html.ts';

test('all characters of markup are escaped', () => {
  expect(escaped(`<a href="x" b='y'>&\``)).toBe(
    '&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;&#96;',
  );
});

test('values in a template are escaped, and parts that are HTML already stay as they are', () => {
  expect(html`<p title="${'"'}">${'<b>'}${html`<i>${1}</i>`}</p>`.text).toBe(
    '<p title="&quot;">&lt;b&gt;<i>1</i></p>',
  );
});

test('cells of a table may be parts of a page, and its name and columns are escaped', () => {
  const rows = [[html`<a href="/x">x</a>`, '<', 1, null]];
  const { text } = tableHtml({ caption: '<c>', columns: ['<a>', 'b', 'c', 'd'], rows });
  expect(text).toContain(
    '<td class="text" data-column="&lt;a&gt;"><a href="/x">x</a></td>\n' +
      '<td class="text" data-column="b">&lt;</td>',
  );
  expect(text).toContain('<td class="number" data-column="c">1</td>');
  expect(text).toContain('aria-label="&lt;c&gt;"');
  expect(text).toContain('>&lt;a&gt;</th>');
});
