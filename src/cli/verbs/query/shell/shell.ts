import { Fault } from '../../../../fault.ts';
import type { QueryResult } from '../../../../load/query/query.ts';
import type { ExitCode } from '../../../../run/shell/run-document.ts';
import { type AnswerForm, answerText } from '../../../terminal/answer-form.ts';
import type { Console } from '../../../terminal/console.ts';
import type { CompletedNames } from './completion.ts';
import type { Input } from './input.ts';

/** Answers one SELECT, with notes on the answer; throws Faults with advice. */
export type AskSql = (sql: string) => Promise<QueryResult & { readonly notes: readonly string[] }>;

type Form = Exclude<AnswerForm, 'csv'>;
const FORMS: readonly Form[] = ['table', 'vertical', 'markdown', 'json'];

const HELP = `Type one SELECT, over as many lines as you like, and end it with a semicolon.
.tables            views of the warehouse
.schema [VIEW]     columns of a view, or of all views
.mode FORM         print answers as table, vertical, markdown or json
.help              this text
.quit              leave; so does Ctrl-D
Tab completes names. Ctrl-C stops a query, and clears an unfinished statement.`;

/** Answers what a user has typed. It knows nothing of the terminal's keys. */
export class Shell {
  readonly #ask: AskSql;
  readonly #names: CompletedNames;
  readonly #output: Console;
  #form: Form;

  constructor(ask: AskSql, names: CompletedNames, output: Console, form: Form) {
    this.#ask = ask;
    this.#names = names;
    this.#output = output;
    this.#form = form;
  }

  /** Answers an input and returns its exit code; undefined when the user leaves. */
  async answer(input: Input): Promise<ExitCode | undefined> {
    if (input.kind === 'command') return this.#command(input.name, input.argument);
    try {
      const answer = await this.#ask(input.sql);
      const { text, note } = answerText(answer, this.#form, this.#output.tableWidth);
      this.#output.out(text);
      if (note !== undefined) this.#output.note(note);
      for (const each of answer.notes) this.#output.note(each);
      if (answer.truncated) this.#output.note('There are more rows: see --max-rows.');
      return 0;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#output.note(error.paragraph());
      return error.exitCode as ExitCode;
    }
  }

  #command(name: string, argument: string): ExitCode | undefined {
    switch (name) {
      case 'quit':
      case 'exit':
        return undefined;
      case 'help':
        this.#output.out(HELP);
        return 0;
      case 'tables':
        for (const view of this.#names.views) this.#output.out(view);
        return 0;
      case 'schema':
        return this.#schema(argument);
      case 'mode':
        return this.#mode(argument);
      default:
        this.#output.note(`There is no command .${name}. See .help.`);
        return 2;
    }
  }

  #schema(wanted: string): ExitCode {
    const views = wanted === '' ? this.#names.views : [wanted];
    for (const view of views) {
      const columns = this.#names.columns.get(view);
      if (columns === undefined) {
        this.#output.note(`There is no view ${view}. See .tables.`);
        return 2;
      }
      this.#output.out(`${view}: ${columns.join(', ')}`);
    }
    return 0;
  }

  #mode(wanted: string): ExitCode {
    const form = FORMS.find((each) => each === wanted);
    if (form === undefined) {
      this.#output.note(`Modes are ${FORMS.join(', ')}.`);
      return 2;
    }
    this.#form = form;
    return 0;
  }
}
