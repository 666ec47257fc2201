import { z } from 'zod';
import { address } from '../../catalogue/column-kind.ts';
import type { Endpoint, Param } from '../../catalogue/entry.ts';
import { endpoints } from '../../catalogue/index.ts';
import { isMapping, jsonIn } from '../../json-in.ts';
import { ADDRESS } from '../../pipeline/syntax/address.ts';
import { asText, mapping, oneOf, says, yesOrNo } from '../../pipeline/syntax/fields.ts';
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
const text = z.string(says('is not a text', 'Write its value in quotes.'));
const bodySchema = mapping(
  Object.fromEntries(members.map((param) => [param.name, schemaOf(param).optional()])),
);

/** Values as YAML gives them: texts, numbers, lists and mappings. */
function schemaOf(param: Param): z.ZodType<SubmissionValue> {
  const { name, type, values } = param;
  if (type === 'Array') return itemsOf(name, param.role === 'body' ? param.max : undefined);
  if (type === 'Boolean') return yesOrNo('');
  if (values !== undefined) return asText(oneOf(values, ''));
  const kind = param.role === 'body' ? param.column?.kind : undefined;
  if (kind === undefined) return asText(text);
  if (kind === address) {
    const form = says('is not an address', 'Write 0x and 40 hexadecimal digits, in quotes.');
    return asText(text.regex(ADDRESS, form));
  }
  const form = says(`is not a value of the kind ${kind.name}`, 'Correct it.');
  return asText(text.refine((value) => kind.canonical(value) !== undefined, form));
}

/** Items with the members that they have; an empty one counts as absent. */
function itemsOf(list: string, max = Number.POSITIVE_INFINITY) {
  const names = SUBMISSION.params.flatMap(({ name }) => {
    return name.startsWith(list + MEMBER_MARK)
      ? [name.slice(list.length + MEMBER_MARK.length)]
      : [];
  });
  const item = mapping(Object.fromEntries(names.map((name) => [name, text.optional()])));
  const filled = z.preprocess(
    (value) => (isMapping(value) ? withoutEmpty(value) : value),
    item as unknown as z.ZodType<Readonly<Record<string, string>>>,
  );
  return z
    .array(filled, says('is not a list', 'Write a list of mappings.'))
    .max(max, says(`has more than ${max} items`, `The service takes at most ${max}.`));
}

function withoutEmpty(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const present = Object.entries(values).filter(([, value]) => (value ?? '') !== '');
  return Object.fromEntries(present);
}

/**
 * The body of these values, and everything that the declaration of the endpoint refuses. Empty
 * texts are left out.
 */
export function bodyOf(values: Readonly<Record<string, unknown>>): {
  readonly body: SubmissionBody;
  readonly issues: readonly z.core.$ZodIssue[];
  readonly findings: readonly Finding[];
} {
  const present = withoutEmpty(values);
  const { data, error } = bodySchema.safeParse(present);
  const findings = members.flatMap(({ name, required, requiredUnless }): Finding[] => {
    const isNeeded =
      required || (requiredUnless && present[requiredUnless.name] !== requiredUnless.is);
    if (isNeeded !== true || present[name] !== undefined) return [];
    const unless =
      requiredUnless === undefined ? '' : ` It is optional for ${requiredUnless.is} only.`;
    return [{ path: [name], message: 'is missing', advice: `Give its value.${unless}` }];
  });
  const body = (data ?? {}) as SubmissionBody;
  return { body, issues: error?.issues ?? [], findings: [...findings, ...sourceFindings(present)] };
}

const IMPORT = /^\s*import\b/m;

/** Sources that the interface excludes: imports in one file, and standard JSON that is not JSON. */
function sourceFindings({ codeFormat, sourceCode }: Readonly<Record<string, unknown>>): Finding[] {
  const path = ['sourceCode'];
  if (typeof sourceCode !== 'string') return [];
  if (codeFormat === 'solidity-single-file' && IMPORT.test(sourceCode)) {
    const advice = 'Flatten the source into one file, or submit standard JSON (see buildInfo).';
    return [{ path, message: 'imports other files', advice }];
  }
  const value = codeFormat === 'solidity-standard-json-input' ? jsonIn(sourceCode) : { sources: 1 };
  if (isMapping(value) && 'sources' in value) return [];
  const advice = "Give the compiler's input: a JSON object with language, sources and settings.";
  return [{ path, message: 'is not standard JSON', advice }];
}
