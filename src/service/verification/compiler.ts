import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import type { Effects } from '../../effects.ts';
import type { CompileReport, CompileTask, RuntimeCode } from './program.ts';
import { compileProgram } from './program.ts';

/** What compiles the sources that are handed in. */
export interface Compiler {
  /**
   * Its version with the commit, such as `0.8.30+commit.73712a01`; undefined where there is none.
   * Rejects where it cannot be started.
   */
  version(): Promise<string | undefined>;
  /** Never rejects. */
  compile(source: CompilerInput): Promise<Compiled>;
  /** Ends what is being compiled, and compiles nothing more. */
  close(): void;
}

export type CompilerInput = Pick<CompileTask, 'input' | 'file' | 'contract'>;

export type Compiled = { readonly code: RuntimeCode } | { readonly reason: string };

export interface CompilerOptions {
  readonly effects: Pick<Effects, 'sleep'>;
  /** The file to start as Node. */
  readonly node: string;
  /** See `installedSolc`. */
  readonly solcPath: string | undefined;
  /**
   * A compile computes at most so long, and takes at most three times as long by the clock, as it
   * gives way to everything else. Default 20,000.
   */
  readonly timeLimitMs?: number;
  /**
   * The process of a compile takes at most so much memory, of which 200 MiB are the compiler's
   * own. Default 1 GiB.
   */
  readonly memoryBytes?: number;
}

/** The main file of the package `solc`, which is optional; undefined where it is not installed. */
export function installedSolc(
  resolve: (name: string) => string = createRequire(import.meta.url).resolve,
): string | undefined {
  try {
    return resolve('solc');
  } catch {
    return undefined;
  }
}

const TIME_LIMIT_MS = 20_000;
const CLOCK_PER_COMPUTE = 3;
const MEMORY_BYTES = 2 ** 30;
/** The name of the build that follows the commit. */
const BUILD = /\.Emscripten\b.*$/;

/**
 * The compiler of the package `solc`, which is JavaScript. Every compile has a process of its own,
 * so that its time and memory are bounded and nothing of it stays: the memory of WebAssembly obeys
 * no limit of a thread. The process gives way to all others.
 */
export function solcCompiler(options: CompilerOptions): Compiler {
  const { effects, node, solcPath } = options;
  const { timeLimitMs = TIME_LIMIT_MS, memoryBytes = MEMORY_BYTES } = options;
  const running = new Set<ChildProcess>();
  let known: Promise<string> | undefined;
  let isClosed = false;

  const bounds = {
    memory: `${Math.round(memoryBytes / 2 ** 20)} MiB`,
    time: `${timeLimitMs / 1000} s of computing`,
  };

  const reported = async (source: CompilerInput): Promise<CompileReport> => {
    if (solcPath === undefined || isClosed) return { reason: 'there is no compiler' };
    const child = spawn(node, ['--eval', compileProgram()], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: {},
    });
    running.add(child);
    const ended = new AbortController();
    const clockMs = timeLimitMs * CLOCK_PER_COMPUTE;
    const overdue = effects.sleep(clockMs, ended.signal).then(() => {
      return { reason: `the compiler was stopped after ${clockMs / 1000} s` };
    });
    overdue.catch(() => {});
    try {
      const report = reportOf(child);
      const task: CompileTask = { solcPath, memoryBytes, computeMs: timeLimitMs, ...source };
      child.send(task, () => {});
      return await Promise.race([report, overdue]);
    } finally {
      ended.abort();
      child.kill('SIGKILL');
      running.delete(child);
    }
  };
  const told = async (): Promise<string> => {
    const report = await reported({ input: '', file: '', contract: '' });
    if ('version' in report) return report.version.replace(BUILD, '');
    throw new Error(`The compiler tells no version: ${JSON.stringify(report)}`);
  };

  return {
    version: async () => {
      if (solcPath === undefined) return undefined;
      known ??= told();
      const current = known;
      current.catch(() => {
        if (known === current) known = undefined;
      });
      return current;
    },
    compile: async (source) => {
      const report = await reported(source);
      if ('code' in report || 'reason' in report) return report;
      const bound = 'beyond' in report ? bounds[report.beyond] : 'nothing known';
      return { reason: `the compiler was stopped at ${bound}` };
    },
    close: () => {
      isClosed = true;
      for (const child of running) child.kill('SIGKILL');
    },
  };
}

/** The first that the process reports, or how it ended without. */
function reportOf(child: ChildProcess): Promise<CompileReport> {
  return new Promise((resolve) => {
    child.once('message', (report) => resolve(report as CompileReport));
    child.once('error', ({ message }) => {
      resolve({ reason: `the compiler could not be started: ${message}` });
    });
    child.once('exit', (code, signal) => {
      resolve({ reason: `the compiler ended by itself (${signal ?? code})` });
    });
  });
}
