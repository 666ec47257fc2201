import { type ChildProcess, spawn } from 'node:child_process';
import { z } from 'zod';
import type { Effects } from '../../../src/effects.ts';
import { jsonIn } from '../../../src/json-in.ts';
import type { CompileResult, Compiler } from './compiler.ts';

export interface VyperOptions {
  readonly effects: Pick<Effects, 'sleep'>;
  /** The folders of programs, as in the variable PATH. */
  readonly path: string;
}

/** Reads standard JSON from its input; every release of vyper has it. */
const PROGRAM = 'vyper-json';
const COMPUTE_SECONDS = 20;
const MOST_MS = 60_000;
const MEMORY_KIB = 2 ** 20;
const LIMITS = `ulimit -t ${COMPUTE_SECONDS} -v ${MEMORY_KIB}`;
const MOST_OUTPUT_CHARACTERS = 2 ** 24;
const MOST_REASON_CHARACTERS = 300;

const outputSchema = z.object({
  errors: z.array(z.object({ severity: z.string(), message: z.string() })).default([]),
  contracts: z
    .record(
      z.string(),
      z.record(
        z.string(),
        z.object({
          evm: z.object({ deployedBytecode: z.object({ object: z.string() }) }),
          layout: z.object({ code_layout: z.record(z.string(), z.unknown()).default({}) }),
        }),
      ),
    )
    .default({}),
});

/**
 * The compiler vyper, if its program is installed. Every compilation has its own process with
 * limits of time and memory, which gets the source alone.
 */
export function vyperCompiler({ effects, path }: VyperOptions): Compiler {
  const running = new Set<ChildProcess>();
  let printed: Promise<string | undefined> | undefined;
  const output = async (args: string, input: string): Promise<string | undefined> => {
    const child = spawn('sh', ['-c', `${LIMITS}; exec nice ${PROGRAM} ${args}`], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { PATH: path },
    });
    running.add(child);
    const ended = new AbortController();
    const overdue = effects.sleep(MOST_MS, ended.signal).then(() => undefined);
    overdue.catch(() => {});
    try {
      return await Promise.race([outputOf(child, input), overdue]);
    } finally {
      ended.abort();
      child.kill('SIGKILL');
      running.delete(child);
    }
  };
  return {
    version: () => {
      printed ??= output('--version', '').then((text) => text?.trim());
      return printed;
    },
    compile: async ({ input, file }) => {
      const text = await output('', input);
      return text === undefined
        ? { reason: 'vyper ended without an answer, or at its limits of time and memory' }
        : resultIn(text, file);
    },
    close: () => {
      for (const child of running) child.kill('SIGKILL');
    },
  };
}

/** The output of a program that succeeds; undefined for one that fails or cannot be started. */
function outputOf(child: ChildProcess, input: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (text.length > MOST_OUTPUT_CHARACTERS) child.kill('SIGKILL');
    });
    child.once('error', () => resolve(undefined));
    child.once('close', (code) => resolve(code === 0 ? text : undefined));
    // A program that ends early does not read its input.
    child.stdin?.on('error', () => {}).end(input);
  });
}

function resultIn(text: string, file: string): CompileResult {
  const output = outputSchema.safeParse(jsonIn(text));
  if (!output.success) return { reason: 'the answer of vyper has another form' };
  const error = output.data.errors.find(({ severity }) => severity === 'error');
  if (error !== undefined) return { reason: error.message.slice(0, MOST_REASON_CHARACTERS) };
  const [contract] = Object.values(output.data.contracts[file] ?? {});
  if (contract === undefined) return { reason: 'the source has no such contract' };
  if (Object.keys(contract.layout.code_layout).length > 0) {
    return { reason: 'immutable values of vyper contracts cannot be compared here' };
  }
  return { code: { object: contract.evm.deployedBytecode.object.replace(/^0x/, '') } };
}
