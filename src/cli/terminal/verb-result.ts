import { type Advice, adviceText } from '../../fault.ts';
import { jsonDocument } from '../../run/shell/json-document.ts';
import type { ExitCode } from '../../run/shell/run-document.ts';
import type { Console, Tone } from './console.ts';
import type { Arguments, LogArguments, VerbOptions } from './options.ts';

/** Results for stdout: `document` with --json, else `lines`. An absent one prints nothing. */
export interface Printout {
  readonly document?: Readonly<Record<string, unknown>>;
  readonly lines?: readonly Advice[];
  /** The colours of the lines. */
  readonly tone?: (line: string) => Tone | undefined;
  /** A message on stderr after the lines. */
  readonly hint?: Advice | undefined;
}

export interface VerbResult extends Printout {
  readonly exitCode: ExitCode;
}

/** A verb with these options, of which those of the log are its caller's. */
export type VerbOf<V extends VerbOptions> = (
  input: Arguments<V> & LogArguments,
  output: Console,
) => Promise<VerbResult>;

/** Prints results as JSON or text. Verbs call it for results that must not wait for their end. */
export function print({ document, lines = [], tone, hint }: Printout, output: Console): void {
  if (output.isJson) {
    if (document !== undefined) output.out(jsonDocument(document));
    return;
  }
  for (const advice of lines) {
    const line = adviceText(advice, output);
    output.out(line, tone?.(line));
  }
  if (hint !== undefined) output.note(adviceText(hint, output));
}

/** Prints the result of a verb, and returns its exit code. */
export async function printResult(result: Promise<VerbResult>, output: Console): Promise<ExitCode> {
  const ended = await result;
  print(ended, output);
  return ended.exitCode;
}
