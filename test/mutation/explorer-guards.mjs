/**
 * The guards on pages about a lake, and on the API reference.
 *
 * @type {readonly import('./guards.d.mts').Guard[]}
 */
export const EXPLORER_GUARDS = [
  {
    name: 'pages without keys beside endpoints that check them',
    file: 'src/cli/verbs/serve/serve-pages.ts',
    text: 'if (data === undefined || !(pages ?? !auth)) return undefined;',
    without: 'if (data === undefined) return undefined;',
    tests: ['test/unit/cli/verbs/serve/serve-pages.test.ts'],
  },
  {
    name: 'sessions beyond those that may wait',
    file: 'src/explorer/facts/warehouse-reader.ts',
    text: 'if (this.#waiting.length >= MOST_WAITING) throw new TooManySessions();',
    without: '',
    tests: ['test/long/integration/explorer/facts/warehouse-reader.test.ts'],
  },
  {
    name: 'warehouses that were published later',
    file: 'src/explorer/facts/warehouse-reader.ts',
    text: 'if (this.#open?.stamp === stamp) return this.#open;',
    without: 'if (this.#open !== undefined) return this.#open;',
    tests: ['test/long/integration/explorer/facts/warehouse-reader.test.ts'],
  },
  {
    name: 'files outside of the data root',
    file: 'src/explorer/facts/warehouse-reader.ts',
    text: 'await lockDown(first, resolve(root));',
    without: '',
    tests: ['test/long/integration/explorer/facts/warehouse-reader.test.ts'],
  },
  {
    name: 'opening balances below zero',
    file: 'src/explorer/facts/address-facts.ts',
    text: 'const opensAtZero = complete.has(sum.token) && net >= 0n;',
    without: 'const opensAtZero = complete.has(sum.token);',
    tests: ['test/integration/explorer/explorer.test.ts'],
  },
  {
    name: 'amounts that add up to more than a number holds',
    file: 'src/explorer/facts/net-sums.ts',
    text: 'sums.filter(({ largeLegs, fineLegs }) => largeLegs + fineLegs > 0);',
    without: 'sums.filter(({ fineLegs }) => fineLegs > 0);',
    tests: ['test/integration/explorer/explorer.test.ts'],
  },
  {
    name: 'nets of filters that leave gaps',
    file: 'src/explorer/facts/activity-filter.ts',
    text: 'return leg === undefined && direction === undefined;',
    without: 'return leg !== direction || leg === undefined;',
    tests: ['test/integration/explorer/explorer.test.ts'],
  },
  {
    name: 'rows of a block that were listed before',
    file: 'src/explorer/facts/activity-rows.ts',
    text: 'skip: own + (block === from.block ? from.skip : 0)',
    without: 'skip: own',
    tests: ['test/unit/explorer/facts/activity-rows.test.ts'],
  },
  {
    name: 'amounts with more decimals than a DECIMAL holds, in nets',
    file: 'src/explorer/facts/net-sums.ts',
    text: 'const hasFine = of.some(({ fineLegs }) => fineLegs > 0);',
    without: 'const hasFine = of.some(({ fineLegs }) => fineLegs < 0);',
    tests: ['test/integration/explorer/explorer.test.ts'],
  },
  {
    name: 'scripts in the API reference itself',
    file: 'src/service/server/reference-page.ts',
    text: '"script-src \'self\'",',
    without: "\"script-src 'self' 'unsafe-inline'\",",
    tests: ['test/unit/service/server/reference-page.test.ts'],
  },
];
