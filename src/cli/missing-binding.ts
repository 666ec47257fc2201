import { Fault } from '../fault.ts';

/**
 * The part of DuckDB that is made for one kind of machine is an optional package to npm, and an
 * install that leaves out optional packages leaves it out. The fault that says so; undefined for
 * any other error.
 */
export function missingBinding(error: unknown): Fault | undefined {
  if (!(error instanceof Error)) return undefined;
  const [, name] = /^Cannot find (?:module|package) '(@duckdb\/node-bindings[\w-]*)/.exec(
    error.message,
  ) ?? [undefined, undefined];
  if (name === undefined) return undefined;
  return new Fault('configuration', `The package ${name} is not installed.`, {
    advice:
      'It is the database behind every lake. Install again without --omit=optional: npm ci. ' +
      'Until then only windrow serve with --chain or --records works, and describe.',
    cause: error,
  });
}
