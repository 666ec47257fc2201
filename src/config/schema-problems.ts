import type { z } from 'zod';
import type { LocatedYaml, Path } from './located-yaml.ts';
import type { Problem } from './problem.ts';

type Issue = z.core.$ZodIssue;

/** Something wrong with the value at a path of a file. */
export interface Finding {
  readonly path: Path;
  /** The key itself is wrong, or stands for the whole value. */
  readonly isOfKey?: true;
  /** A clause. Those of checks over several values begin after the name of the value. */
  readonly what: string;
  readonly advice: string;
}

/** What a file is called in messages, and what of it they must not show. */
export interface Subject {
  /** Such as `the pipeline`. */
  readonly name: string;
  /** Whether the value at the path may be a secret that somebody pasted there. */
  mayHoldSecrets(path: Path): boolean;
}

/**
 * Everything wrong with a YAML text: what its reader, a schema and `more` found, each at its place.
 * A value is complained about once.
 */
export function problemsOf(
  yaml: LocatedYaml,
  issues: readonly Issue[],
  subject: Subject,
  more: readonly Finding[] = [],
): Problem[] {
  const together = more.map((finding) => ({
    ...finding,
    what: `${nameOf(finding.path, subject)} ${finding.what}`,
  }));
  const findings = onePerValue([...findingsOf(issues, [], yaml, subject), ...together]);
  return [...yaml.problems, ...unexplained(findings, yaml, subject)];
}

/** The first finding on a value explains it; the others are its consequences. */
function onePerValue(findings: readonly Finding[]): Finding[] {
  const byValue = new Map<string, Finding>();
  for (const finding of findings) {
    const value = JSON.stringify([finding.isOfKey === true, ...finding.path]);
    if (!byValue.has(value)) byValue.set(value, finding);
  }
  return [...byValue.values()];
}

/** Leaves out findings on values that the reader of the YAML complained about already. */
function unexplained(findings: readonly Finding[], yaml: LocatedYaml, subject: Subject): Problem[] {
  const explained = new Set(yaml.problems.map(({ line, column }) => `${line}:${column}`));
  return findings
    .map((finding) => problemAt(finding, yaml, subject))
    .filter(({ line, column }) => !explained.has(`${line}:${column}`));
}

function findingsOf(
  issues: readonly Issue[],
  base: Path,
  yaml: LocatedYaml,
  subject: Subject,
): Finding[] {
  return issues.flatMap((issue): Finding[] => {
    const path = [...base, ...issue.path];
    if (issue.code === 'unrecognized_keys') return unknownKeys(issue, path, subject);
    if (issue.code === 'invalid_union') {
      const meant = formMeant(issue.errors);
      if (meant !== undefined) return findingsOf(meant, path, yaml, subject);
    }
    if (issue.code === 'invalid_key') {
      const message = issue.issues[0]?.message ?? issue.message;
      return [{ path, isOfKey: true, ...wordsOf(message, path, subject) }];
    }
    const { what, advice } = wordsOf(issue.message, path, subject);
    const isMissing = yaml.placeOf(path) === undefined;
    return [{ path, what: isMissing ? `${nameOf(path, subject)} is missing` : what, advice }];
  });
}

function unknownKeys(
  issue: z.core.$ZodIssueUnrecognizedKeys,
  path: Path,
  subject: Subject,
): Finding[] {
  const advice = issue.message.split('\n');
  const what = path.length === 0 ? 'unknown key' : `unknown key in ${nameOf(path, subject)}`;
  return issue.keys.map((key, i) => ({
    path: [...path, key],
    isOfKey: true,
    what,
    advice: advice[i] ?? '',
  }));
}

/** The one form of a union whose kind of value was given, if there is one: its issues say more. */
function formMeant(forms: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const ofKind = forms.filter((issues) =>
    issues.every(
      ({ code, path }) => path.length > 0 || (code !== 'invalid_type' && code !== 'invalid_value'),
    ),
  );
  return ofKind.length === 1 ? ofKind[0] : undefined;
}

function wordsOf(message: string, path: Path, subject: Subject): { what: string; advice: string } {
  const [what = '', advice = ''] = message.split('\n');
  return { what: `${nameOf(path, subject)} ${what}`, advice };
}

/** `datasets.token_transfers[0].each`, as an analyst would say it. */
function nameOf(path: Path, subject: Subject): string {
  if (path.length === 0) return subject.name;
  return path
    .map((part, i) =>
      typeof part === 'number' ? `[${part}]` : `${i > 0 ? '.' : ''}${String(part)}`,
    )
    .join('');
}

/** Missing values are reported at the key or element that lacks them. */
function problemAt(finding: Finding, yaml: LocatedYaml, subject: Subject): Problem {
  const { path, what, advice } = finding;
  const found = finding.isOfKey === true ? yaml.placeOfKey(path) : yaml.placeOf(path);
  if (found !== undefined) {
    const { line, column, given } = found;
    const isHidden = finding.isOfKey !== true && subject.mayHoldSecrets(path);
    return { line, column, what, advice, given: isHidden ? 'not shown' : given };
  }
  for (let length = path.length - 1; length >= 0; length -= 1) {
    const holder = path.slice(0, length);
    const place = yaml.placeOfKey(holder) ?? yaml.placeOf(holder);
    if (place !== undefined) return { line: place.line, column: place.column, what, advice };
  }
  return { line: 1, column: 1, what, advice };
}
