import { datasetNamed, endpoints, fieldFor } from '../catalogue/index.ts';
import { Fault } from '../fault.ts';
import type { Heads } from '../plan/slices.ts';
import type { Caller } from './walk.ts';
import { heightOf } from './wire.ts';

/**
 * The newest height of the primary chain, and the safe height: the first one whose records may
 * still change. One request. Throws Fault('refused') when the answer names no block.
 */
export async function readHeads(
  caller: Caller,
  source: { readonly chain: string; readonly finalityLagBlocks: number },
  signal?: AbortSignal,
): Promise<Heads> {
  const endpoint = endpoints.find((each) => each.axis === 'primary' && each.servesHead === true);
  if (endpoint === undefined) throw new Error('no endpoint in the catalogue serves the head');
  const query: Record<string, string> = {};
  for (const param of endpoint.params) {
    if (param.role === 'chain') query[param.name] = source.chain;
    if (param.role === 'page' || param.role === 'limit') query[param.name] = '1';
  }
  const { records } = await caller.call(endpoint, query, {
    priority: 0,
    ...(signal === undefined ? {} : { signal }),
  });
  const [newest] = records;
  const head = newest === undefined ? undefined : heightOf(endpoint, newest);
  if (head === undefined) {
    const field = fieldFor(endpoint, datasetNamed(endpoint.dataset).heightColumn)?.wire;
    throw new Fault('refused', `The service listed no block with a ${field}.`, {
      where: endpoint.path,
      advice: 'Check source.chain in the pipeline, and that the service has this chain.',
    });
  }
  return { head, safe: Math.max(0, head - source.finalityLagBlocks) };
}
