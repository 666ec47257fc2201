import type { Argv } from 'yargs';
import { Fault } from '../../fault.ts';

/** Options that several verbs share, word for word. */

export const data = {
  type: 'string',
  default: 'data',
  describe: 'Data root: where the lake, the warehouse and the reports lie',
} as const;

const EXIT_CODES =
  'Exit codes: 0 ok, 1 failed, 2 usage or configuration, 3 partial, 4 checks failed, 5 locked, ' +
  '130 interrupted.';

/** Every help ends with the exit codes. */
export function withExitCodes<T>(args: Argv<T>): Argv<T> {
  return args.epilogue(EXIT_CODES);
}

/** The pipeline, and what may be said in its place. */
export function withPipeline<T>(args: Argv<T>) {
  return withExitCodes(args)
    .positional('pipeline', {
      type: 'string',
      demandOption: true,
      describe: 'A pipeline file',
    })
    .options({
      data,
      'source-url': { type: 'string', describe: "Base address of the service, for the pipeline's" },
      addresses: { type: 'string', describe: "CSV of addresses, for the pipeline's key sets" },
      blocks: {
        type: 'string',
        describe: 'Heights A:B of the primary chain, both included; A: to the safe height',
      },
      'max-wait': {
        type: 'string',
        describe: 'Longest wait that the service may ask for, as in 90s, 15m or 2h (default 1d)',
      },
      'zone-blocks': {
        type: 'string',
        describe: 'Heights A:B of the zone chain, both included; A: to the safe height',
      },
    });
}

/** The value of an option as a whole number from `min` to `max`; throws a usage fault. */
export function wholeNumber(option: string, given: string, min: number, max: number): number {
  const value = Number(given);
  if (/^[0-9]+$/.test(given) && value >= min && value <= max) return value;
  throw new Fault('usage', `${option} is not a whole number (${JSON.stringify(given)}).`, {
    advice: `Give one from ${min} to ${max}.`,
  });
}
