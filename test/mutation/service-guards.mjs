/**
 * The guards on answers of the service, and on the time for which one computation may hold up all
 * other requests.
 */

const SLICES = ['test/unit/service/memory/chunks.test.ts'];
const PAUSE = 'if (slices.isOver()) await slices.next();';

/** @type {readonly import('./guards.mjs').Guard[]} */
export const SERVICE_GUARDS = [
  {
    name: 'fields that were never exported',
    file: 'src/service/answer/reply.ts',
    text: 'if (source.lacks !== undefined && !isForHead(of, question)) checkFields(of, records);',
    without: '',
    tests: ['test/unit/service/lake/availability.test.ts'],
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
    tests: ['test/unit/service/node/rpc-ledger.test.ts'],
  },
  {
    name: 'one ranking at a time',
    file: 'src/service/memory/chain-source.ts',
    text: 'await before?.catch(() => undefined);',
    without: '',
    tests: SLICES,
  },
];
