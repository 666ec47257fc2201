import { Fault } from '../../fault.ts';

/**
 * The fault of a missing platform package of DuckDB; undefined for any other error. The package is
 * optional for npm, so installs without optional packages lack it.
 */
export function missingBinding(error: unknown): Fault | undefined {
  if (!(error instanceof Error)) return undefined;
  const [, name] = /^Cannot find (?:module|package) '(@duckdb\/node-bindings[\w-]*)/.exec(
    error.message,
  ) ?? [undefined, undefined];
  if (name === undefined) return undefined;
  return new Fault('configuration', `The package ${name} is not installed.`, {
    advice:
      'It is the database of every lake. Install again without --omit=optional: npm ci. ' +
      'Without it, only describe and serve with --chain or --records work.',
    cause: error,
  });
}
