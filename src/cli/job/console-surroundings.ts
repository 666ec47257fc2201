import type { LogLevel } from '../../effects.ts';
import type { LoadedPipeline } from '../../run/job/pipeline-file.ts';
import type { Surroundings } from '../../run/lake/surroundings.ts';
import type { RunShellOptions } from '../../run/shell/run-shell.ts';
import { systemEffects } from '../../system.ts';
import type { Console } from '../terminal/console.ts';

/** The system's clock and random numbers; messages from `level` up go to the console. */
export function surroundingsOf(
  output: Pick<Console, 'note'>,
  level: LogLevel = 'warn',
): Surroundings {
  return { effects: systemEffects(level, process.env, output.note), note: output.note };
}

/** Options of work on a pipeline, whose messages go to the console. */
export function shellOptions(
  loaded: LoadedPipeline,
  root: string,
  output: Console,
  level?: LogLevel,
): RunShellOptions {
  return { loaded, root, ...surroundingsOf(output, level), env: process.env };
}
