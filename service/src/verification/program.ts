import type * as Fs from 'node:fs';
import type * as Os from 'node:os';
import type * as Threads from 'node:worker_threads';

/**
 * The program in the process of one compilation. Its two functions are passed as text, because a
 * process that is started from sources could not load them. They use only their parameters, and
 * have no access to files, the network, or this process's environment.
 */

/** The task of the process. An empty `input` asks for the compiler's version. */
export interface CompileTask {
  readonly solcPath: string;
  /** Standard JSON. */
  readonly input: string;
  /** The name of the contract's source unit; '' if only one has a contract of this name. */
  readonly file: string;
  readonly contract: string;
  readonly memoryBytes: number;
  /** Computing time over all processors, independent of the wall clock. */
  readonly computeMs: number;
}

/** The deployed form of a contract's code, as the compiler knows it. */
export interface RuntimeCode {
  /** Hex without 0x. */
  readonly object: string;
  /** Positions of values that are set when the contract is deployed. */
  readonly immutableReferences?: Readonly<Record<string, readonly CodeRange[]>>;
  /** Missing addresses by source unit and library. */
  readonly linkReferences?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface CodeRange {
  /** In bytes. */
  readonly start: number;
  readonly length: number;
}

/** The message from the process: exactly one of these. */
export type CompileReport =
  | { readonly version: string }
  | { readonly code: RuntimeCode }
  /** Why there is no code. */
  | { readonly reason: string }
  /** The limit that the process exceeded. */
  | { readonly beyond: 'memory' | 'time' };

/** The program of the process, as text for `node --eval`. */
export function compileProgram(): string {
  const compiling = `(${String(compileTask)})(require)`;
  return `(${String(watchTask)})(require, ${JSON.stringify(compiling)})`;
}

/**
 * Waits for one task, compiles it in a second thread, and watches its time and memory. The process
 * runs at low priority, and ends with its parent.
 */
function watchTask(load: NodeJS.Require, compiling: string): void {
  const host: NodeJS.Process = load('node:process');
  const { readdirSync }: typeof Fs = load('node:fs');
  const { constants, setPriority }: typeof Os = load('node:os');
  const { Worker }: typeof Threads = load('node:worker_threads');
  const sampleMs = 20;
  const giveWay = (id: number) => setPriority(id, constants.priority.PRIORITY_BELOW_NORMAL);
  try {
    // On Linux every thread has its own priority and passes it on.
    for (const id of readdirSync('/proc/self/task')) giveWay(Number(id));
  } catch {
    giveWay(0);
  }
  host.once('disconnect', () => host.exit());
  host.once('message', (task: CompileTask) => {
    const thread = new Worker(compiling, { eval: true, workerData: task, env: {} });
    thread.once('message', (report: CompileReport) => host.send?.(report));
    thread.once('error', ({ message }) => {
      host.send?.({ reason: `the compiler failed: ${String(message).slice(0, 300)}` });
    });
    setInterval(() => {
      const { user, system } = host.cpuUsage();
      if (host.memoryUsage.rss() > task.memoryBytes) host.send?.({ beyond: 'memory' });
      else if (user + system > task.computeMs * 1000) host.send?.({ beyond: 'time' });
    }, sampleMs);
  });
}

/** Compiles the task of its thread, and returns the code of the one contract. */
function compileTask(load: NodeJS.Require): void {
  interface Solc {
    version(): string;
    compile(input: string): string;
  }
  interface Output {
    readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
    readonly contracts?: Readonly<
      Record<string, Readonly<Record<string, { evm: { deployedBytecode: RuntimeCode } }>>>
    >;
  }
  const { parentPort, workerData }: typeof Threads = load('node:worker_threads');
  const { solcPath, input, file, contract } = workerData as CompileTask;
  const mostDigits = 1_000_000;
  const report = (): CompileReport => {
    const solc: Solc = load(solcPath);
    if (input === '') return { version: solc.version() };
    const { errors = [], contracts = {} }: Output = JSON.parse(solc.compile(input));
    const error = errors.find(({ severity }) => severity === 'error');
    if (error !== undefined) return { reason: error.formattedMessage.slice(0, 300) };
    const [code, ...others] = Object.entries(contracts)
      .filter(([name]) => file === '' || name === file)
      .flatMap(([, unit]) => (Object.hasOwn(unit, contract) ? [unit[contract]] : []))
      .map((output) => output?.evm.deployedBytecode);
    if (code === undefined) return { reason: 'the source has no such contract' };
    if (others.length > 0) return { reason: 'several source units have a contract of this name' };
    return code.object.length > mostDigits ? { reason: 'the code is too large' } : { code };
  };
  parentPort?.postMessage(report());
}
