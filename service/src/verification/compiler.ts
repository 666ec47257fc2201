import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import type { Effects } from '../../../src/effects.ts';
import type { CompileReport, CompileTask, RuntimeCode } from './program.ts';
import { compileProgram } from './program.ts';

/** Compiles submission sources. */
export interface Compiler {
  /**
   * Its version with the commit, such as `0.8.30+commit.73712a01`; undefined without a compiler.
   * Rejects if it cannot be started.
   */
  version(): Promise<string | undefined>;
  /** Never rejects. */
  compile(source: CompilerInput): Promise<CompileResult>;
  /** Cancels running compilations, and starts no more. */
  close(): void;
}

export type CompilerInput = Pick<CompileTask, 'input' | 'file' | 'contract'>;

export type CompileResult = { readonly code: RuntimeCode } | { readonly reason: string };

export interface CompilerOptions {
  readonly effects: Pick<Effects, 'sleep'>;
  /** The Node executable. */
  readonly node: string;
  /** See `installedSolc`. */
  readonly solcPath: string | undefined;
  /**
   * Bound on the computing time of a compilation; its wall-clock bound is three times as long,
   * because it runs at low priority. Default 20,000.
   */
  readonly timeLimitMs?: number;
  /**
   * Memory limit for the process of a compilation. The compiler itself uses 200 MiB of it. Default
   * 1 GiB.
   */
  readonly memoryBytes?: number;
}

/** The main file of the optional package `solc`; undefined if it is not installed. */
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
/** The build name that follows the commit. */
const BUILD = /\.Emscripten\b.*$/;

/**
 * The compiler of the package `solc`, which is written in JavaScript. Every compilation has its own
 * process, so that its time and memory are bounded and it leaves no state: the memory limit of a
 * thread does not apply to WebAssembly. The process runs at low priority.
 */
export function solcCompiler(options: CompilerOptions): Compiler {
  const { effects, node, solcPath } = options;
  const { timeLimitMs = TIME_LIMIT_MS, memoryBytes = MEMORY_BYTES } = options;
  const running = new Set<ChildProcess>();
  let version: Promise<string> | undefined;
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
  const readVersion = async (): Promise<string> => {
    const report = await reported({ input: '', file: '', contract: '' });
    if ('version' in report) return report.version.replace(BUILD, '');
    throw new Error(`The compiler reports no version: ${JSON.stringify(report)}`);
  };

  return {
    version: async () => {
      if (solcPath === undefined) return undefined;
      version ??= readVersion();
      const current = version;
      current.catch(() => {
        if (version === current) version = undefined;
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

/** The first report of the process, or the way it ended without one. */
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
