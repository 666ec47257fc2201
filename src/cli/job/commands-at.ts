import { Fault } from '../../fault.ts';
import { shellQuoted } from '../../run/job/shell-words.ts';
import type { Console } from '../terminal/console.ts';
import { data } from '../terminal/options.ts';

/** A command of a verb that works on the data root `data` unless its line names another one. */
const COMMAND = new RegExp(
  '\\bwindrow (?:alerts|audit|backfill|check|connect|contract|doctor|export|follow|forget|load' +
    '|maintain|notebook|plan|quarantine|query|refetch|report|run|runs|schedule|sql|status' +
    '|verify)\\b' +
    '(?!.* --data )',
  'g',
);

/** ` --data DIR`; '' for the default data root. */
export function dataOption(root: string): string {
  return root === data.default ? '' : ` --data ${shellQuoted(root)}`;
}

/**
 * A message whose commands work on this data root when they are copied: `--data DIR` follows their
 * verbs, except on lines that name a data root themselves. The text of a message may have been made
 * where the data root of the command line is not known.
 */
export function commandsAt(root: string, text: string): string {
  const option = dataOption(root);
  return option === '' ? text : text.replace(COMMAND, (command) => command + option);
}

/** A fault whose advice names the data root; returns other errors unchanged. */
export function adviceAt(root: string, error: unknown): unknown {
  if (!(error instanceof Fault)) return error;
  const { kind, message, where, advice, cause } = error;
  const place = where === undefined ? {} : { where };
  return new Fault(kind, message, { ...place, advice: commandsAt(root, advice), cause });
}

/** A console whose messages on stderr name the data root. Results stay as they are. */
export function notesAt(root: string, output: Console): Console {
  return {
    ...output,
    note: (text, level, fields) => output.note(commandsAt(root, text), level, fields),
    get isTerminal() {
      return output.isTerminal;
    },
  };
}

/** A console whose results name the data root, too, where they are lines about work. */
export function reportsAt(root: string, output: Console): Console {
  if (output.isJson) return output;
  return {
    ...output,
    out: (text) => output.out(commandsAt(root, text)),
    get isTerminal() {
      return output.isTerminal;
    },
  };
}
