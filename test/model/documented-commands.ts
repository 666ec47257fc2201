import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The commands and the SQL that README.md and docs/ show, as a reader would type them. */

export interface Documented {
  /** `README.md:18`. */
  readonly where: string;
  /** One command of a shell, or one statement of SQL, without comments. */
  readonly text: string;
  readonly kind: 'command' | 'sql';
}

const REPOSITORY = new URL('../../', import.meta.url);

/** Everything that the pages show. */
export async function documentedCommands(verbs: readonly string[]): Promise<Documented[]> {
  const docs = (await readdir(new URL('docs/', REPOSITORY))).filter((name) => name.endsWith('.md'));
  const pages = ['README.md', 'CONTRIBUTING.md', ...docs.sort().map((name) => `docs/${name}`)];
  const commands: Documented[] = [];
  for (const page of pages) {
    const text = await readFile(fileURLToPath(new URL(page, REPOSITORY)), 'utf8');
    commands.push(...commandsIn(page, text, verbs));
  }
  return commands;
}

/** What one page shows: lines of `sh`, statements of `sql`, prompts of other blocks, code spans. */
export function commandsIn(page: string, text: string, verbs: readonly string[]): Documented[] {
  const parts: Documented[] = [];
  const lines = text.split('\n');
  let block: { readonly language: string; readonly first: number; lines: string[] } | undefined;
  for (const [i, line] of lines.entries()) {
    const fence = /^\s*```(\w*)/.exec(line);
    if (fence === null) {
      if (block !== undefined) block.lines.push(line);
      else
        parts.push(...spansIn(line, verbs).map((span) => ({ where: `${page}:${i + 1}`, ...span })));
    } else if (block === undefined) {
      block = { language: fence[1] ?? '', first: i + 2, lines: [] };
    } else {
      const where = `${page}:${block.first}`;
      parts.push(...blockTexts(block.language, block.lines).map((part) => ({ where, ...part })));
      block = undefined;
    }
  }
  return parts;
}

type Shown = Omit<Documented, 'where'>;

function blockTexts(language: string, lines: readonly string[]): Shown[] {
  const text = lines.join('\n');
  if (language === 'sql') return statements(text);
  const prompts = lines.flatMap((line) => /^\s*\$ (.*)$/.exec(line)?.[1] ?? []);
  return (language === 'sh' ? [text.replaceAll('\\\n', ' ')] : prompts)
    .flatMap((line) => line.split('\n'))
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .flatMap((line) => line.split(' && '))
    .filter((command) => command !== '')
    .map((command) => ({ kind: 'command', text: command }));
}

function statements(text: string): Shown[] {
  return text
    .replace(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
    .map((statement) => ({ kind: 'sql', text: statement }));
}

/**
 * Commands and statements among the code spans of a line. Options that stand alone after a command
 * of the same table row are variants of it; `... run FILE` leaves out `npx windrow`.
 */
function spansIn(line: string, verbs: readonly string[]): Shown[] {
  const parts: Shown[] = [];
  let command: string | undefined;
  for (const [, span = ''] of line.matchAll(/`([^`]+)`/g)) {
    const verb = new RegExp(`^(\\.\\.\\. )?(${verbs.join('|')}) (?=-|\\S+ -)`);
    if (/^(SELECT|FROM|WITH) /.test(span)) parts.push({ kind: 'sql', text: span });
    else if (/^([A-Z]+=\S+ )?(npx|npm|windrow) /.test(span) || verb.test(span)) {
      command = span.replace(verb, 'npx windrow $2 ');
      parts.push({ kind: 'command', text: command });
    } else if (span.startsWith('--') && command !== undefined && line.startsWith('|')) {
      parts.push({ kind: 'command', text: `${command} ${span}` });
    }
  }
  return parts;
}

/** Commands that are shown and cannot be run by a test, with the reason. */
export const NOT_RUN: readonly (readonly [command: RegExp, reason: string])[] = [
  [/^(npx )?windrow VERB$/, 'stands for every command'],
  [/^npm ci$/, 'installs the packages that the test itself runs with; .ci/run does it first'],
  [/^(\w+=\d )?npm (test|run test:(all|more))$/, 'would run the test that runs it'],
  [/^npm (pack|install --global)$/, 'installs the package; .ci/run does it'],
  [/^npx vitest run FILE$/, 'would run a test from a test'],
  [/^npm run check$/, 'would run the test that runs it; .ci/run takes each of its steps'],
  [/^npm run test:guards( |$)/, 'runs the tests once per mutant'],
  [/^npm run bench$/, 'takes 15 minutes and a machine that does nothing else'],
  [/^npm run test:pages$/, 'needs Chromium; a step of .ci/run'],
  [/^npm run test:notebooks$/, 'needs packages of its own; a step of .ci/run'],
  [/ --engine spark /, 'needs Spark; see test/spark'],
  [/ notebook .*--execute/, 'needs Jupyter; test/notebooks runs every template so'],
  [/^python3 -m venv|env\/bin\/|^WINDROW_PYTHON=|^papermill /, 'needs Jupyter; see test/notebooks'],
  [
    /^npm ci --prefix docs\/site( && npm run docs)?$|^npm run docs$/,
    'needs packages of its own; a step of .ci/run',
  ],
  [/^npm run test:dbt$|^(WINDROW_WAREHOUSE=.* )?\S*dbt build$|^cd dbt$/, 'needs dbt; see test/dbt'],
  [
    /^npm ci --prefix test\/(anvil|documents) && npm run test:(anvil|documents)$/,
    'needs packages of its own; a step of .ci/run',
  ],
  [/^(npx )?windrow contract submit( |$)/, 'needs sources; see contract-submissions.test.ts'],
  [/^windrow run --for 10m$/, 'takes ten minutes; see stream-capture.test.ts'],
  [/^npm run test:readers$/, 'needs packages of its own; a step of .ci/run'],
  [/^node test\/readers\//, 'needs packages of its own; a step of .ci/run'],
  [/^redis-server | --queue( redis:|$)/, 'needs Redis; see test/scale'],
  [/^export \w+=/, 'sets variables for the commands after it'],
  [/^clickhouse local /, 'needs ClickHouse; see test/interop/engines.mjs'],
  [/^npm run test:(reconcile|scale)$/, 'needs programs and packages of its own'],
  [/ --data s3:/, 'needs an object store; see test/scale'],
  [/^npm run test:interop$/, 'needs packages of its own; a step of .ci/run'],
  [/^npm run test:spark$/, 'needs packages of its own, Java and a quarter of an hour'],
  [/^UPDATE=1 npx vitest /, 'rewrites a page; the same test, without UPDATE, is in the suites'],
  [/^\(?crontab /, 'changes the crontab of this user; npm run test:operating does it'],
  [/^npm run test:operating$/, 'needs programs of the machine; a step of .ci/run'],
  [/^systemctl /, 'needs systemd as the first process; test:operating verifies the units'],
  [/^kubectl /, 'needs a cluster; test:operating validates the manifest'],
  [/^docker /, 'needs a container engine; test:operating takes the steps of the image'],
  [/^rsync /, 'copies the lake, which test/e2e/export.test.ts does'],
  [/^windrow (plan|run|status|audit)( samples\.yaml.*)?$/, 'played by sample-outputs.test.ts'],
];

/** Why a command is not run; undefined for one that is. */
export function reasonNotToRun({ text, where }: Documented): string | undefined {
  if (where.startsWith('docs/data-dictionary.md')) return 'run by data-dictionary.test.ts';
  const isSample = where.startsWith('docs/sample-outputs.md');
  return NOT_RUN.find(
    ([command, reason]) =>
      command.test(text) && (isSample || !reason.includes('sample-outputs.test.ts')),
  )?.[1];
}
