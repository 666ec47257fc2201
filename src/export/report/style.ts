import { BASE_STYLE } from '../html/style.ts';

/** The style of report pages: that of all pages, and the charts. */
export const REPORT_STYLE = `${BASE_STYLE}
figure { margin: .5rem 0 1rem; } figcaption { color: var(--soft); font-size: .9rem; }
svg { display: block; width: 100%; height: auto; color: var(--text); overflow: visible;
  font-size: 11.5px; }
.narrow { display: none; }
@media (max-width: 640px) { .wide { display: none; } .narrow { display: block; } }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none; margin: .25rem 0;
  padding: 0; font-size: .875rem; }
.legend li::before { content: ''; display: inline-block; width: .8rem; height: .8rem;
  border-radius: .15rem; margin-right: .4rem; background: var(--c); vertical-align: -1px; }
.h0 { --c: var(--h0); } .h1 { --c: var(--h1); } .h2 { --c: var(--h2); } .h3 { --c: var(--h3); }
.s0 { --c: var(--s1); } .s1 { --c: var(--s2); } .s2 { --c: var(--s3); } .s3 { --c: var(--s4); }
.s4 { --c: var(--s5); }
@media print { .narrow { display: none; } .wide { display: block; } }
`;
