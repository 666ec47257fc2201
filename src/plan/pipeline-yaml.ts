import type { z } from 'zod';
import type { TextFile } from './address-list.ts';
import type { LocatedYaml, Path } from './located-yaml.ts';
import { readYaml } from './located-yaml.ts';
import type { Pipeline } from './pipeline.ts';
import { pipelineSchema, toPipeline } from './pipeline.ts';
import type { Finding } from './pipeline-checks.ts';
import { checkTogether } from './pipeline-checks.ts';
import type { Problem } from './problem.ts';
import { faultOf } from './problem.ts';

type Issue = z.core.$ZodIssue;

/**
 * The pipeline that a YAML text describes, checked against the catalogue. Throws one configuration
 * fault that names every problem with `file:line:column`, the value given and what to do.
 */
export function parsePipeline({ text, file }: TextFile): Pipeline {
  const yaml = readYaml(text);
  if (yaml.isBroken) throw faultOf(file, yaml.problems);
  const parsed = pipelineSchema.safeParse(yaml.value);
  const issues = parsed.success ? [] : parsed.error.issues;
  const together = checkTogether(yaml.value).map((finding) => ({
    ...finding,
    what: `${nameOf(finding.path)} ${finding.what}`,
  }));
  const findings = onePerValue([...findingsOf(issues, [], yaml), ...together]);
  const problems = [...yaml.problems, ...unexplained(findings, yaml)];
  if (parsed.success && problems.length === 0) return toPipeline(parsed.data);
  throw faultOf(file, problems);
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
function unexplained(findings: readonly Finding[], yaml: LocatedYaml): Problem[] {
  const explained = new Set(yaml.problems.map(({ line, column }) => `${line}:${column}`));
  return findings
    .map((finding) => problemAt(finding, yaml))
    .filter(({ line, column }) => !explained.has(`${line}:${column}`));
}

function findingsOf(issues: readonly Issue[], base: Path, yaml: LocatedYaml): Finding[] {
  return issues.flatMap((issue): Finding[] => {
    const path = [...base, ...issue.path];
    if (issue.code === 'unrecognized_keys') return unknownKeys(issue, path);
    if (issue.code === 'invalid_union') {
      const meant = formMeant(issue.errors);
      if (meant !== undefined) return findingsOf(meant, path, yaml);
    }
    if (issue.code === 'invalid_key') {
      const message = issue.issues[0]?.message ?? issue.message;
      return [{ path, isOfKey: true, ...wordsOf(message, path) }];
    }
    const { what, advice } = wordsOf(issue.message, path);
    const isMissing = yaml.placeOf(path) === undefined;
    return [{ path, what: isMissing ? `${nameOf(path)} is missing` : what, advice }];
  });
}

function unknownKeys(issue: z.core.$ZodIssueUnrecognizedKeys, path: Path): Finding[] {
  const advice = issue.message.split('\n');
  const what = path.length === 0 ? 'unknown key' : `unknown key in ${nameOf(path)}`;
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

function wordsOf(message: string, path: Path): { what: string; advice: string } {
  const [what = '', advice = ''] = message.split('\n');
  return { what: `${nameOf(path)} ${what}`, advice };
}

/** `datasets.token_transfers[0].each`, as an analyst would say it. */
function nameOf(path: Path): string {
  if (path.length === 0) return 'the pipeline';
  return path
    .map((part, i) =>
      typeof part === 'number' ? `[${part}]` : `${i > 0 ? '.' : ''}${String(part)}`,
    )
    .join('');
}

/** Missing values are reported at the key or element that lacks them. */
function problemAt(finding: Finding, yaml: LocatedYaml): Problem {
  const { path, what, advice } = finding;
  const found = finding.isOfKey === true ? yaml.placeOfKey(path) : yaml.placeOf(path);
  if (found !== undefined) {
    const { line, column, given } = found;
    const isHidden = finding.isOfKey !== true && mayHoldSecrets(path);
    return { line, column, what, advice, given: isHidden ? 'not shown' : given };
  }
  for (let length = path.length - 1; length >= 0; length -= 1) {
    const holder = path.slice(0, length);
    const place = yaml.placeOfKey(holder) ?? yaml.placeOf(holder);
    if (place !== undefined) return { line: place.line, column: place.column, what, advice };
  }
  return { line: 1, column: 1, what, advice };
}

/** A secret pasted here by mistake must not reach a log. */
function mayHoldSecrets(path: Path): boolean {
  return path[0] === 'source' && path[1] === 'credentials';
}
