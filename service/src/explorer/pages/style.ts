import { createHash } from 'node:crypto';
import { BASE_STYLE } from '../../../../src/export/html/style.ts';

/** The style of the pages about a lake. */
export const PAGES_STYLE = `${BASE_STYLE}
body { max-width: 78rem; }
.top { display: flex; flex-wrap: wrap; gap: .6rem 1.5rem; align-items: center;
  border-bottom: 1px solid var(--line); padding-bottom: .75rem; margin-bottom: 1.25rem; }
.top a.home { font-weight: 650; text-decoration: none; color: var(--text); }
.top form { flex: 1 1 20rem; }
form.row { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; }
form label { display: flex; flex-direction: column; color: var(--soft); font-size: .875rem;
  gap: .15rem; }
form.search label { flex: 1 1 14rem; }
input, select, button { font: inherit; color: var(--text); background: var(--back);
  border: 1px solid var(--field); border-radius: .4rem; padding: .4rem .6rem; min-height: 2.5rem; }
input { width: 100%; min-width: 0; }
button { background: var(--card); cursor: pointer; }
.filters { background: var(--card); border: 1px solid var(--line); border-radius: .5rem;
  padding: .75rem; margin: .75rem 0; }
.filters label { flex: 1 1 8.5rem; } .filters .token { flex: 2 1 14rem; }
code, .mono { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; font-size: .92em; }
h1 code { font-size: .8em; }
td .mono, td a, th { white-space: nowrap; }
.activity table { font-size: .82rem; } .activity td.text { min-width: 4.25rem; }
.in { color: var(--good); } .out { color: var(--bad); }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .3rem 1.25rem;
  margin: .75rem 0; }
.facts dt { color: var(--soft); } .facts dd { margin: 0; overflow-wrap: anywhere; }
.tabs { display: flex; flex-wrap: wrap; gap: .4rem 1.25rem; list-style: none; padding: 0;
  margin: .75rem 0; }
.tabs [aria-current] { font-weight: 650; color: var(--text); text-decoration: none; }
.legs { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr));
  gap: 1rem; margin: 1rem 0; }
.leg { border: 1px solid var(--line); border-radius: .5rem; padding: .25rem 1rem .75rem;
  background: var(--card); min-width: 0; }
.leg h3 { font-size: 1rem; margin: .75rem 0 .25rem; }
.note { border-left: 3px solid var(--warn); background: var(--card); padding: .5rem .75rem;
  margin: .75rem 0; }
.note.known { border-color: var(--good); }
.pager { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; margin: .75rem 0; }
footer { margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: .5rem; }
footer h2 { border: 0; margin: .5rem 0; font-size: 1rem; }
.exact { margin: 0; } .exact > .mono { display: inline-block; max-width: 24rem; white-space: normal;
  overflow-wrap: anywhere; }
@media (max-width: 640px) { .facts { grid-template-columns: 1fr; gap: 0; }
  .facts dd { margin-bottom: .5rem; }
  .scroll { overflow-x: visible; } thead { position: absolute; left: -999rem; }
  table, caption, tbody, tr, td { display: block; } tr { border-bottom: 1px solid var(--line);
    padding: .4rem 0; }
  td, td.number { position: relative; border: 0; padding: .1rem 0 .1rem 8.5rem; text-align: left; }
  td::before { content: attr(data-column); color: var(--soft); position: absolute; left: 0; }
  td .mono, td a { white-space: normal; overflow-wrap: anywhere; } }
`;

const DIGEST = createHash('sha256').update(PAGES_STYLE).digest('base64');

/** The pages run no script, load nothing and send their forms to the service alone. */
export const PAGES_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${DIGEST}'`,
  // The empty icon of the frame: browsers ask for /favicon.ico without one.
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
