import type { Axis } from '../catalogue/entry.ts';
import type { CanonicalRecord } from '../catalogue/record.ts';
import type { Interval } from '../plan/ranges.ts';
import type { SimulatedChain } from '../simulated/chain.ts';
import type { RecordIndex } from './record-index.ts';
import { createPager, recordIndex } from './record-index.ts';
import type { Source } from './source.ts';
import { DEFAULT_NAMES } from './source.ts';

/** A simulated chain as a source. */
export interface ChainSource extends Source {
  /** The newest height served from now on; a RangeError for a lower one than before. */
  growTo(head: number): void;
}

/** Heights are computed and indexed by the thousand, when one of them is first asked for. */
const CHUNK_BLOCKS = 1000;

type Chunk = ReadonlyMap<string, RecordIndex>;

/**
 * Answers from the chain, up to a head that may grow. What was computed is kept: about 700 bytes a
 * record.
 */
export function chainSource(chain: SimulatedChain): ChainSource {
  let head = chain.head;
  const chunks = new Map<number, Chunk>();
  const page = createPager();
  const chunkAt = (number: number): Chunk => {
    const known = chunks.get(number);
    if (known !== undefined) return known;
    const built = chunkOf(chain, number * CHUNK_BLOCKS);
    chunks.set(number, built);
    return built;
  };
  const names = { shortName: chain.shortName, fullName: chain.fullName };

  return {
    names: { ...DEFAULT_NAMES, primary: names },
    head: (axis: Axis) => (axis === 'primary' ? head : -1),
    growTo: (newHead) => {
      if (!Number.isSafeInteger(newHead) || newHead < head) {
        throw new RangeError(`the head is ${head} and cannot become ${newHead}`);
      }
      head = newHead;
    },
    // A chunk holds whole heights beyond the head; they are not there yet for a reader.
    find: (query) => {
      const interval = { from: query.interval.from, to: Math.min(query.interval.to, head) };
      return page({ ...query, interval }, () => partsOf(query.dataset, interval, chunkAt));
    },
  };
}

/** The chunks an interval touches, the newest first. */
function partsOf(
  dataset: string,
  interval: Interval,
  chunkAt: (number: number) => Chunk,
): RecordIndex[] {
  const parts: RecordIndex[] = [];
  const oldest = Math.floor(interval.from / CHUNK_BLOCKS);
  if (interval.from > interval.to) return parts;
  for (let chunk = Math.floor(interval.to / CHUNK_BLOCKS); chunk >= oldest; chunk -= 1) {
    const index = chunkAt(chunk).get(dataset);
    if (index !== undefined) parts.push(index);
  }
  return parts;
}

function chunkOf(chain: SimulatedChain, firstHeight: number): Chunk {
  const records = new Map<string, CanonicalRecord[]>();
  for (let height = firstHeight; height < firstHeight + CHUNK_BLOCKS; height += 1) {
    for (const [dataset, added] of Object.entries(chain.recordsAt(height))) {
      const list = records.get(dataset) ?? [];
      list.push(...added);
      records.set(dataset, list);
    }
  }
  return new Map([...records].map(([dataset, list]) => [dataset, recordIndex(dataset, list)]));
}
