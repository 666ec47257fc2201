import type { Endpoint } from '../../catalogue/entry.ts';
import { datasetOf, datasetsOf, endpoints, equalsParams, paramOf } from '../../catalogue/index.ts';
import { type List, listOf } from '../../coverage/list.ts';
import { contains, type Interval } from '../../coverage/ranges.ts';
import type { Slice } from '../../coverage/slice.ts';
import { headRequest } from '../chain/heads.ts';
import { unlessRefused } from '../http/call-failure.ts';
import { PRIORITY } from '../http/caller.ts';
import { queryByRole } from '../http/request.ts';
import { readPage } from '../walk/pages.ts';
import type { SourceSettings } from '../walk/walk.ts';
import { type ListSource, readingOf } from './known-question.ts';

/** Most blocks of either kind whose records are read for one list. */
const MAX_BLOCKS = 4;
/** Most pages of the newest blocks, until these have as many blocks with transactions. */
const MAX_PAGES = 5;

/**
 * Records that a list must show, because a list of the records of one block has them. That list
 * needs neither a range nor keys, so its answers do not depend on them.
 */
export class RecordsOfBlocks {
  readonly #source: ListSource;

  constructor(source: ListSource) {
    this.#source = source;
  }

  /**
   * Whether the list shows a record of a block up to `highest`; `ListFacts` then knows it. Blocks
   * are those in which other lists had records, then the newest ones with the most transactions.
   */
  async areShown(list: List, highest: number, settings: SourceSettings): Promise<boolean> {
    const { answered } = this.#source.facts;
    const few = (heights: readonly number[]): number[] =>
      heights.filter((height) => height <= highest).slice(0, MAX_BLOCKS);
    await this.#show(list, few(answered.newestHeights(list.entry.axis)), settings);
    if (answered.newestOf(list) !== undefined) return true;
    const busiest = await this.#blocks(list, { from: 0, to: highest }, settings);
    busiest.sort((a, b) => b.count - a.count);
    await this.#show(list, few(busiest.map(({ height }) => height)), settings);
    return answered.newestOf(list) !== undefined;
  }

  /**
   * Whether the list shows the records of the newest blocks in the interval that have some;
   * undefined where the tried ones have none.
   */
  async isEndShown(list: List, interval: Interval, settings: SourceSettings) {
    const blocks = await this.#blocks(list, interval, settings);
    const newest = blocks.map(({ height }) => height).sort((a, b) => b - a);
    const { tried, shown } = await this.#show(list, newest.slice(0, MAX_BLOCKS), settings);
    return tried === undefined ? undefined : tried === shown;
  }

  /**
   * Asks the list for a record of each block, until it shows one. Returns the first block with
   * records, and the one whose record was shown.
   */
  async #show(
    list: List,
    heights: readonly number[],
    settings: SourceSettings,
  ): Promise<{ readonly tried?: number; readonly shown?: number }> {
    const ofBlock = listOfBlock(list);
    let tried: number | undefined;
    for (const height of ofBlock === undefined ? [] : heights) {
      const interval = { from: height, to: height };
      const block = { list: ofBlock ?? list, keys: [''], interval, provisional: false };
      const [key] = await this.#keysIn(block, list.keyColumns, settings);
      if (key === undefined) continue;
      tried ??= height;
      const question = { ...block, list: withoutOtherFilters(list), keys: [key] };
      if ((await this.#read(question, settings)).length > 0) return { tried, shown: height };
    }
    return tried === undefined ? {} : { tried };
  }

  /** The keys that the records of a block name; `['']` where the list has no keys. */
  async #keysIn(
    block: Slice,
    columns: readonly string[] | undefined,
    settings: SourceSettings,
  ): Promise<string[]> {
    const records = await this.#read(block, settings);
    if (columns === undefined) return records.length === 0 ? [] : [''];
    return [...new Set(records.flatMap((record) => record.keysIn(columns)))];
  }

  /** The newest blocks of the interval that have transactions, and the number of these. */
  async #blocks({ entry: { axis } }: List, interval: Interval, settings: SourceSettings) {
    const { chain } = settings;
    const { endpoint } = headRequest(axis, chain);
    const limit = endpoint.limits.pageSize?.max ?? 1;
    const options = { priority: PRIORITY.laterPage, signal: settings.signal };
    const blocks: { readonly height: number; readonly count: number }[] = [];
    for (let page = 1; page <= MAX_PAGES && blocks.length < MAX_BLOCKS; page += 1) {
      const query = queryByRole(endpoint, { chain, page, limit });
      const reply = await this.#source.caller.call(endpoint, query, options).catch(unlessRefused);
      for (const record of reply?.records ?? []) {
        const height = record.height ?? -1;
        const count = Number(record.valueIn('txn_count'));
        if (contains(interval, height) && count > 0) blocks.push({ height, count });
      }
    }
    return blocks;
  }

  async #read(slice: Slice, settings: SourceSettings) {
    const reading = readingOf(this.#source, slice, settings);
    return (await readPage(reading, 1).catch(unlessRefused))?.records ?? [];
  }
}

/** The list of the records of one block that a list of addresses has, too. */
function listOfBlock(list: List): List | undefined {
  const isOfBlock = (entry: Endpoint): boolean =>
    entry.axis === list.entry.axis &&
    entry.list === 'by-key' &&
    paramOf(entry, 'height')?.required === true &&
    paramOf(entry, 'keys') === undefined &&
    datasetsOf(entry).includes(list.dataset.name);
  const entry = endpoints.find(isOfBlock);
  if (entry === undefined) return undefined;
  const wanted = equalsParams(list.entry)[0];
  const value = wanted === undefined ? undefined : (list.filters[wanted.name] ?? wanted.default);
  for (const { name, values = [] } of equalsParams(entry)) {
    const fitting = values.filter(
      (option) => datasetOf(entry, { [name]: option }) === list.dataset.name,
    );
    const [first] = fitting;
    const chosen = value !== undefined && fitting.includes(value) ? value : first;
    if (chosen !== undefined) return listOf(entry, { [name]: chosen });
  }
  return listOf(entry);
}

/** Records of a block need not match amounts or tokens. */
function withoutOtherFilters({ entry, filters }: List): List {
  const names = equalsParams(entry).map(({ name }) => name);
  const kept = Object.entries(filters).filter(([name]) => names.includes(name));
  return listOf(entry, Object.fromEntries(kept));
}
