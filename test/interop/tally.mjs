import { isDeepStrictEqual } from 'node:util';

/** Counts comparisons, and prints those that fail. */
export class Tally {
  passed = 0;
  failed = 0;

  equal(what, actual, expected) {
    if (isDeepStrictEqual(actual, expected)) {
      this.passed += 1;
      return;
    }
    this.failed += 1;
    say(`FAILED ${what}\n  got      ${short(actual)}\n  expected ${short(expected)}`);
  }

  /** Prints `detail` beside a condition that does not hold. */
  holds(what, condition, detail = '') {
    this.equal(what, condition, true);
    if (!condition && detail !== '') say(`  ${short(detail)}`);
  }

  /** The closing line. */
  close() {
    say(`${this.passed} passed, ${this.failed} failed`);
    if (this.failed > 0 || this.passed === 0) process.exitCode = 1;
  }
}

export function say(text) {
  process.stdout.write(`${text}\n`);
}

function short(value) {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 600 ? `${text.slice(0, 600)} ...` : text;
}
