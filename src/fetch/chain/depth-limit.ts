import { Fault } from '../../fault.ts';
import type { Caller } from '../http/caller.ts';
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
/** The search ends at a block whose time is this close to the wanted one. */
const CLOSE_MS = 3_600_000;
const TIME = 'block_time';

/**
 * The lowest height of `from` to `head` whose block is at most `years`, less one day, older than
 * the head's; where that takes many requests, a height up to an hour above it. Lists with a depth
 * limit in years still show it while the run lasts. Sends two requests where that height is `from`,
 * otherwise a few more: a search that interpolates between known block times and bisects in turn.
 * Throws Fault('refused') where a block has no time.
 */
export async function readDepthLimit(caller: Caller, options: DepthLimitOptions): Promise<number> {
  const { from, head, years } = options;
  if (from >= head) return from;
  const endpoint = blockLookUp('primary');
  const headMs = await timeAt(head);
  const oldestMs = headMs - years * YEAR_MS + MARGIN_MS;
  const fromMs = await timeAt(from);
  if (fromMs >= oldestMs) return from;
  // The block at `hidden` is too old; the block at `seen` is not.
  let hidden = { height: from, ms: fromMs };
  let seen = { height: head, ms: headMs };
  for (let step = 0; seen.height - hidden.height > 1; step += 1) {
    if (seen.ms - oldestMs <= CLOSE_MS && step > 0) break;
    const share = step % 2 === 0 ? (oldestMs - hidden.ms) / (seen.ms - hidden.ms) : 0.5;
    const height = hidden.height + Math.ceil(share * (seen.height - hidden.height));
    const middle = Math.min(Math.max(height, hidden.height + 1), seen.height - 1);
    const ms = await timeAt(middle);
    if (ms >= oldestMs) seen = { height: middle, ms };
    else hidden = { height: middle, ms };
  }
  return seen.height;

  async function timeAt(height: number): Promise<number> {
    const block = await blockAt(caller, { axis: 'primary', ...options }, height);
    const text = block?.valueIn(TIME);
    if (text === undefined || !/^[0-9]{1,15}$/.test(text)) {
      throw new Fault('refused', `The service gave no block time for height ${height}.`, {
        where: endpoint.path,
        advice: 'Check source.chain and the block range in the pipeline.',
      });
    }
    return Number(text);
  }
}
