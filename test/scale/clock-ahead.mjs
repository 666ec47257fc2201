/** Loaded before a program, sets its clock five minutes ahead. */
const AHEAD_MS = 300_000;
const Real = Date;
globalThis.Date = class extends Real {
  constructor(...args) {
    super(...(args.length === 0 ? [Real.now() + AHEAD_MS] : args));
  }
  static now() {
    return Real.now() + AHEAD_MS;
  }
};
