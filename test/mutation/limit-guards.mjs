/**
 * Guards of the limits of runs, which several runs share; see guards.mjs.
 *
 * @type {readonly import('./guards.d.mts').Guard[]}
 */
export const LIMIT_GUARDS = [
  {
    name: 'the largest number of requests of a run',
    file: 'src/fetch/limits/request-limits.ts',
    text: 'this.#over.signal.aborted || this.#requests >= maxRequests',
    without: 'this.#over.signal.aborted',
    tests: ['test/unit/run/limits.test.ts'],
  },
  {
    name: 'requests kept for slices under way',
    file: 'src/fetch/limits/request-limits.ts',
    text: 'if (this.#requests < maxRequests - kept) return;',
    without: 'if (this.#requests < maxRequests) return;',
    tests: ['test/unit/fetch/limits/request-limits.test.ts'],
  },
  {
    name: 'slices that a limit ends have not failed',
    file: 'src/run/execute.ts',
    text: 'if (given.hardStop.aborted || isLimit(error)) {',
    without: 'if (given.hardStop.aborted) {',
    tests: ['test/unit/run/limits.test.ts'],
  },
  {
    name: 'requests beyond the quota',
    file: 'src/fetch/limits/admission.ts',
    text: 'if (taken?.isGranted === false) return this.#usedUp(taken);',
    without: '',
    tests: ['test/unit/run/limits.test.ts'],
  },
];
