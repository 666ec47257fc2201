import { Fault } from '../../../../fault.ts';
import { localDisk } from '../../../../land/storage/disk.ts';
import type { QueryResult } from '../../../../load/query/query.ts';
import type { ExitCode } from '../../../../run/shell/run-document.ts';
import { type AnswerForm, answerText } from '../../../terminal/answer-form.ts';
import type { Console } from '../../../terminal/console.ts';
import type { CompletedNames } from './completion.ts';
import { type Input, Inputs } from './input.ts';

/** Answers one SELECT, with notes on the answer; throws Faults with advice. */
export type AskSql = (sql: string) => Promise<QueryResult & { readonly notes: readonly string[] }>;

type Form = Exclude<AnswerForm, 'csv'>;
const FORMS: readonly Form[] = ['table', 'vertical', 'markdown', 'json'];

const HELP = `Type one SELECT, over as many lines as you like, and end it with a semicolon.
.tables            views of the warehouse
.schema [VIEW]     columns of a view with their types, or of all views
.mode FORM         print answers as table, vertical, markdown or json
.read FILE         answer the statements of a file
.output [FILE]     add answers to a file; without a name, print them again
.timer on|off      print the time of each answer
.help              this text
.quit              leave; so does Ctrl-D
Tab completes names. Ctrl-C stops a query, and clears an unfinished statement.`;

export interface SqlShellOptions {
  readonly ask: AskSql;
  readonly names: CompletedNames;
  readonly output: Console;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly form: Form;
}

/** Files that read each other, at most. */
const MOST_NESTED = 16;

/** Answers what a user has typed. It knows nothing of the terminal's keys. */
export class Shell {
  readonly #options: SqlShellOptions;
  #form: Form;
  /** Answers are added to this file. */
  #file: string | undefined;
  #isTimed = false;
  /** Files that are being read. */
  #nested = 0;

  constructor(options: SqlShellOptions) {
    this.#options = options;
    this.#form = options.form;
  }

  /** Answers an input and returns its exit code; undefined when the user leaves. */
  async answer(input: Input): Promise<ExitCode | undefined> {
    const { ask, now, output } = this.#options;
    try {
      if (input.kind === 'command') return await this.#command(input.name, input.argument);
      const startedMs = now();
      const answer = await ask(input.sql);
      const seconds = (now() - startedMs) / 1000;
      const width = this.#file === undefined ? output.tableWidth : undefined;
      const { text, note } = answerText(answer, this.#form, width);
      await this.#print(text);
      if (this.#isTimed) output.note(`Time: ${seconds.toFixed(3)} s`);
      if (note !== undefined) output.note(note);
      for (const line of answer.notes) output.note(line);
      if (answer.truncated) output.note('There are more rows: see --max-rows.');
      return 0;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      output.note(error.paragraph(output));
      return error.exitCode as ExitCode;
    }
  }

  /** Answers the statements in lines, up to the first that fails; undefined for `.quit`. */
  async answerAll(lines: Iterable<string> | AsyncIterable<string>): Promise<ExitCode | undefined> {
    const inputs = new Inputs();
    for await (const line of lines) {
      const input = inputs.take(line);
      const code = input === undefined ? 0 : await this.answer(input);
      if (code !== 0) return code;
    }
    const rest = inputs.rest();
    return rest === undefined ? 0 : this.answer(rest);
  }

  async #print(text: string): Promise<void> {
    if (this.#file === undefined) this.#options.output.out(text);
    else await localDisk.append(this.#file, `${text}\n`);
  }

  async #command(name: string, argument: string): Promise<ExitCode | undefined> {
    switch (name) {
      case 'quit':
      case 'exit':
        return undefined;
      case 'help':
        this.#options.output.out(HELP);
        return 0;
      case 'tables':
        for (const view of this.#options.names.views) this.#options.output.out(view);
        return 0;
      case 'schema':
        return this.#schema(argument);
      case 'mode':
        return this.#mode(argument);
      case 'read':
        return this.#read(argument);
      case 'output':
        return this.#toFile(argument);
      case 'timer':
        if (argument !== 'on' && argument !== 'off') return this.#wrong('Type .timer on or off.');
        this.#isTimed = argument === 'on';
        return 0;
      default:
        return this.#wrong(`There is no command .${name}. See .help.`);
    }
  }

  #schema(wanted: string): ExitCode {
    const views = wanted === '' ? this.#options.names.views : [wanted];
    for (const view of views) {
      const columns = this.#options.names.columns.get(view);
      if (columns === undefined) return this.#wrong(`There is no view ${view}. See .tables.`);
      const width = Math.max(...columns.map(({ name }) => name.length));
      const lines = columns.map(({ name, type }) => `  ${name.padEnd(width)}  ${type}`);
      this.#options.output.out([view, ...lines].join('\n'));
    }
    return 0;
  }

  #mode(wanted: string): ExitCode {
    const form = FORMS.find((name) => name === wanted);
    if (form === undefined) return this.#wrong(`Modes are ${FORMS.join(', ')}.`);
    this.#form = form;
    return 0;
  }

  /** Answers the statements of a file, up to the first that fails. */
  async #read(file: string): Promise<ExitCode | undefined> {
    if (file === '') return this.#wrong('Type .read FILE.');
    if (this.#nested === MOST_NESTED) return this.#wrong(`${file} reads itself.`);
    const text = await localDisk
      .read(file)
      .catch(failing('The file cannot be read', 'Name a file of SQL statements.'));
    this.#nested += 1;
    return this.answerAll(text.split(/\r?\n/)).finally(() => {
      this.#nested -= 1;
    });
  }

  async #toFile(file: string): Promise<ExitCode> {
    if (file !== '') {
      await localDisk
        .append(file, '')
        .catch(
          failing(
            'Answers cannot be written there',
            'Name a file in a folder that you can write to.',
          ),
        );
    }
    this.#file = file === '' ? undefined : file;
    return 0;
  }

  #wrong(text: string): ExitCode {
    this.#options.output.note(text);
    return 2;
  }
}

/** Throws the fault of a file that a command named. */
function failing(finding: string, advice: string): (cause: unknown) => never {
  return (cause) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Fault('usage', `${finding}: ${reason}.`, { advice, cause });
  };
}
