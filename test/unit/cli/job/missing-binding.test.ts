import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { missingBinding } from '../../../../src/cli/job/missing-binding.ts';

/** What a module that is not there throws. */
function missing(name: string): unknown {
  try {
    return createRequire(import.meta.url)(name);
  } catch (error) {
    return error;
  }
}

describe('an install without optional packages', () => {
  it('is told by the package of DuckDB that it lacks, and how to install it', () => {
    const fault = missingBinding(missing('@duckdb/node-bindings-moon-x65/duckdb.node'));
    expect(fault).toMatchObject({
      exitCode: 2,
      message: 'The package @duckdb/node-bindings-moon-x65 is not installed.',
      advice: expect.stringMatching(/npm ci.*serve with --chain/) as string,
    });
    expect(fault?.advice).toContain('without --omit=optional');
  });

  it.each([missing('no-such-package'), new Error('anything'), 'text', undefined])(
    'is not blamed for other errors: %s',
    (error) => {
      expect(missingBinding(error)).toBeUndefined();
    },
  );
});
