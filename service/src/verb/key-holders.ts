import { z } from 'zod';
import { Fault } from '../../../src/fault.ts';
import { type Credentials, Secret } from '../../../src/fetch/http/signature.ts';
import { jsonIn } from '../../../src/json-in.ts';
import type { QueriedService } from '../../../src/pipeline/source-settings.ts';
import { mapping, says } from '../../../src/pipeline/syntax/fields.ts';
import { readYaml } from '../../../src/pipeline/syntax/located-yaml.ts';
import { problemsOf } from '../../../src/pipeline/syntax/schema-problems.ts';
import { privateText, secretsIn, trimmed } from '../../../src/run/job/credentials.ts';
import { type RateLimit, rateLimitSchema } from '../settings/rate-limits-schema.ts';
import type { KeyHolder } from '../settings/settings.ts';

/** Keys in one file. */
const MOST_KEYS = 1_000;

const SECRETS = ['accessKey', 'secretKey', 'passphrase'] as const;
const secret = z.string(says('is not text', 'Write it in quotes.'));
const full = secret.min(
  1,
  says('is empty', 'Write the value that the holder of the key signs with.'),
);

function listOf<T extends z.ZodType<{ accessKey: string }>>(holder: T) {
  return z
    .array(holder, 'is not a JSON list of keys')
    .min(1, 'has no key')
    .max(MOST_KEYS, `has more than ${MOST_KEYS} keys`)
    .superRefine((keys, context) => {
      const accessKeys = new Set<string>();
      keys.forEach(({ accessKey }, entry) => {
        const message = says('is that of an earlier entry', 'Give every entry one of its own.');
        if (accessKeys.has(accessKey)) {
          context.addIssue({ code: 'custom', path: [entry, 'accessKey'], message });
        }
        accessKeys.add(accessKey);
      });
    });
}

const limit = rateLimitSchema.optional();
const signingHolders = listOf(
  mapping({ accessKey: full, secretKey: full, passphrase: full, limit }),
);
const apiKeyHolders = listOf(
  mapping({ accessKey: full, secretKey: full.optional(), passphrase: full.optional(), limit }),
);

const WHAT_TO_WRITE =
  `Write [{${SECRETS.map((name) => `"${name}": "..."`).join(', ')}}], each key with a ` +
  '"limit" beside these if it should have one.';

/**
 * The keys that a service accepts, from a file that only its owner may read: a JSON list of keys,
 * each with an optional rate limit. With `key`, clients do not sign.
 */
export async function keyHolders(
  file: string,
  authentication: QueriedService['authentication'] = 'signature',
): Promise<KeyHolder[]> {
  const text = await privateText(file, 'Name a file of keys with --keys.');
  const value = jsonIn(text);
  const limited = (one: Credentials, limit: RateLimit | undefined): KeyHolder =>
    limit === undefined ? one : { ...one, limit };
  if (authentication === 'key') {
    const parsed = apiKeyHolders.safeParse(value);
    if (!parsed.success) throw keysFault(file, value, parsed.error.issues);
    return parsed.data.map(({ accessKey, limit }) =>
      limited({ accessKey: new Secret(trimmed(accessKey, 'accessKey', file)) }, limit),
    );
  }
  const parsed = signingHolders.safeParse(value);
  if (!parsed.success) throw keysFault(file, value, parsed.error.issues);
  return parsed.data.map(({ limit, ...secrets }) => limited(secretsIn(secrets, file), limit));
}

/** The first problem of the file, with its place and without its value. */
function keysFault(file: string, value: unknown, issues: readonly z.core.$ZodIssue[]): Fault {
  const [first] = issues;
  const place = first?.path[0];
  if (typeof place !== 'number') {
    return new Fault('configuration', `The file of keys ${first?.message}.`, {
      where: file,
      advice: WHAT_TO_WRITE,
    });
  }
  const entryIssues = issues
    .filter(({ path }) => path[0] === place)
    .map((issue) => ({ ...issue, path: issue.path.slice(1) }));
  const entry = readYaml(JSON.stringify((value as readonly unknown[])[place]));
  const subject = { name: 'the entry', mayHoldSecrets: () => true };
  const [problem] = problemsOf(entry, entryIssues, subject);
  const name = problem?.message.startsWith('unknown key')
    ? ` ${JSON.stringify(problem.source)}`
    : '';
  return new Fault(
    'configuration',
    `Entry ${place + 1} of the keys: ${problem?.message ?? 'is wrong'}${name}.`,
    {
      where: file,
      advice: `${problem?.advice ?? ''} ${WHAT_TO_WRITE}`.trimStart(),
    },
  );
}
