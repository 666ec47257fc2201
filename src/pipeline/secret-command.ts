import { z } from 'zod';
import { durationField } from './syntax/duration.ts';
import { fileName, mapping, oneOf, says } from './syntax/fields.ts';

const DEFAULT_TIMEOUT_MS = 30_000;

/** Words between blanks; quotes keep blanks in a word. Nothing else has a meaning. */
const WORD = /"([^"]*)"|'([^']*)'|(\S+)/g;

/** A program and its arguments. */
export const program = z
  .array(
    z.string(says('is not text', 'Write it in quotes.')),
    says('is not a list of texts', 'Write program and arguments in brackets: [notify, "-v"].'),
  )
  .min(1, says('is an empty list', 'Name a program.'));
const text = z.string().regex(/\S/, says('is empty', 'Name a program.'));

const command = z
  .union(
    [program, text],
    says(
      'is neither a list nor a text',
      'Write program and arguments: [vault, read, -format=json, secret/windrow].',
    ),
  )
  .describe('A program and its arguments that prints them; a text is split at blanks');

/** A file of secrets, or a command that prints them. */
export const secretSourceSchema = mapping({
  file: fileName('A file with the secrets that only its owner may read').optional(),
  command: command.optional(),
  shell: oneOf(
    ['no', 'yes'],
    'Of a command: yes runs a text by /bin/sh, with pipes and variables',
  ).optional(),
  timeout: durationField('Of a command: its longest time, by default 30s').optional(),
})
  .refine(({ file, command }) => (file === undefined) !== (command === undefined), {
    error: says(
      'needs a file or a command',
      'Write { file: NAME } or { command: [PROGRAM, ...] }.',
    ),
  })
  .meta({
    oneOf: ['file', 'command'].map((name) => {
      return { type: 'object', properties: { [name]: {} }, required: [name] };
    }),
    dependencies: { shell: ['command'], timeout: ['command'] },
  })
  .transform(({ file = '', command: line, shell, timeout = DEFAULT_TIMEOUT_MS }) => {
    if (line === undefined) return { kind: 'file', file } as const;
    const isShell = shell === 'yes' && typeof line === 'string';
    const words = typeof line !== 'string' ? line : isShell ? [line] : wordsOf(line);
    return { kind: 'command', command: words, isShell, timeoutMs: timeout } as const;
  });

function wordsOf(line: string): string[] {
  return [...line.matchAll(WORD)].map((word) => word.slice(1).join(''));
}

/** A program that prints the credentials: it and its arguments, or one text for `/bin/sh -c`. */
export type SecretCommand = Extract<z.infer<typeof secretSourceSchema>, { kind: 'command' }>;
