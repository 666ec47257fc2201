const HEIGHTS = ['test/unit/fetch/walk/heights/walk-heights.test.ts'];
const CROWDED = ['test/unit/fetch/walk/heights/crowded-heights.test.ts'];
const CAPS = ['test/unit/fetch/walk/heights/record-caps.test.ts'];
const BARE = ['test/unit/fetch/walk/bare-lists.test.ts'];
const EDGES = ['test/unit/fetch/walk/heights/range-edges.test.ts'];

/**
 * The guards on what a walk by height proves.
 *
 * @type {readonly import('./guards.mjs').Guard[]}
 */
export const WALK_GUARDS = [
  {
    name: 'known records come again',
    file: 'src/fetch/walk/heights/page-judge.ts',
    text: 'if (lost === undefined) return undefined;',
    without: 'if (lost !== null) return undefined;',
    tests: HEIGHTS,
  },
  {
    name: 'records outside the range',
    file: 'src/fetch/walk/heights/page-judge.ts',
    text: 'if (height !== undefined && !contains(range, height)) {',
    without: 'if (height !== undefined && height < 0) {',
    tests: HEIGHTS,
  },
  {
    name: 'records of other keys',
    file: 'src/fetch/walk/heights/page-judge.ts',
    text: 'if (matchedKeys(endpoint, record, slice).length === 0) {',
    without: 'if (matchedKeys(endpoint, record, slice).length < 0) {',
    tests: HEIGHTS,
  },
  {
    name: 'page 1 by its number',
    file: 'src/fetch/walk/heights/page-judge.ts',
    text: 'if (records.length > 0 && page !== undefined && page !== 1) {',
    without: 'if (records.length < 0) {',
    tests: HEIGHTS,
  },
  {
    name: 'empty pages that count records',
    file: 'src/fetch/walk/heights/page-judge.ts',
    text: 'if (listedOn(reply) === 0 && (totalPage > 0 || total > 0)) {',
    without: 'if (listedOn(reply) < 0) {',
    tests: HEIGHTS,
  },
  {
    name: 'cap doubt',
    file: 'src/fetch/walk/heights/page-judge.ts',
    text: "if (settings.facts.mayBeCut(endpoint.path, count)) return 'capped';",
    without: '',
    tests: CAPS,
  },
  {
    name: 'nearly full pages',
    file: 'src/fetch/walk/heights/page-judge.ts',
    text: ' || count >= NEARLY_FULL * most;',
    without: ';',
    tests: CAPS,
  },
  {
    name: 'short pages of bare lists',
    file: 'src/fetch/walk/heights/page-judge.ts',
    text: "const isUncounted = endpoint.reply.shape === 'bare';",
    without: 'const isUncounted = false;',
    tests: BARE,
  },
  {
    name: 'short pages with strict proof',
    file: 'src/fetch/walk/heights/page-judge.ts',
    text: "settings.proof === 'strict' || ",
    without: '',
    tests: CAPS,
  },
  {
    name: 'pages that count more than they hold',
    file: 'src/fetch/walk/heights/page-judge.ts',
    text: 'return isShort && short !== undefined ? { ...stretch, short } : undefined;',
    without: 'return undefined;',
    tests: HEIGHTS,
  },
  {
    name: 'counts that come again are wrong',
    file: 'src/fetch/walk/heights/page-judge.ts',
    text: 'if (short !== undefined && stretch.short === short) {',
    without: 'if (short !== undefined && short.length < 0) {',
    tests: HEIGHTS,
  },
  {
    name: 'page read again before a cap is believed',
    file: 'src/fetch/walk/heights/walk-heights.ts',
    text: 'if (!isSame) return this.#contradicted(stretch, again.records, reason);',
    without: '',
    tests: CAPS,
  },
  {
    name: 'blocks beside a checked part',
    file: 'src/fetch/walk/heights/walk-heights.ts',
    text: 'if (!isSame && found < records.length) return this.#listed(part, hasRecords);',
    without: '',
    tests: CAPS,
  },
  {
    name: 'short pages of one height in bare lists',
    file: 'src/fetch/walk/heights/walk-heights.ts',
    text: "if (order === 'one-height' && endpoint.reply.shape === 'bare') {",
    without: "if (order === 'one-height' && endpoint.reply.shape !== 'bare') {",
    tests: BARE,
  },
  {
    name: 'one height of several keys at a possible cap',
    file: 'src/fetch/walk/heights/walk-heights.ts',
    text: "if (cut !== 'capped' || !isOfSeveral || !isOneHeight) return",
    without: 'if (cut !== undefined) return',
    tests: CROWDED,
  },
  {
    name: 'request budget',
    file: 'src/fetch/walk/heights/request-budget.ts',
    text: 'if (this.requests <= SPARE_REQUESTS + REQUESTS_PER_PAGE * pages) return undefined;',
    without: 'if (pages >= 0) return undefined;',
    tests: HEIGHTS,
  },
  {
    name: 'contradictions are given up',
    file: 'src/fetch/walk/heights/stretches.ts',
    text: "return { segments: [{ kind: 'contradictory', interval, reason, records: known }], open: [] };",
    without: "return { segments: [{ kind: 'whole', interval, records: known }], open: [] };",
    tests: HEIGHTS,
  },
  {
    name: 'no record outside the range or of other keys lands',
    file: 'src/fetch/walk/heights/walk-heights.ts',
    text:
      'this.#judge.isInside(stretch, record) &&\n' +
      '        matchedKeys(this.#reading.endpoint, record, this.#reading.slice).length > 0,',
    without: 'record !== undefined && matchedKeys !== undefined,',
    tests: HEIGHTS,
  },
  {
    name: 'lists that show one key after the other',
    file: 'src/fetch/walk/heights/walk-heights.ts',
    text: 'if (!isWhole) return this.#inParts(next, heights, inside, reply);',
    without: '',
    tests: HEIGHTS,
  },
  {
    name: 'busy heights of unsorted lists',
    file: 'src/fetch/walk/heights/stretches.ts',
    text: '(isBusy(height) ? [height - 1, height] : [height])',
    without: '(isBusy(height) ? [height] : [height])',
    tests: HEIGHTS,
  },
  {
    name: 'first block of a range',
    file: 'src/fetch/walk/asked-range.ts',
    text: 'const first = edges.from === true ? from : Math.max(0, from - 1);',
    without: 'const first = from;',
    tests: EDGES,
  },
  {
    name: 'last block of a range',
    file: 'src/fetch/walk/asked-range.ts',
    text: 'const last = edges.to === true ? to : to + 1;',
    without: 'const last = to;',
    tests: EDGES,
  },
  {
    name: 'span of a range',
    file: 'src/fetch/walk/asked-range.ts',
    text: 'return range.to - range.from > (endpoint.limits.blockSpan ?? Number.POSITIVE_INFINITY);',
    without: 'return range.to < range.from && endpoint.limits.blockSpan === 0;',
    tests: EDGES,
  },
  {
    name: 'hidden first block',
    file: 'src/fetch/walk/asked-range.ts',
    text: 'const hidesFirst = edges.from !== true && from > 0 && asked.from === from;',
    without: 'const hidesFirst = edges.from !== true && from < 0 && asked.from === from;',
    tests: EDGES,
  },
  {
    name: 'record listed at its own height',
    file: 'src/fetch/walk/heights/walk-heights.ts',
    text: 'if (!isShown) return this.#contradicted(stretch, shown, reason);',
    without: 'if (!isShown) return this.#settled(stretch, inside);',
    tests: EDGES,
  },
];
