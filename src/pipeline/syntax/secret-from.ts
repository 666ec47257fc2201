import type { z } from 'zod';
import { fileName, mapping, textField } from './fields.ts';

/** Where a secret is kept: pipelines are under version control and hold none. */
export const secretFrom = mapping({
  env: textField(
    /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
    'is not the name of an environment variable',
    'Use letters, digits and underscores, as in ALERT_URL.',
    'The environment variable with the secret',
  ).optional(),
  file: fileName('A file with the secret alone, of mode 0600').optional(),
});

export type SecretFrom = z.infer<typeof secretFrom>;
