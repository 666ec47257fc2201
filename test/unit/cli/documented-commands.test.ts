import { expect, test } from 'vitest';
import {
  commandsIn,
  documentedCommands,
  NOT_RUN,
  reasonNotToRun,
} from '../../model/documented-commands.ts';
import { codeOf, readSources } from '../../model/source-tree.ts';

/** Goal: test/e2e/documented-commands.test.ts misses no command that README.md and docs/ show. */

const VERBS = ['run', 'serve', 'audit'];
/** Words about a verb that are no command to type. */
const NO_ADVICE = /^windrow (alerts needs the path|run of |schedule; runs by hand)/;

test('commands and SQL are found in every place where pages show them', () => {
  const page = [
    'Text with `windrow check` and `serve --data DIR`, `--partial` and `exact_sum(amount)`.',
    '| want | command |',
    '| a | `npx windrow audit FILE` (`--repair` lands it) |',
    '| b | `... run FILE --blocks A:B` |',
    '```sh',
    'npm ci && npm run demo   # both',
    '# a comment',
    'npx windrow run a.yaml \\',
    '  --data b',
    '```',
    '```sql',
    'SELECT 1; -- one',
    'FROM runs;',
    '```',
    '```text',
    '$ windrow status',
    'windrow is not typed here',
    '```',
    '`SELECT 2` and `THOROUGH=2 npm test`',
  ];
  expect(
    commandsIn('p.md', page.join('\n'), VERBS).map(({ where, text }) => [where, text]),
  ).toEqual([
    ['p.md:1', 'windrow check'],
    ['p.md:1', 'npx windrow serve --data DIR'],
    ['p.md:3', 'npx windrow audit FILE'],
    ['p.md:3', 'npx windrow audit FILE --repair'],
    ['p.md:4', 'npx windrow run FILE --blocks A:B'],
    ['p.md:6', 'npm ci'],
    ['p.md:6', 'npm run demo'],
    ['p.md:6', 'npx windrow run a.yaml    --data b'],
    ['p.md:12', 'SELECT 1'],
    ['p.md:12', 'FROM runs'],
    ['p.md:16', 'windrow status'],
    ['p.md:19', 'SELECT 2'],
    ['p.md:19', 'THOROUGH=2 npm test'],
  ]);
});

test('messages name the pipeline of every command that needs one', async () => {
  const tree = await readSources('.');
  const verb =
    '(plan|run|audit|refetch|backfill|doctor|follow|schedule|alerts)( (check|test|run))?';
  const findings: string[] = [];
  for (const [file, text] of tree) {
    for (const [shown] of codeOf(text).matchAll(new RegExp(`windrow ${verb}\\b.{0,30}`, 'g'))) {
      const rest = shown.replace(new RegExp(`^windrow ${verb}`), '');
      const isNamed = /^ (\$\{|[A-Z]{4}|\S+\.ya?ml|<)/.test(rest);
      if (!isNamed && !NO_ADVICE.test(shown)) findings.push(`${file}: ${shown}`);
    }
  }
  expect(findings).toEqual([]);
});

test('only few commands are not run, and each of these is still shown', async () => {
  const shown = (await documentedCommands(VERBS)).filter(({ kind }) => kind === 'command');
  expect(shown.length).toBeGreaterThan(30);
  const reasons = new Set(shown.map(reasonNotToRun));
  expect(NOT_RUN.filter(([, reason]) => !reasons.has(reason))).toEqual([]);
  expect(shown.some(({ text }) => text.includes('FROM address_activity LIMIT 10'))).toBe(true);
});
