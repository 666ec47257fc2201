import { findDataset } from '../../catalogue/index.ts';
import { Fault, suggestion } from '../../fault.ts';
import type { Intent } from '../run-job.ts';
import type { LoadedPipeline } from './pipeline-file.ts';

/** The datasets that an option names; undefined without it. Throws Fault('usage'). */
export function chosenDatasets(
  { pipeline, file }: LoadedPipeline,
  option: readonly string[] | undefined,
): ReadonlySet<string> | undefined {
  if (option === undefined) return undefined;
  const names = option.flatMap((text) => text.split(',')).map((name) => name.trim());
  const requested = [...new Set(pipeline.requests.map(({ dataset }) => dataset))];
  const unknown = names.find((name) => !requested.includes(name));
  if (unknown === undefined) return new Set(names);
  const finding =
    findDataset(unknown) === undefined ? 'There is no dataset' : 'The pipeline does not request';
  throw new Fault('usage', `${finding} ${JSON.stringify(unknown)}.`, {
    where: file,
    advice: suggestion(unknown, requested),
  });
}

/** The intent of a run of some datasets; empty without the option. */
export function intentOf(
  loaded: LoadedPipeline,
  option: readonly string[] | undefined,
): { readonly intent?: Intent } {
  const chosen = chosenDatasets(loaded, option);
  if (chosen === undefined) return {};
  return { intent: { isAgain: false, wants: ({ request }) => chosen.has(request.dataset) } };
}
