import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import { inNoBlock } from '../../../src/catalogue/vocabulary.ts';
import type { NodeInputs } from '../node/rpc-state.ts';
import { partyColumns, timesListed } from '../protocol/record-values.ts';
import type { Source } from '../protocol/source.ts';
import type { SimulatedChain } from '../simulated/chain.ts';

const DATASET = 'transactions';
/** Columns whose values come with the transaction's block. */
const OF_BLOCK = [...inNoBlock.absent.map(({ column }) => column), 'gas_used', 'tx_fee'];

/**
 * The preconfirmed transactions of the block above the head, as lists show them until the head
 * reaches that block: pending, and broadcast at the time of the head block.
 */
export function listPendingTransactions({
  chain,
  source,
  preconfirmed,
}: Pick<NodeInputs, 'chain' | 'source' | 'preconfirmed'>): NonNullable<Source['pending']> {
  const parties = partyColumns(DATASET);
  return (selection) => {
    const newest = source.head('primary');
    const part = preconfirmed?.();
    if (selection.dataset !== DATASET || part?.height !== newest + 1) return [];
    const broadcast = timeOf(chain, newest);
    return chain
      .recordsAt(part.height)
      .transactions.slice(0, part.count)
      .map((record) => pendingRecord(record, broadcast))
      .flatMap((record) => Array(timesListed(record, selection, parties)).fill(record))
      .reverse();
  };
}

function pendingRecord(mined: CanonicalRecord, broadcast: string): CanonicalRecord {
  const unknown = Object.fromEntries(OF_BLOCK.map((column) => [column, null]));
  return { ...mined, ...unknown, block_time: broadcast, [inNoBlock.state.column]: inNoBlock.is };
}

function timeOf(chain: SimulatedChain, height: number): string {
  return chain.executedAt(height).place.time;
}
