import type { z } from 'zod';
import type { LocatedYaml, Path } from './located-yaml.ts';
import type { Problem } from './problem.ts';

type Issue = z.core.$ZodIssue;

/** A problem of the value at a path of a file. */
export interface Finding {
  readonly path: Path;
  /** The problem is reported at the key instead of the value. */
  readonly isOfKey?: true;
  /**
   * A clause. In findings of checks over several fields, the name of the value is put before it.
   */
  readonly message: string;
  readonly advice: string;
}

/** The name of a file in messages, and the values that messages must not show. */
export interface Subject {
  /** Such as `the pipeline`. */
  readonly name: string;
  /** Whether the value at the path may be a secret. */
  mayHoldSecrets(path: Path): boolean;
}

/**
 * All problems of a YAML text with their positions: those of its reader, of a schema and of `more`.
 * Reports at most one problem per value.
 */
export function problemsOf(
  yaml: LocatedYaml,
  issues: readonly Issue[],
  subject: Subject,
  more: readonly Finding[] = [],
): Problem[] {
  const together = more.map((finding) => ({
    ...finding,
    message: `${nameOf(finding.path, subject)} ${finding.message}`,
  }));
  const findings = onePerValue([...findingsOf(issues, [], yaml, subject), ...together]);
  return [...yaml.problems, ...unexplained(findings, yaml, subject)];
}

/** The first finding of each value. Later ones are mostly its consequences. */
function onePerValue(findings: readonly Finding[]): Finding[] {
  const byValue = new Map<string, Finding>();
  for (const finding of findings) {
    const value = JSON.stringify([finding.isOfKey === true, ...finding.path]);
    if (!byValue.has(value)) byValue.set(value, finding);
  }
  return [...byValue.values()];
}

/** The findings on values for which the YAML reader has no problem. */
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
    const { message, advice } = wordsOf(issue.message, path, subject);
    const isMissing = yaml.placeOf(path) === undefined;
    return [{ path, message: isMissing ? `${nameOf(path, subject)} is missing` : message, advice }];
  });
}

function unknownKeys(
  issue: z.core.$ZodIssueUnrecognizedKeys,
  path: Path,
  subject: Subject,
): Finding[] {
  const advice = issue.message.split('\n');
  const message = path.length === 0 ? 'unknown key' : `unknown key in ${nameOf(path, subject)}`;
  return issue.keys.map((key, i) => ({
    path: [...path, key],
    isOfKey: true,
    message,
    advice: advice[i] ?? '',
  }));
}

/** The issues of the only form of a union that has the type of the given value, if there is one. */
function formMeant(forms: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const ofKind = forms.filter((issues) =>
    issues.every(
      ({ code, path }) => path.length > 0 || (code !== 'invalid_type' && code !== 'invalid_value'),
    ),
  );
  return ofKind.length === 1 ? ofKind[0] : undefined;
}

function wordsOf(text: string, path: Path, subject: Subject): { message: string; advice: string } {
  const [clause = '', advice = ''] = text.split('\n');
  return { message: `${nameOf(path, subject)} ${clause}`, advice };
}

/** The path as text, as in `datasets.token_transfers[0].each`. */
function nameOf(path: Path, subject: Subject): string {
  if (path.length === 0) return subject.name;
  return path
    .map((part, i) =>
      typeof part === 'number' ? `[${part}]` : `${i > 0 ? '.' : ''}${String(part)}`,
    )
    .join('');
}

/** The finding with its position. A missing value has the position of the value that lacks it. */
function problemAt(finding: Finding, yaml: LocatedYaml, subject: Subject): Problem {
  const { path, message, advice } = finding;
  const exactPlace = finding.isOfKey === true ? yaml.placeOfKey(path) : yaml.placeOf(path);
  if (exactPlace !== undefined) {
    const { line, column, source: content } = exactPlace;
    const isHidden = finding.isOfKey !== true && subject.mayHoldSecrets(path);
    return { line, column, message, advice, source: isHidden ? 'not shown' : content };
  }
  for (let length = path.length - 1; length >= 0; length -= 1) {
    const holder = path.slice(0, length);
    const place = yaml.placeOfKey(holder) ?? yaml.placeOf(holder);
    if (place !== undefined) return { line: place.line, column: place.column, message, advice };
  }
  return { line: 1, column: 1, message, advice };
}
