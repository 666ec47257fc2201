/** Guards on which checks of changed heights rest; see guards.mjs. */

const STATE = ['test/long/integration/load/checks-state.test.ts'];
const CONTRADICTIONS = ['test/integration/load/checks-contradictions.test.ts'];

/** @type {readonly import('./guards.d.mts').Guard[]} */
export const CHECK_GUARDS = [
  {
    name: 'evidence of rows that a look-up removed',
    file: 'src/load/checks/evidence.ts',
    text: 'return normalise([...heights, ...named, ...former]);',
    without: 'return normalise([...heights, ...named, ...former.slice(former.length)]);',
    tests: STATE,
  },
  {
    name: 'evidence of changed heights goes',
    file: 'src/load/checks/evidence.ts',
    text: "withinSql('height', dirty)",
    without: "withinSql('height', [])",
    tests: STATE,
  },
  {
    name: 'damaged evidence',
    file: 'src/load/checks/check-state.ts',
    text: 'if ((await sha256Of(join(folder, name))) !== sha256) return undefined;',
    without: '',
    tests: STATE,
  },
  {
    name: 'evidence that other checks removed meanwhile',
    file: 'src/load/checks/run-checks.ts',
    text: 'if (JSON.stringify(newest?.evidence) === JSON.stringify(former?.evidence)) throw error;',
    without: 'if (newest !== null) throw error;',
    tests: STATE,
  },
  {
    name: 'checks of some names are not stored',
    file: 'src/load/checks/run-checks.ts',
    text: 'if (only !== undefined) return results;',
    without: '',
    tests: STATE,
  },
  {
    name: 'copies of records in the digests of lists',
    file: 'src/load/checks/suspects.ts',
    text: "['sum(digest) AS digest', ...sums]",
    without: "['sum(DISTINCT digest) AS digest', ...sums]",
    tests: CONTRADICTIONS,
  },
];
