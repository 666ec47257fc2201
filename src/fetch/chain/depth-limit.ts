import { Fault } from '../../fault.ts';
import type { Caller } from '../http/caller.ts';
import { textOf } from '../walk/wire.ts';
import { blockAt, blockLookUp } from './block-look-up.ts';

export interface DepthLimitOptions {
  /** `chainShortName` of the primary chain. */
  readonly chain: string;
  readonly from: number;
  readonly head: number;
  /** The depth of the list in years of 365 days. */
  readonly years: number;
  readonly signal?: AbortSignal;
}

const YEAR_MS = 365 * 86_400_000;
/** Lists count back from their newest record, which may be newer than the planned head. */
const MARGIN_MS = 86_400_000;
const TIME = 'block_time';

/**
 * The lowest height of `from` to `head` whose block is at most `years`, less one day, older than
 * the head's. Lists with a depth limit in years still show it while the run lasts. Sends two
 * requests where that height is `from`, otherwise one more for each bisection step. Throws
 * Fault('refused') where a block has no time.
 */
export async function readDepthLimit(caller: Caller, options: DepthLimitOptions): Promise<number> {
  const { from, head, years } = options;
  if (from >= head) return from;
  const endpoint = blockLookUp('primary');
  const oldestMs = (await timeAt(head)) - years * YEAR_MS + MARGIN_MS;
  if ((await timeAt(from)) >= oldestMs) return from;
  // The block at `hidden` is too old; the block at `seen` is not.
  let hidden = from;
  let seen = head;
  while (seen - hidden > 1) {
    const middle = hidden + Math.floor((seen - hidden) / 2);
    if ((await timeAt(middle)) >= oldestMs) seen = middle;
    else hidden = middle;
  }
  return seen;

  async function timeAt(height: number): Promise<number> {
    const block = await blockAt(caller, { axis: 'primary', ...options }, height);
    const text = block === undefined ? undefined : textOf(endpoint, block, TIME);
    if (text === undefined || !/^[0-9]{1,15}$/.test(text)) {
      throw new Fault('refused', `The service gave no block time for height ${height}.`, {
        where: endpoint.path,
        advice: 'Check source.chain and the block range in the pipeline.',
      });
    }
    return Number(text);
  }
}
