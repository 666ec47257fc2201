import type { CanonicalRecord } from '../src/catalogue/record.ts';

/**
 * Blocks of the primary chain as a service lists them when the chain has come to a height: the
 * interface says that blocks above confirm a block, and that the newest one is pending.
 */
export function blocksAsOf(head: number, blocks: readonly CanonicalRecord[]): CanonicalRecord[] {
  return blocks.map((block) => {
    const above = head - Number(block['block_number']);
    const block_state = above === 0 ? 'pending' : 'done';
    return { ...block, confirmations: String(above), block_state };
  });
}
