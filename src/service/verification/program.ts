import type * as Fs from 'node:fs';
import type * as Os from 'node:os';
import type * as Threads from 'node:worker_threads';

/**
 * What runs in the process of one compile. The two functions are handed over as text, because a
 * process that is started from sources could not load them: they use nothing but what they are
 * given, and see neither files, nor the network, nor this process's environment.
 */

/** What the process is asked for: the compiler's version, where the input is ''. */
export interface CompileTask {
  readonly solcPath: string;
  /** Standard JSON. */
  readonly input: string;
  /** The name of the source unit that has the contract; '' where only one has it. */
  readonly file: string;
  readonly contract: string;
  readonly memoryBytes: number;
  /** Of computing, on whatever processors, however long that takes by the clock. */
  readonly computeMs: number;
}

/** The code a contract has once it is deployed, as the compiler knows it. */
export interface RuntimeCode {
  /** Hex without 0x. */
  readonly object: string;
  /** Where values stand that are only known when the contract is deployed. */
  readonly immutableReferences?: Readonly<Record<string, readonly CodeRange[]>>;
  /** By source unit and library: addresses that are missing. */
  readonly linkReferences?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface CodeRange {
  /** In bytes. */
  readonly start: number;
  readonly length: number;
}

/** What comes back, and nothing else: exactly one of these. */
export type CompileReport =
  | { readonly version: string }
  | { readonly code: RuntimeCode }
  /** Why there is no code. */
  | { readonly reason: string }
  /** What the process has more of than the task allows. */
  | { readonly beyond: 'memory' | 'time' };

/** The program of the process, as text for `node --eval`. */
export function compileProgram(): string {
  const compiling = `(${String(compileTask)})(require)`;
  return `(${String(watchTask)})(require, ${JSON.stringify(compiling)})`;
}

/**
 * Waits for one task, lets it compile in a thread beside it, and watches what it takes. The process
 * gives way to all others, and ends with the one that started it.
 */
function watchTask(load: NodeJS.Require, compiling: string): void {
  const host: NodeJS.Process = load('node:process');
  const { readdirSync }: typeof Fs = load('node:fs');
  const { constants, setPriority }: typeof Os = load('node:os');
  const { Worker }: typeof Threads = load('node:worker_threads');
  const sampleMs = 20;
  const giveWay = (id: number) => setPriority(id, constants.priority.PRIORITY_BELOW_NORMAL);
  try {
    // On Linux every thread has a priority of its own, and passes it on.
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

/** Compiles the task of its thread, and hands up the code of the one contract. */
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
      .map((found) => found?.evm.deployedBytecode);
    if (code === undefined) return { reason: 'the source has no such contract' };
    if (others.length > 0) return { reason: 'several source units have a contract of this name' };
    return code.object.length > mostDigits ? { reason: 'the code is too large' } : { code };
  };
  parentPort?.postMessage(report());
}
