import type { NodeBlock } from '../node/rpc-blocks.ts';
import type { JsonObject } from '../node/rpc-shapes.ts';
import type { BalanceBefore, Fragment } from './fragments.ts';
import { fragmentsOf } from './fragments.ts';
import type { FullStreamSettings } from './stream-settings.ts';

/** The messages at one moment of a block. The moments of a block have equal distances. */
export interface Slot {
  readonly messages: readonly JsonObject[];
  /** The fragment that reaches the node, independent of its message. */
  readonly fragment: Fragment;
  /** All clients are disconnected after the messages. */
  readonly disconnects: boolean;
}

/** Bound on the payloads of a block, whatever faults are set. */
const MOST_PAYLOADS = 4;

/** The moments of a block with its faults, in order: one for every fragment of every payload. */
export function slotsOf(
  block: NodeBlock,
  balanceBefore: BalanceBefore,
  settings: FullStreamSettings,
): Slot[] {
  const slots: Slot[] = [];
  for (let payload = 0; payload < MOST_PAYLOADS; payload += 1) {
    const fragments = fragmentsOf(block, payload, balanceBefore, settings);
    const played = slotsOfPayload(fragments, block.height, payload, settings);
    slots.push(...played.slots);
    if (!played.beginsAgain) break;
  }
  return slots;
}

function slotsOfPayload(
  fragments: readonly Fragment[],
  height: number,
  payload: number,
  settings: FullStreamSettings,
): { slots: Slot[]; beginsAgain: boolean } {
  const slots: Slot[] = [];
  let held: JsonObject[] = [];
  for (const fragment of fragments) {
    const { index, payloadId, message } = fragment;
    const isLast = index === fragments.length - 1;
    const fault = settings.fault({ height, index, fragments: fragments.length, payload });
    const beginsAgain = fault === 'new-payload';
    const isHeld = fault === 'reorder' && !isLast;
    const copies = fault === 'drop' || isHeld ? 0 : fault === 'repeat' ? 2 : 1;
    const own = Array.from({ length: copies }, () => message);
    // Delayed messages follow the first message that is not delayed.
    const late = isHeld ? [] : held;
    held = isHeld ? [...held, message] : [];
    const ended = isLast && settings.endMessages && !beginsAgain;
    const messages = [...own, ...late, ...(ended ? [{ payload_id: payloadId }] : [])];
    slots.push({ messages, fragment, disconnects: fault === 'disconnect' });
    if (beginsAgain) return { slots, beginsAgain };
  }
  return { slots, beginsAgain: false };
}
