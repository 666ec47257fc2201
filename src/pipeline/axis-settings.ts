import type { Axis } from '../catalogue/entry.ts';
import type { Pipeline } from './pipeline.ts';
import type { BlockBounds } from './syntax/block-range.ts';

type Settings = Pick<Pipeline, 'source' | 'blocks' | 'zoneBlocks'>;

/** The settings of a pipeline for one axis; `chain` is the name by which the service knows it. */
export function axisSettings({ source, blocks, zoneBlocks }: Settings, axis: Axis) {
  const { chain, zoneChain, finalityLagBlocks, finalityLagZoneBlocks } = source;
  return axis === 'primary'
    ? { chain, finalityLagBlocks, blocks }
    : { chain: zoneChain, finalityLagBlocks: finalityLagZoneBlocks, blocks: zoneBlocks };
}

/** The first height of a range, on a chain with this safe height. */
export function firstHeight({ from }: BlockBounds, safe: number): number {
  return from < 0 ? Math.max(0, safe + from) : from;
}
