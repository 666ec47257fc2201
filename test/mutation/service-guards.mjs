/**
 * The guards on answers of the service, and on the time for which one computation may hold up all
 * other requests.
 */

const SLICES = ['test/long/integration/service/memory/chunks.test.ts'];
const PAUSE = 'if (slices.isOver()) await slices.next();';

/** @type {readonly import('./guards.d.mts').Guard[]} */
export const SERVICE_GUARDS = [
  {
    name: 'fields that were never exported',
    file: 'src/service/answer/reply.ts',
    text: 'if (source.lacks !== undefined && !isForHead(of, question)) checkFields(of, records);',
    without: '',
    tests: ['test/long/integration/service/lake/availability.test.ts'],
  },
  {
    name: 'the last block of a range of a served lake',
    file: 'src/service/lake/served-lake.ts',
    text: 'const [missing] = part.availability.missing(asked, endsEarly);',
    without:
      'const to = Math.max(asked.interval.from, asked.interval.to - 1);' +
      'const interval = { from: asked.interval.from, to };' +
      'const [missing] = part.availability.missing({ ...asked, interval }, endsEarly);',
    tests: ['test/long/integration/service/lake/availability.test.ts'],
  },
  {
    name: 'records of a served lake that are not curated yet',
    file: 'src/service/lake/served-version.ts',
    text: 'const isBehind = madeFrom !== version;',
    without: 'const isBehind = false;',
    tests: ['test/integration/service/lake/torn.test.ts'],
  },
  {
    name: 'look-ups by hash that are not curated yet',
    file: 'src/service/lake/served-version.ts',
    text: 'keys: keys.filter((key) => !hashes.has(key)),',
    without: 'keys,',
    tests: ['test/integration/service/lake/torn.test.ts'],
  },
  {
    name: 'files of a served lake that cannot be read',
    file: 'src/service/lake/lake-source.ts',
    text: "throw new Refusal('internal', `$" + '{dataset} could not be read from the lake`);',
    without: 'return undefined as never;',
    tests: ['test/integration/service/lake/torn.test.ts'],
  },
  {
    name: 'counts of heights that are cut by an interval',
    file: 'src/service/lake/table.ts',
    text: 'return partOf((await held()).filter(isIn));',
    without: 'return partOf(await held());',
    tests: ['test/integration/service/lake/bands.test.ts'],
  },
  {
    name: 'the status of the zone chain as the interface has it',
    file: 'src/service/lake/columns.ts',
    text: "if (axis === 'zone' && ZONE_STATUSES.includes(word.column)) {",
    without: "if (axis === 'primary' && ZONE_STATUSES.includes(word.column)) {",
    tests: ['test/long/e2e/lake-round-trip.test.ts'],
  },
  {
    name: 'ranges without blocks that a served lake does not have',
    file: 'src/fetch/walk/heights/range-edges.ts',
    text: 'if (narrower === undefined) throw error;',
    without: 'throw error;',
    tests: ['test/unit/fetch/walk/heights/available-part.test.ts'],
  },
  {
    name: 'the source of serve before its keys',
    file: 'src/cli/verbs/serve/serve.ts',
    text: 'await checkSource(given);',
    without: '',
    tests: ['test/unit/cli/verbs/serve/serve-lake.test.ts'],
  },
  {
    name: 'names of tokens above the blocks whose balances are counted',
    file: 'src/service/node/rpc-methods.ts',
    text: 'return contracts.call(call, () => state.accounts(tag));',
    without:
      'const accounts = await state.accounts(tag);' +
      'return contracts.call(call, async () => accounts);',
    tests: ['test/unit/service/node/rpc-tokens.test.ts'],
  },
  {
    name: 'pending transactions in the lists of the service',
    file: 'src/service/answer/reply.ts',
    text: 'question.includesPending ? (source.pending?.(asked) ?? []) : [];',
    without: '[];',
    tests: ['test/unit/service/stream/pending-transactions.test.ts'],
  },
  {
    name: 'pending transactions above the blocks asked for',
    file: 'src/service/answer/question.ts',
    text: 'of.pending !== undefined && intervalOf(of, values, head + 1, settings).to > head',
    without: 'of.pending !== undefined',
    tests: ['test/unit/service/stream/pending-transactions.test.ts'],
  },
  {
    name: 'the end of a slice',
    file: 'src/service/protocol/time-slices.ts',
    text: 'return usedMs < 0 || usedMs >= sliceMs;',
    without: 'return usedMs < 0;',
    tests: SLICES,
  },
  {
    name: 'pauses while chunks are computed',
    file: 'src/service/memory/chunks.ts',
    text: `${PAUSE}\n      const records = kept.fill`,
    without: 'const records = kept.fill',
    tests: SLICES,
  },
  {
    name: 'pauses while pages of blocks are computed',
    file: 'src/service/memory/chunks.ts',
    text: `${PAUSE}\n      const record = kept.at`,
    without: 'const record = kept.at',
    tests: SLICES,
  },
  {
    name: 'pauses while records of a page are computed',
    file: 'src/service/memory/chunk-pager.ts',
    text: 'if (this.#slices.isOver()) await this.#slices.next();',
    without: '',
    tests: SLICES,
  },
  {
    name: 'pauses between the steps of a ranking',
    file: 'src/service/protocol/time-slices.ts',
    text: PAUSE,
    without: '',
    tests: SLICES,
  },
  {
    name: 'pauses while the ledger counts',
    file: 'src/service/node/rpc-ledger.ts',
    text: `${PAUSE}\n      else count(`,
    without: 'count(',
    tests: ['test/integration/service/node/rpc-ledger.test.ts'],
  },
  {
    name: 'one ranking at a time',
    file: 'src/service/memory/chain-source.ts',
    text: 'await before?.catch(() => undefined);',
    without: '',
    tests: SLICES,
  },
];
