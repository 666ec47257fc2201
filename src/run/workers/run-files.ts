import { dirname, resolve } from 'node:path';
import { Fault } from '../../fault.ts';
import { type LoadedPipeline, loadPipeline, type Overrides } from '../job/pipeline-file.ts';
import { readText } from '../job/text-file.ts';
import type { RunRecord } from '../queue/job-queue.ts';

/** Reads a pipeline with all files that it names, for workers that do not have these files. */
export async function recordedPipeline(
  pipelineFile: string,
  { addresses, ...others }: Overrides,
): Promise<{ readonly loaded: LoadedPipeline } & Pick<RunRecord, 'file' | 'files' | 'overrides'>> {
  const file = resolve(pipelineFile);
  const files: Record<string, string> = {};
  const overrides = { ...others, ...(addresses && { addresses: resolve(addresses) }) };
  const loaded = await loadPipeline(file, overrides, async (path, wanted) => {
    const text = await readText(path, wanted);
    files[path] = text;
    return text;
  });
  return { loaded, file, files, overrides };
}

/** The pipeline of a run, with paths as they were where it was submitted. */
export async function pipelineOf({ file, overrides, files }: RunRecord): Promise<LoadedPipeline> {
  const loaded = await loadPipeline(file, overrides, async (path) => {
    const text = files[path];
    if (text !== undefined) return text;
    throw new Fault('configuration', 'The run was submitted without this file.', {
      where: path,
      advice: 'Use the same version of windrow on all hosts, and submit the run again.',
    });
  });
  // The submitter has printed them.
  return { ...loaded, notes: [], resolve: (path) => resolve(dirname(file), path) };
}
