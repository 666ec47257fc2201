/** The style that all pages share, in light and dark. */
export const BASE_STYLE = `
:root { color-scheme: light dark; --back: #ffffff; --text: #1d242c; --soft: #55606c; --line:
  #d8dde3;
  --card: #f5f7f9; --field: #7a8694; --good: #1f7a4d; --bad: #b3261e; --warn: #8a5a00;
  --s1: #2f66b0; --s2: #c2660c; --s3: #2b8a5e; --s4: #a83f58; --s5: #6f55a3;
  --h0: #b3261e; --h1: #e08a3c; --h2: #e6c74c; --h3: #3c9a6c; }
@media (prefers-color-scheme: dark) {
  :root { --back: #14181d; --text: #e6eaee; --soft: #a6b0bb; --line: #353d47; --card: #1d232a;
    --field: #77838f;
    --good: #6fd3a0; --bad: #ff8a80; --warn: #f0c674;
    --s1: #7fb0f0; --s2: #f0a35c; --s3: #6fd3a0; --s4: #ee8ba3; --s5: #b9a2e8;
    --h0: #ff8a80; --h1: #f0a35c; --h2: #e6d36c; --h3: #4fb384; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.25rem; background: var(--back);
  color: var(--text); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; margin: 2.25rem 0 .5rem; border-bottom: 1px solid var(--line);
  padding-bottom: .25rem; }
p { margin: .4rem 0; } .soft { color: var(--soft); }
a { color: var(--s1); } :focus-visible { outline: 3px solid var(--s2); outline-offset: 2px; }
.skip { position: absolute; left: -999rem; } .skip:focus { left: 1rem; top: .5rem;
  background: var(--back); padding: .5rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .6rem;
  list-style: none; margin: 1rem 0; padding: 0; }
.cards li { background: var(--card); border: 1px solid var(--line); border-radius: .5rem;
  padding: .6rem .75rem; }
.cards b { display: block; font-size: 1.3rem; font-variant-numeric: tabular-nums; }
.cards span { color: var(--soft); font-size: .875rem; }
.good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); }
@media (max-width: 640px) { body { padding: .8rem; } }
.scroll { overflow-x: auto; margin: .5rem 0; }
table { border-collapse: collapse; font-size: .875rem; width: 100%; overflow-wrap: normal; }
caption { text-align: left; color: var(--soft); padding: .2rem 0; }
th, td { text-align: left; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
details { margin: .4rem 0; } summary { cursor: pointer; padding: .25rem 0; }
`;
