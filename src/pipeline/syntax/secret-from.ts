import type { z } from 'zod';
import { asMapping } from '../../json-in.ts';
import { fileName, mapping, says, textField } from './fields.ts';

/** Where a secret is kept: pipelines are under version control and hold none. */
export const secretFrom = mapping({
  env: textField(
    /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
    'is not the name of an environment variable',
    'Use letters, digits and underscores, as in ALERT_URL.',
    'The environment variable with the secret',
  ).optional(),
  file: fileName('A file with the secret alone, of mode 0600').optional(),
}).refine(({ env, file }) => (env === undefined) !== (file === undefined), {
  error: ({ input }) => {
    const isEmpty = Object.keys(asMapping(input)).length === 0;
    const problem = isEmpty ? 'has neither env nor file' : 'has env and file';
    return says(problem, 'Give it one of them, as in { env: ALERT_URL }.');
  },
});

export type SecretFrom = z.infer<typeof secretFrom>;
