import type { Axis, Endpoint } from '../../catalogue/entry.ts';
import { endpoints } from '../../catalogue/index.ts';
import { Refusal } from '../protocol/errors.ts';
import type { Source } from '../protocol/source.ts';

/**
 * A source that was exported without blocks has heights and no list of them. An empty list would
 * say that there is no chain, and a block made up of its height alone would be landed as one.
 */

/** The endpoint whose list tells the head of an axis. */
export function headEndpoint(axis: Axis): Endpoint | undefined {
  return endpoints.find((each) => each.axis === axis && each.servesHead === true);
}

/** Throws a Refusal for a question for blocks of an axis of which the source has none. */
export function checkBlocks(of: Endpoint, source: Source): void {
  const head = headEndpoint(of.axis);
  if (of.dataset !== head?.dataset || source.lacksBlocks?.(of.axis) !== true) return;
  throw new Refusal(
    'no-blocks',
    `this service has records of the ${of.axis} chain and none of its blocks, so that it cannot ` +
      `tell its head: what it serves was exported without ${head.path}`,
  );
}

/** A line for each axis whose blocks the source lacks, with what to do about it. */
export function missingBlocks(source: Source): string[] {
  return (['primary', 'zone'] as const)
    .filter((axis) => source.lacksBlocks?.(axis) === true)
    .map((axis) => {
      const { dataset = '', path = '' } = headEndpoint(axis) ?? {};
      return (
        `There are no blocks of the ${axis} chain here, so clients cannot learn its head or ` +
        `export from this service. Add ${dataset} (from ${path}) to the pipeline that filled ` +
        'the lake, and run it again.'
      );
    });
}
