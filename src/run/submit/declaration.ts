import { address, type Kind } from '../../catalogue/column-kind.ts';
import type { Endpoint, Param } from '../../catalogue/entry.ts';
import { endpoints } from '../../catalogue/index.ts';
import { jsonIn } from '../../json-in.ts';
import { ADDRESS } from '../../pipeline/syntax/address.ts';
import { suggestion } from '../../pipeline/syntax/nearest.ts';
import type { Finding } from '../../pipeline/syntax/schema-problems.ts';

/** The members of a submission by name, as they are sent. */
export type SubmissionBody = Readonly<Record<string, SubmissionValue>>;
type SubmissionValue = string | boolean | readonly Readonly<Record<string, string>>[];

/** The only endpoint that takes data instead of listing records. */
export const SUBMISSION: Endpoint = submissionEndpoint();
const MEMBER_MARK = '[].';

function submissionEndpoint(): Endpoint {
  const entry = endpoints.find(({ list }) => list === 'submission');
  if (entry === undefined) throw new Error('the catalogue has no submission');
  return entry;
}

const members = SUBMISSION.params.filter(({ name }) => !name.includes(MEMBER_MARK));

/** The names of all members, without those of list items. */
const MEMBER_NAMES: readonly string[] = members.map(({ name }) => name);

/**
 * The body of these values, which YAML gives as texts, numbers, lists and mappings, and everything
 * that the declaration of the endpoint refuses. Empty texts are left out.
 */
export function bodyOf(values: Readonly<Record<string, unknown>>): {
  readonly body: SubmissionBody;
  readonly findings: readonly Finding[];
} {
  const findings: Finding[] = Object.keys(values)
    .filter((name) => !MEMBER_NAMES.includes(name))
    .map((name) => ({
      path: [name],
      isOfKey: true,
      message: 'is not a member of a submission',
      advice: suggestion(name, MEMBER_NAMES),
    }));
  const body: Record<string, SubmissionValue> = {};
  for (const param of members) {
    const value = memberValue(param, values[param.name], findings);
    if (value !== undefined && value !== '') body[param.name] = value;
  }
  for (const { name, required, requiredUnless } of members) {
    const isNeeded =
      required || (requiredUnless && body[requiredUnless.name] !== requiredUnless.is);
    if (isNeeded !== true || body[name] !== undefined) continue;
    if (findings.some(({ path }) => path[0] === name)) continue;
    const unless =
      requiredUnless === undefined ? '' : ` It is optional for ${requiredUnless.is} only.`;
    findings.push({ path: [name], message: 'is missing', advice: `Give its value.${unless}` });
  }
  findings.push(...sourceFindings(body));
  return { body, findings };
}

function memberValue(
  param: Param,
  given: unknown,
  findings: Finding[],
): SubmissionValue | undefined {
  if (given === undefined || given === null) return undefined;
  if (param.type === 'Array') return itemsOf(param, given, findings);
  const text = typeof given === 'number' || typeof given === 'boolean' ? String(given) : given;
  const wrong = (message: string, advice: string): undefined => {
    findings.push({ path: [param.name], message, advice });
  };
  if (typeof text !== 'string') return wrong('is not a text', 'Write its value in quotes.');
  const { type, values } = param;
  if (type === 'Boolean') {
    if (text === 'true' || text === 'false') return text === 'true';
    return wrong('is neither true nor false', 'Write true or false.');
  }
  if (text !== '' && values !== undefined && !values.includes(text)) {
    return wrong('is not one of the allowed values', suggestion(text, values));
  }
  const kind = param.role === 'body' ? param.column?.kind : undefined;
  if (text !== '' && kind !== undefined && !isOfKind(kind, text)) {
    return wrong(...malformed(kind));
  }
  return text;
}

function isOfKind(kind: Kind, text: string): boolean {
  return kind === address ? ADDRESS.test(text) : kind.canonical(text) !== undefined;
}

function malformed(kind: Kind): [message: string, advice: string] {
  return kind === address
    ? ['is not an address', 'Write 0x and 40 hexadecimal digits, in quotes.']
    : [`is not a value of the kind ${kind.name}`, 'Correct it.'];
}

/** Items with the members that they have; an empty one counts as absent. */
function itemsOf(
  { name, ...param }: Param,
  given: unknown,
  findings: Finding[],
): SubmissionValue | undefined {
  const wrong = (path: Finding['path'], message: string, advice: string): void => {
    findings.push({ path: [name, ...path], message, advice });
  };
  if (!Array.isArray(given)) {
    wrong([], 'is not a list', 'Write a list of mappings.');
    return undefined;
  }
  const max = param.role === 'body' ? param.max : undefined;
  if (max !== undefined && given.length > max) {
    wrong([], `has more than ${max} items`, `The service takes at most ${max}.`);
  }
  const names = SUBMISSION.params
    .filter((member) => member.name.startsWith(name + MEMBER_MARK))
    .map((member) => member.name.slice(name.length + MEMBER_MARK.length));
  return (given as readonly unknown[]).map((item, at) => {
    const entries = typeof item === 'object' && item !== null ? Object.entries(item) : undefined;
    if (entries === undefined) wrong([at], 'is not a mapping', `Give it ${names.join(' and ')}.`);
    const texts = (entries ?? []).flatMap(([key, value]): [string, string][] => {
      if (!names.includes(key)) wrong([at, key], 'is not a known member', suggestion(key, names));
      else if (typeof value !== 'string') wrong([at, key], 'is not a text', 'Put it in quotes.');
      else if (value !== '') return [[key, value]];
      return [];
    });
    return Object.fromEntries(texts);
  });
}

const IMPORT = /^\s*import\b/m;

/** Sources that the interface excludes: imports in one file, and standard JSON that is not JSON. */
function sourceFindings({ codeFormat, sourceCode }: SubmissionBody): Finding[] {
  const path = ['sourceCode'];
  if (typeof sourceCode !== 'string') return [];
  if (codeFormat === 'solidity-single-file' && IMPORT.test(sourceCode)) {
    const advice = 'Flatten the source into one file, or submit standard JSON (see buildInfo).';
    return [{ path, message: 'imports other files', advice }];
  }
  if (codeFormat !== 'solidity-standard-json-input' || hasSources(sourceCode)) return [];
  const advice = "Give the compiler's input: a JSON object with language, sources and settings.";
  return [{ path, message: 'is not standard JSON', advice }];
}

function hasSources(text: string): boolean {
  const value = jsonIn(text);
  return typeof value === 'object' && value !== null && 'sources' in value;
}
