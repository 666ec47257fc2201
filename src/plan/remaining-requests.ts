import { listKey } from '../coverage/list.ts';
import type { PricedRequest } from './estimate.ts';
import type { PlannedRequest } from './plan.ts';

/** Slices that the price of a list counts for, beside those that have ended. */
const PRICE_WEIGHT = 5;
/** Without prices, the mean of fewer ended slices than one in this number says too little. */
const LEAST_SHARE = 20;

interface Progress {
  readonly slices: number;
  /** Expected requests of a slice, from the price; undefined without one. */
  readonly price: number | undefined;
  ended: number;
  /** Requests of the ended slices. */
  requests: number;
}

/** The requests of a plan, expected from its price and corrected by the slices that have ended. */
export class RemainingRequests {
  readonly #lists = new Map<string, Progress>();

  /** Without a price, a list has the mean of its ended slices, or of all of them. */
  add(requests: readonly (PlannedRequest & Partial<Pick<PricedRequest, 'price'>>)[]): void {
    for (const { list, slices, price } of requests) {
      const key = listKey(list);
      const before = this.#lists.get(key) ?? { slices: 0, price: undefined, ended: 0, requests: 0 };
      const isKnown = price?.rows !== undefined && slices.length > 0;
      const cost = isKnown ? price.requests / slices.length : before.price;
      this.#lists.set(key, { ...before, slices: before.slices + slices.length, price: cost });
    }
  }

  ended({ list }: Pick<PlannedRequest, 'list'>, requests: number): void {
    const progress = this.#lists.get(listKey(list));
    if (progress === undefined) return;
    progress.ended += 1;
    progress.requests += requests;
  }

  /** Expected requests of all slices; undefined while too little is known. */
  total(): number | undefined {
    const lists = [...this.#lists.values()];
    const ended = lists.reduce((sum, list) => sum + list.ended, 0);
    const slices = lists.reduce((sum, list) => sum + list.slices, 0);
    const isPriced = lists.every(({ price, slices }) => price !== undefined || slices === 0);
    if (!isPriced && ended * LEAST_SHARE < slices) return undefined;
    const mean = lists.reduce((sum, list) => sum + list.requests, 0) / Math.max(1, ended);
    return Math.round(lists.reduce((sum, list) => sum + expected(list, mean), 0));
  }
}

function expected(list: Progress, mean: number): number {
  const { price, ended, requests, slices } = list;
  const weight = price === undefined ? 0 : PRICE_WEIGHT;
  const cost = weight + ended === 0 ? mean : (weight * (price ?? 0) + requests) / (weight + ended);
  return requests + Math.max(0, slices - ended) * cost;
}
