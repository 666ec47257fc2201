import { z } from 'zod';
import { says } from '../../../src/pipeline/syntax/fields.ts';

/** A Boolean. The YAML reader keeps these words as text. */
export function flagField(meaning: string) {
  return z
    .preprocess(
      (value) => (value === 'true' ? true : value === 'false' ? false : value),
      z.boolean(says('is neither true nor false', 'Write one of these.')),
    )
    .describe(meaning);
}
