import { spawn } from 'node:child_process';
import { Fault } from '../../fault.ts';
import { RUNNER } from './template.ts';

export interface NotebookRun {
  /** The notebook, which gets its results. */
  readonly notebook: string;
  /** A page of HTML to write besides. */
  readonly html?: string;
  /** The Python with the packages of notebooks. */
  readonly python: string;
  /** The requirements file, for advice. */
  readonly requirements: string;
  readonly stop: AbortSignal;
}

/** Exit code of run_notebook.py for a missing package. */
const MISSING = 3;

/**
 * Runs a notebook in a Python of its own. Throws Fault('configuration') if Python or a package is
 * missing, and Fault('query') if a cell fails.
 */
export async function runNotebook(run: NotebookRun): Promise<void> {
  const { notebook, html, python, requirements, stop } = run;
  const args = [RUNNER, notebook, ...(html === undefined ? [] : [html])];
  const { code, output } = await runPython({ python, args, stop, requirements });
  if (code === 0) return;
  if (stop.aborted) throw new Fault('interrupted', 'Interrupted.', { advice: 'Run it again.' });
  if (code === MISSING) throw packageMissing(output.trim(), run);
  throw new Fault('query', `A cell of the notebook failed: ${output.trim().slice(-2000)}`, {
    where: notebook,
    advice: 'The notebook has its results up to this cell: open it in Jupyter.',
  });
}

/** The fault of a Python without a package. */
export function packageMissing(
  name: string,
  { python, requirements }: Pick<NotebookRun, 'python' | 'requirements'>,
): Fault {
  return new Fault('configuration', `Python lacks the package ${name}.`, {
    where: python,
    advice: installAdvice(requirements),
  });
}

function installAdvice(requirements: string): string {
  return (
    'Install the packages in an environment: python3 -m venv env && env/bin/pip install -r ' +
    `${requirements}, and name its Python: WINDROW_PYTHON=env/bin/python.`
  );
}

/**
 * Runs a program in a Python, and returns its exit code and all that it printed. Throws
 * Fault('configuration') if Python cannot be started.
 */
export function runPython({
  python,
  args,
  stop: signal,
  requirements,
  env,
}: Pick<NotebookRun, 'python' | 'stop' | 'requirements'> & {
  readonly args: readonly string[];
  /** The whole environment; by default that of this process. */
  readonly env?: NodeJS.ProcessEnv;
}): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(python, args, { stdio: ['ignore', 'pipe', 'pipe'], signal, env });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (part: string) => {
        output += part;
      });
    }
    child.once('error', (error) => {
      if (signal.aborted) return;
      reject(
        new Fault('configuration', `Python cannot be started (${error.message}).`, {
          where: python,
          advice: `Install Python 3.10 or newer. ${installAdvice(requirements)}`,
          cause: error,
        }),
      );
    });
    child.once('close', (code) => resolve({ code, output }));
  });
}
