import { randomUUID } from 'node:crypto';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import type { ChunkEngine } from '../../curate/chunk-job.ts';
import type { Effects } from '../../effects.ts';
import { packageMissing, runPython } from '../../export/notebook/run-notebook.ts';
import { Fault } from '../../fault.ts';
import { type Disk, ifThere } from '../../land/storage/disk.ts';
import { packageFile } from '../../land/storage/package-file.ts';
import { NOTE_MS, type Note } from './surroundings.ts';

export interface PythonEngineOptions {
  /** `spark`, or the path of a Python program that computes the jobs in a folder. */
  readonly engine: string;
  /** The argument behind the folder: the master of Spark. */
  readonly master: string;
  /** The Python with the packages of the engine. */
  readonly python: string;
  readonly env: NodeJS.ProcessEnv;
  /** The folder for unfinished files. */
  readonly staging: string;
  readonly disk: Disk;
  readonly effects: Pick<Effects, 'every'>;
  readonly note: Note;
  /** Does work that the user can stop. */
  readonly stoppable: <T>(work: (stop: AbortSignal) => Promise<T>) => Promise<T>;
}

const RESULTS = z.array(
  z.object({
    job: z.string(),
    wrong: z.array(z.tuple([z.number(), z.number(), z.string(), z.string()])),
    files: z.array(z.object({ table: z.string(), path: z.string(), rows: z.number() })),
  }),
);

/** The end of the output of a program that lacks a package. */
const MISSING = /\bNo module named '([^']+)'\s*$/;

/**
 * Computes jobs in a Python program, which gets them as files and schedules them where it likes, on
 * hosts that see the data root by the same path. Throws Fault('lake') if the program fails.
 */
export function pythonEngine(options: PythonEngineOptions): ChunkEngine {
  const { engine, master, python, env, staging, disk, effects, note, stoppable } = options;
  const jobsFolder = packageFile('sql/jobs');
  const requirements = join(jobsFolder, 'requirements.txt');
  const program = engine === 'spark' ? join(jobsFolder, 'spark.py') : resolve(engine);
  return {
    async compute({ jobs }, take) {
      await needProgram(program, disk);
      const folder = join(staging, `spilled-jobs-${randomUUID()}`);
      await disk.makeFolder(folder);
      try {
        // Paths of the files that each job writes.
        const outputs: string[] = [];
        for await (const job of jobs) {
          await disk.write(join(folder, nameOf(outputs.length)), JSON.stringify(job));
          outputs.push(pathsText(job.tables.map(({ output }) => output)));
        }
        if (outputs.length === 0) return;
        const progress = async (): Promise<void> => {
          const written = new Set((await disk.list(staging)).map((name) => join(staging, name)));
          const left = outputs.filter(
            (paths) => !paths.split('\n').every((path) => written.has(path)),
          );
          const done = outputs.length - left.length;
          note(`${basename(program)} has computed ${done} of ${outputs.length} chunks.`);
        };
        const end = effects.every?.(NOTE_MS, () => void progress().catch(() => undefined));
        const { code, output } = await stoppable(async (stop) => {
          const args = [program, folder, master];
          const path = [jobsFolder, env['PYTHONPATH']].filter(Boolean).join(':');
          // The folder of the package stays as it is.
          const variables = { PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: '1' };
          const run = { python, args, requirements, env: { ...env, ...variables }, stop };
          const ended = await runPython(run);
          if (!stop.aborted) return ended;
          throw new Fault('interrupted', 'Interrupted.', { advice: 'Load again.' });
        }).finally(end);
        const text = await ifThere(disk.read(join(folder, 'results.json')));
        if (code !== 0 || text === undefined) {
          const [, missing] = MISSING.exec(output) ?? [];
          if (missing !== undefined) throw packageMissing(missing, { python, requirements });
          throw failed(program, output);
        }
        const results = new Map(
          RESULTS.parse(JSON.parse(text)).map((result) => [result.job, result]),
        );
        for (const [place, paths] of outputs.entries()) {
          const result = results.get(nameOf(place));
          const isWrong = result !== undefined && result.wrong.length > 0;
          // A lost file would be lost rows.
          if (result === undefined || !(isWrong || pathsText(result.files) === paths)) {
            throw failed(program, `no whole result of ${nameOf(place)}`);
          }
          await take(place, result);
        }
      } finally {
        await disk.remove(folder);
      }
    },
  };
}

/** Throws Fault('usage') for a name that is neither an engine nor a program. */
async function needProgram(program: string, disk: Disk): Promise<void> {
  if ((await disk.stat(program))?.kind === 'file') return;
  throw new Fault('usage', `--engine is ${basename(program)}, which is neither spark nor a file.`, {
    where: program,
    advice:
      'Name spark, or the path of a Python program that computes the jobs, as in ./ray.py. ' +
      'With --queue in place of --engine, windrow worker processes compute them.',
  });
}

function pathsText(files: readonly ({ readonly path: string } | undefined)[]): string {
  return files.map((file) => file?.path).join('\n');
}

function nameOf(place: number): string {
  return `job-${String(place).padStart(6, '0')}.json`;
}

function failed(program: string, output: string): Fault {
  return new Fault('lake', `The chunks could not be computed: ${output.trim().slice(-2000)}`, {
    where: program,
    advice:
      'The curated tables are unchanged. All hosts need the data root at one path, and all that ' +
      'sql/jobs/requirements.txt names. Without --engine, windrow load --full needs neither.',
  });
}
