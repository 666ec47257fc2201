import type { Effects } from '../../effects.ts';
import type { LoadedPipeline } from '../../run/job/pipeline-file.ts';
import type { RunShellOptions } from '../../run/shell/run-shell.ts';
import { systemEffects } from '../../system.ts';
import type { Console } from '../terminal/console.ts';

/** The effects of a console; with `isVerbose`, their debug messages go to it, too. */
export function effectsOf({ effects, note }: Console, isVerbose = false): Effects {
  return isVerbose ? systemEffects('debug', process.env, note) : effects;
}

/** Options of work on a pipeline, whose messages go to the console. */
export function shellOptions(
  loaded: LoadedPipeline,
  root: string,
  output: Console,
  isVerbose?: boolean,
): RunShellOptions {
  const { note } = output;
  return { loaded, root, effects: effectsOf(output, isVerbose), note, env: process.env };
}
