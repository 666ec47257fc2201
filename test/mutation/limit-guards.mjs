/**
 * Guards of the limits of runs, which several runs share; see guards.mjs.
 *
 * @type {readonly import('./guards.d.mts').Guard[]}
 */
export const LIMIT_GUARDS = [
  {
    name: 'no run is advised while the quota is used up',
    file: 'src/cli/verbs/status/next-step.ts',
    text: 'if (usedUpUntilMs === undefined) return',
    without: 'return',
    tests: ['test/unit/cli/verbs/status/status-head.test.ts'],
  },
  {
    name: 'the largest number of requests of a run',
    file: 'src/fetch/limits/request-limits.ts',
    text: 'this.#over.signal.aborted || this.#requests >= maxRequests',
    without: 'this.#over.signal.aborted',
    tests: ['test/long/integration/run/limits.test.ts'],
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
    text: 'if (givenStop.aborted || isLimit(error)) {',
    without: 'if (givenStop.aborted) {',
    tests: ['test/unit/cli/verbs/plan-quota.test.ts'],
  },
  {
    name: 'requests beyond the quota',
    file: 'src/fetch/limits/admission.ts',
    text: 'if (taken?.isGranted === false) return this.#usedUp(taken);',
    without: '',
    tests: ['test/long/integration/run/limits.test.ts'],
  },
  {
    name: 'the place of a mark decides between processes',
    file: 'src/allowance/daily-quota.ts',
    text: 'if (place >= this.perDay) return refused(file.day);',
    without: '',
    tests: ['test/integration/allowance/daily-quota.test.ts'],
  },
  {
    name: 'a clock that goes back over midnight',
    file: 'src/allowance/daily-quota.ts',
    text: 'return daysIn(folder).includes(tomorrow) ? tomorrow : dayOf(nowMs);',
    without: 'return dayOf(nowMs);',
    tests: ['test/integration/allowance/daily-quota.test.ts'],
  },
  {
    name: 'the count of a file that was cut during a run',
    file: 'src/allowance/daily-quota.ts',
    text: 'if (missing > 0) writeSync(this.#descriptor, Buffer.alloc(missing * MARK_BYTES));',
    without: 'if (missing > 1_000_000) writeSync(this.#descriptor, Buffer.alloc(1));',
    tests: ['test/integration/allowance/daily-quota.test.ts'],
  },
  {
    name: 'names of keys that cannot be compared with guessed keys',
    file: 'src/allowance/key-folder.ts',
    text: ".update([salt, url, accessKey].join('\\n'))",
    without: ".update(['', url, accessKey].join('\\n'))",
    tests: ['test/unit/allowance/key-folder.test.ts'],
  },
  {
    name: 'a process takes no more of the rate than the others leave',
    file: 'src/allowance/leased-pace.ts',
    text: 'return others.length === 0 ? 1 : Math.max(0, Math.min(fair, left));',
    without: 'return others.length === 0 ? 1 : fair + 0 * left;',
    tests: ['test/unit/allowance/leased-pace.test.ts'],
  },
  {
    name: 'a process without a newer lease sends nothing',
    file: 'src/allowance/leased-pace.ts',
    text: 'return isValid ? this.#share : 0;',
    without: 'return isValid ? this.#share : this.#share;',
    tests: ['test/unit/allowance/leased-pace.test.ts'],
  },
  {
    name: 'leases of processes that have ended',
    file: 'src/allowance/lease-file.ts',
    text: '.filter(({ holder }) => isAlive(holder));',
    without: ';',
    tests: ['test/unit/allowance/lease-file.test.ts'],
  },
  {
    name: 'one process tests for a higher limit',
    file: 'src/fetch/rate/pace.ts',
    text: 'if (isFollower || nowMs < this.#probeAtMs',
    without: 'if (nowMs < this.#probeAtMs',
    tests: ['test/property/shared-pacer.test.ts'],
  },
  {
    name: 'keys that were never accepted are not read again',
    file: 'src/fetch/http/signer.ts',
    text: 'if (this.#accepted !== by) return false;',
    without: '',
    tests: ['test/unit/fetch/http/renewal.test.ts'],
  },
  {
    name: 'commands of credentials do not get the secrets of windrow',
    file: 'src/run/job/credentials.ts',
    text: '.filter(([name]) => !SECRET_NAMES.has(name));',
    without: ';',
    tests: ['test/unit/run/job/secret-command.test.ts'],
  },
  {
    name: 'the order of runs that wait for a data root',
    file: 'src/land/lock/lock-queue.ts',
    text: 'for (const name of await places(path)) {',
    without: 'for (const name of [place]) {',
    tests: ['test/unit/land/lock/lock-queue.test.ts'],
  },
];
