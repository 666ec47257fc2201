import { describe, expect, it } from 'vitest';
import { nodeBlocks } from '../../../src/node/rpc-blocks.ts';
import { simulatedChain } from '../../../src/simulated/chain.ts';
import { slotsOf } from '../../../src/stream/producer.ts';
import type { StreamFault, StreamSettings } from '../../../src/stream/stream-settings.ts';
import { fullStreamSettings } from '../../../src/stream/stream-settings.ts';

const chain = simulatedChain({ seed: 'slots', head: 100 });
const block = nodeBlocks(chain)(60);

function slots(settings: StreamSettings = {}) {
  return slotsOf(block, () => 0n, fullStreamSettings(settings));
}

/** The sent messages, slot by slot, by index; an end message is `end`. */
function sent(settings: StreamSettings = {}): unknown[][] {
  return slots(settings).map(({ messages }) => messages.map((part) => part['index'] ?? 'end'));
}

/** The fault at these indexes of the first payload. */
const at =
  (fault: StreamFault, ...indexes: number[]): StreamSettings['fault'] & object =>
  ({ index, payload }) =>
    payload === 0 && indexes.includes(index) ? fault : undefined;

const plain = sent();
const last = plain.length - 1;

describe('the moments of a block', () => {
  it('send one fragment each, in order', () => {
    expect(plain).toEqual(Array.from({ length: last + 1 }, (_, index) => [index]));
    expect(slots().map(({ fragment }) => fragment.index)).toEqual(plain.flat());
    expect(slots().some(({ disconnects }) => disconnects)).toBe(false);
  });

  it('end with a message that has the payload id alone where settings say so', () => {
    const ended = slots({ endMessages: true }).at(-1);
    expect(ended?.messages.at(-1)).toEqual({ payload_id: ended?.fragment.payloadId });
    expect(sent({ endMessages: true })).toEqual([...plain.slice(0, -1), [last, 'end']]);
  });

  it('tell the fault where they are', () => {
    const places: unknown[] = [];
    sent({
      fault: (place) => {
        places.push(place);
        return undefined;
      },
    });
    const place = { height: 60, fragments: last + 1, payload: 0 };
    expect(places).toEqual(plain.flat().map((index) => ({ ...place, index })));
  });
});

describe('a fault', () => {
  it('drops a message, but the node still receives its fragment', () => {
    const settings = { fault: at('drop', 1) };
    expect(sent(settings)).toEqual(plain.map((part, nth) => (nth === 1 ? [] : part)));
    expect(slots(settings).map(({ fragment }) => fragment.count)).toEqual(
      slots().map(({ fragment }) => fragment.count),
    );
  });

  it('repeats a message', () => {
    expect(sent({ fault: at('repeat', 1) })[1]).toEqual([1, 1]);
  });

  it('puts messages behind the one that follows, but never behind the block', () => {
    expect(sent({ fault: at('reorder', 0) }).flat()).toEqual([1, 0, ...plain.flat().slice(2)]);
    expect(
      sent({ fault: at('reorder', 0, 1) })
        .flat()
        .slice(0, 3),
    ).toEqual([2, 0, 1]);
    expect(sent({ fault: at('reorder', last) })).toEqual(plain);
    expect(
      sent({ fault: () => 'reorder' })
        .flat()
        .sort(),
    ).toEqual(plain.flat().sort());
  });

  it('begins the block again under another payload', () => {
    const again = slots({ fault: at('new-payload', 1), endMessages: true });
    const ids = again.map(({ fragment }) => fragment.payloadId);
    expect(new Set(ids).size).toBe(2);
    expect(ids.lastIndexOf(ids[0] ?? '')).toBe(1);
    expect(again.slice(2).map(({ fragment }) => fragment.index)).toEqual(
      again.slice(2).map((_, n) => n),
    );
    const ends = again.flatMap(({ messages }) => messages).filter((part) => !('index' in part));
    expect(ends).toEqual([{ payload_id: ids.at(-1) }]);
  });

  it('ends a payload by itself, where the block begins again after its last fragment', () => {
    const again = slots({ fault: at('new-payload', last), endMessages: true });
    const ends = again.flatMap(({ messages }) => messages).filter((part) => !('index' in part));
    expect(ends).toEqual([{ payload_id: again.at(-1)?.fragment.payloadId }]);
    expect(again.length).toBeGreaterThan(last + 1);
  });

  it('cannot make a block begin again for ever', () => {
    const ids = slots({ fault: () => 'new-payload' }).map(({ fragment }) => fragment.payloadId);
    expect(new Set(ids).size).toBe(4);
  });

  it('cuts everybody off after a message', () => {
    const cut = slots({ fault: at('disconnect', 1) });
    expect(cut.map(({ disconnects }) => disconnects)).toEqual(plain.map((_, nth) => nth === 1));
    expect(sent({ fault: at('disconnect', 1) })).toEqual(plain);
  });
});
