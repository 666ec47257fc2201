import { parsePipeline } from '../../src/pipeline/read-pipeline.ts';
import { type AuditedSlice, audit } from '../../src/run/audit.ts';
import { openJob } from '../../src/run/job/open-job.ts';
import { run } from '../../src/run/run.ts';
import { exitCodeOf } from '../../src/run/shell/run-document.ts';
import type { Clock } from './clock.ts';
import { pipelineText } from './pipelines.ts';
import { Random } from './random.ts';
import type { Hostile } from './server.ts';

/**
 * The one door from this suite into windrow: a pipeline's text, a service in place of HTTP, and the
 * run that `windrow run` makes of them. Everything else here shares no code with windrow.
 */

export interface RunSetup {
  /** The YAML of a pipeline. */
  readonly text: string;
  readonly keys: Readonly<Record<string, readonly string[]>>;
  /** Data root. */
  readonly root: string;
  readonly service: Hostile;
  readonly clock: Clock;
  readonly seed: number;
}

export interface RunEnd {
  readonly exit: number;
  /** What ended the run, the slices that failed, and the errors of checks. */
  readonly messages: readonly string[];
}

const REAL = process.env['HOSTILE_LOG'] === '1';

/** Opens what a command works with, over the service in place of HTTP. */
async function opened({ text, keys, root, service, clock, seed }: RunSetup) {
  const file = 'hostile.yaml';
  const pipeline = parsePipeline({ text, file });
  const random = Random.keyed(seed, 'windrow');
  const effects = {
    ...clock,
    random: () => random.next(),
    log: (_level: string, message: string) => {
      if (REAL) process.stderr.write(`${message}\n`);
    },
    reached: () => undefined,
  };
  const loaded = { pipeline, keys, file, resolve: (path: string) => path, notes: [] };
  const transport = {
    basePath: '',
    send: ({ target }: { readonly target: string }) => service.answer(target),
    close: () => Promise.resolve(),
  };
  const job = await openJob(loaded, root, undefined, effects, { transport, env: process.env });
  const never = new AbortController().signal;
  return { ...job, softStop: never, hardStop: never };
}

/** `windrow audit` of all finished slices: those that differ. With `isRepairing`, they land. */
export async function auditWindrow(
  options: RunSetup,
  isRepairing: boolean,
): Promise<readonly AuditedSlice[]> {
  const job = await opened(options);
  const watch = { chosen: () => undefined, audited: () => undefined };
  const settings = { sample: 10_000, seed: 'audit', watch, isRepair: isRepairing };
  try {
    const { slices } = await audit({ ...job, ...settings });
    return slices.filter(({ added, gone, reason }) => {
      return added.length + gone.length > 0 || reason !== '';
    });
  } finally {
    await job.close('learned');
  }
}

/** Runs the pipeline to its end; a Fault that ends it is exit code 1 and a message. */
export async function runWindrow(setup: RunSetup): Promise<RunEnd> {
  const job = await opened(setup);
  try {
    const ran = await run({ ...job, isLocked: false });
    const failed = ran.execution.failed.map(({ endpoint, reason }) => `${endpoint}: ${reason}`);
    const checks = ran.checks
      .filter(({ severity, findings }) => severity === 'error' && findings.length > 0)
      .map(({ check, findings }) => `check ${check}: ${findings.length} findings`);
    return { exit: exitCodeOf(ran), messages: [...failed, ...checks] };
  } catch (error) {
    return { exit: 1, messages: [String(error)] };
  } finally {
    await job.close('learned');
  }
}

export type Proof = 'standard' | 'strict';

const proofLines = new Map<Proof, string | undefined>();

/** The line that sets the level of proof; undefined where this windrow has no such setting. */
export function proofLine(proof: Proof): string | undefined {
  if (!proofLines.has(proof)) {
    const lines = ['  ', ''].map((indent) => `${indent}proof: ${proof}`);
    proofLines.set(proof, lines.find(isValid));
  }
  return proofLines.get(proof);
}

function isValid(line: string): boolean {
  try {
    parsePipeline({ text: pipelineText('addresses', { proofLine: line }), file: 'proof.yaml' });
    return true;
  } catch {
    return false;
  }
}
