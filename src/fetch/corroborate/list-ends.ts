import type { Axis } from '../../catalogue/entry.ts';
import { listKey } from '../../coverage/list.ts';
import type { FetchedPart } from '../../coverage/slice-part.ts';
import { type Destination, failing, type HeldPart } from './destination.ts';
import type { ListSource } from './known-question.ts';
import { RecordsOfBlocks } from './records-of-blocks.ts';
import { isNewest } from './request-proof.ts';

const REASON = 'the list does not show the records of the newest blocks';

/**
 * Finds lists that lack the newest records because their index has fewer blocks than the chain.
 * Each list must show a record of a newer block than its records; otherwise the blocks above its
 * newest record are `provisional`. Only with `proof: strict`, because it takes some requests.
 */
export class ListEnds {
  readonly #source: ListSource;
  readonly #blocks: RecordsOfBlocks;
  /** The newest complete parts, without their records, by list. */
  readonly #parts = new Map<string, HeldPart[]>();

  constructor(source: ListSource) {
    this.#source = source;
    this.#blocks = new RecordsOfBlocks(source);
  }

  add(part: FetchedPart, to: Destination): void {
    const { slice, status } = part;
    const isRanged = slice.list.entry.list === 'ranged' && to.settings.proof === 'strict';
    if (!isRanged || status !== 'complete' || !isNewest({ ...to, part })) return;
    const parts = this.#parts.get(listKey(slice.list)) ?? [];
    this.#parts.set(listKey(slice.list), parts);
    parts.push({ ...to, part: { ...part, records: [], pending: [], requests: 0 } });
  }

  async settle(): Promise<void> {
    const unknown: HeldPart[][] = [];
    const lagging = new Set<Axis>();
    for (const parts of this.#parts.values()) {
      await failing([], async () => {
        const isShown = await this.#isEndShown(parts);
        if (isShown === undefined) unknown.push(parts);
        if (isShown !== false) return;
        await this.#withdrawEnds(parts);
        for (const { part } of parts) lagging.add(part.slice.list.entry.axis);
      });
    }
    // Lists without such a record are judged by the others.
    for (const parts of unknown) {
      const isLagging = parts.some(({ part }) => lagging.has(part.slice.list.entry.axis));
      if (isLagging) await this.#withdrawEnds(parts);
    }
    this.#parts.clear();
  }

  /** undefined where no record shows it. */
  async #isEndShown(parts: readonly HeldPart[]): Promise<boolean | undefined> {
    const [first] = parts;
    if (first === undefined) return true;
    const { list } = first.part.slice;
    const to = Math.max(...parts.map(({ part }) => part.slice.interval.to));
    const from = this.#source.facts.answered.reachedBy(list) + 1;
    return from > to || this.#blocks.isEndShown(list, { from, to }, first.settings);
  }

  /** Makes the blocks above the newest record of the list `provisional`. */
  async #withdrawEnds(parts: readonly HeldPart[]): Promise<void> {
    for (const { part, land } of parts) {
      const { from, to } = part.slice.interval;
      const open = this.#source.facts.answered.reachedBy(part.slice.list) + 1;
      const interval = { from: Math.max(from, open), to };
      if (interval.from > to) continue;
      const slice = { ...part.slice, interval };
      await land({ ...part, slice, status: 'provisional', reason: REASON }, 'refuting');
    }
  }
}
