import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import PQueue from 'p-queue';
import { PROGRAM } from '../../service/src/program.ts';
import { commandLine, report } from '../../src/cli/command-line.ts';
import { loggedConsole } from '../../src/cli/log/logged-console.ts';
import { systemConsole } from '../../src/cli/terminal/console.ts';

export const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface Ended {
  /** null when the process was killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Commands share the console of this process, so one runs at a time. */
const queue = new PQueue({ concurrency: 1 });

/**
 * Runs one command line to its end, in this process: loading the modules takes most of the time of
 * a short command.
 */
export function windrow(args: readonly string[]): Promise<Ended> {
  return queue.add(async () => {
    let stdout = '';
    let stderr = '';
    const plain = systemConsole(
      args.includes('--json'),
      { write: (text: string) => (stdout += text) },
      { write: (text: string) => (stderr += text) },
    );
    const output = loggedConsole(plain);
    // yargs prints its help here.
    const { log } = console;
    console.log = (text) => output.out(String(text));
    const code = await commandLine(args, output, PROGRAM).catch((error) => report(error, output));
    console.log = log;
    return { code, stdout, stderr };
  });
}

/** Runs `windrow` as a process of its own until it ends. */
export function windrowProcess(
  args: readonly string[],
  options: {
    readonly env?: Record<string, string>;
    readonly cwd?: string;
    /** Descriptors in place of pipes. */
    readonly stdio?: readonly ['ignore', number | 'pipe', number | 'pipe'];
  } = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: { ...process.env, ...options.env },
      stdio: [...(options.stdio ?? (['ignore', 'pipe', 'pipe'] as const))],
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    });
    let stdout = '';
    let stderr = '';
    child.stdout?.on('data', (part) => {
      stdout += String(part);
    });
    child.stderr?.on('data', (part) => {
      stderr += String(part);
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}
