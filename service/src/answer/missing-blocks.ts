import type { Axis, Endpoint } from '../../../src/catalogue/entry.ts';
import { endpoints } from '../../../src/catalogue/index.ts';
import { Refusal } from '../protocol/errors.ts';
import type { Source } from '../protocol/source.ts';

/**
 * A source that was exported without blocks has heights but no block list. An empty list would
 * claim that the chain does not exist, and a client would store a block that has only a height as a
 * real one.
 */

/** The endpoint whose list gives the head of an axis. */
export function headEndpoint(axis: Axis): Endpoint | undefined {
  return endpoints.find((entry) => entry.axis === axis && entry.servesHead === true);
}

/** Throws a Refusal if the request asks for blocks of an axis for which the source has none. */
export function checkBlocks(entry: Endpoint, source: Source): void {
  const head = headEndpoint(entry.axis);
  if (entry.dataset !== head?.dataset || source.lacksBlocks?.(entry.axis) !== true) return;
  throw new Refusal(
    'no-blocks',
    `this service has records of the ${entry.axis} chain but none of its blocks, so its head is ` +
      `unknown: the served data was exported without ${head.path}`,
  );
}

/** One line of advice for each axis whose blocks the source lacks. */
export function missingBlocks(source: Source): string[] {
  return (['primary', 'zone'] as const)
    .filter((axis) => source.lacksBlocks?.(axis) === true)
    .map((axis) => {
      const { dataset = '', path = '' } = headEndpoint(axis) ?? {};
      return (
        `The served data has no blocks of the ${axis} chain, so clients cannot learn its head or ` +
        `export from this service. Add ${dataset} (from ${path}) to the pipeline that filled ` +
        'the lake, and run it again.'
      );
    });
}
