import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import { type Interval, intersection, overlaps } from '../../../src/coverage/ranges.ts';
import { identifier, literal } from '../../../src/land/storage/sql-text.ts';
import { Recent } from '../memory/recent.ts';
import type { Found, Naming, Query, Selection } from '../protocol/source.ts';
import { type Band, joinBands, partHeights, type Span } from './bands.ts';
import { recordOf, recordSql, type ServedDataset } from './columns.ts';
import { type ServedList, servedList } from './conditions.ts';
import { HashIndex, MOST_HEIGHTS } from './hash-index.ts';
import type { ServedFile } from './served-version.ts';
import type { LakeStore, Rows } from './store.ts';

interface Held {
  readonly height: number;
  readonly record: CanonicalRecord;
}

/** Some neighbouring records of a list; the parts of a list come in its order. */
interface Part {
  readonly count: number;
  /** The records from a place on; both lie within the part. */
  read(skip: number, count: number): Promise<readonly CanonicalRecord[]>;
}

/** Records that are kept for the next questions. */
const MOST_RECORDS = 20_000;
/** Bands with more records, such as a full ranking, are read page by page. */
const MOST_AT_ONCE = 10_000;
/** Bands whose counts are kept. */
const MOST_BANDS = 1_000_000;
/** Intervals that are kept of one kind of question. */
const MOST_SPANS = 16;

/**
 * Answers questions about one dataset from the files of its curated table. A selection is counted
 * once, in bands of heights; a page then reads the band that it lies in. Clients that page
 * through a list, or narrow its heights step by step, find both kept.
 */
export class ServedTable {
  readonly dataset: ServedDataset;
  readonly #store: LakeStore;
  readonly #index: HashIndex;
  #files: readonly ServedFile[] = [];
  /** Counts by the text of the selection without its heights. */
  readonly #spans = new Recent<readonly Span[]>(MOST_BANDS);
  readonly #records: Recent<readonly Held[]>;

  /** Keeps up to `mostRecords` records of the newest questions. */
  constructor(dataset: ServedDataset, store: LakeStore, mostRecords = MOST_RECORDS) {
    this.dataset = dataset;
    this.#store = store;
    this.#index = new HashIndex(dataset, store);
    this.#records = new Recent(mostRecords);
  }

  create(): Promise<void> {
    return this.#index.create();
  }

  /** Answers from these files from now on. An error leaves the files as they were. */
  async show(files: readonly ServedFile[]): Promise<void> {
    await this.#index.show(files.map(({ path }) => path));
    this.#files = files;
    this.#spans.clear();
    this.#records.clear();
  }

  /** The newest height; -1 if there are no records. */
  get head(): number {
    return this.#files.reduce((head, { heights }) => Math.max(head, heights.to), -1);
  }

  async find({ offset, count, ...selection }: Query): Promise<Found> {
    const parts = await this.#partsOf(selection);
    const records: CanonicalRecord[] = [];
    let skip = offset;
    for (const part of parts) {
      if (skip < part.count && records.length < count) {
        const wanted = Math.min(part.count - skip, count - records.length);
        records.push(...(await part.read(skip, wanted)));
      }
      skip = Math.max(0, skip - part.count);
    }
    return { total: parts.reduce((sum, part) => sum + part.count, 0), records };
  }

  /** The naming by which a selection looks up records by hash; undefined for other selections. */
  hashesAsked({ keys, filters }: Selection): Naming | undefined {
    const all = keys === undefined ? filters : [keys, ...filters];
    return all.find(({ columns }) => columns.every((name) => this.dataset.hashes.includes(name)));
  }

  /** The lowest height of the records that name a hash, by hash. */
  async heightsOf(values: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const lowest = new Map<string, number>();
    for (const [value, height] of await this.#index.heightsOf(values)) {
      if (!lowest.has(value)) lowest.set(value, height);
    }
    return lowest;
  }

  /** The value of a column in the newest record that has one. */
  async newestOf(column: string): Promise<string | undefined> {
    if (this.#files.length === 0) return undefined;
    const [row] = await this.#store.rows(
      `SELECT ${identifier(column)} FROM ${this.#scan([0, this.head])}
       WHERE ${identifier(column)} IS NOT NULL
       ORDER BY ${identifier(this.dataset.heightColumn)} DESC LIMIT 1`,
    );
    return typeof row?.[0] === 'string' ? row[0] : undefined;
  }

  async #partsOf(selection: Selection): Promise<readonly Part[]> {
    const { head } = this;
    const newest = { from: head, to: head };
    const interval = this.dataset.isSnapshot
      ? newest
      : intersection(selection.interval, { from: 0, to: head });
    if (head < 0 || interval === undefined || interval.from > interval.to) return [];
    const list = servedList(this.dataset, selection);
    const byHash = await this.#partByHash(list, selection, interval);
    if (byHash !== undefined) return [byHash];
    const { bands } = await this.#spanOf(list, interval);
    const parts: Part[] = [];
    for (const band of bands.filter((range) => overlaps(range, interval))) {
      parts.push(await this.#partOf(list, band, interval));
    }
    return parts;
  }

  /** The records of single hashes. Undefined if the selection names none, or too many records. */
  async #partByHash(
    list: ServedList,
    selection: Selection,
    interval: Interval,
  ): Promise<Part | undefined> {
    const naming = this.hashesAsked(selection);
    if (naming === undefined) return undefined;
    const entries = await this.#index.heightsOf(naming.values);
    if (entries.length > MOST_HEIGHTS) return undefined;
    const heights = [...new Set(entries.map(([, height]) => height))].filter(
      (height) => height >= interval.from && height <= interval.to,
    );
    if (heights.length === 0) return { count: 0, read: async () => [] };
    const column = identifier(this.dataset.heightColumn);
    const where = `${column} IN (${heights.join(', ')})`;
    return partOf(await this.#read(list, JSON.stringify(interval), heights, where));
  }

  /** What a band lists in the interval. */
  async #partOf(list: ServedList, band: Band, interval: Interval): Promise<Part> {
    const within = this.#withinSql(band);
    const ends = [band.from, band.to];
    if (band.count > MOST_AT_ONCE && list.timesSql === '1') {
      const read = async (skip: number, count: number) => {
        const rows = await this.#store.rows(
          `${this.#listSql(list, ends, within)} LIMIT ${count} OFFSET ${skip}`,
        );
        return this.#heldIn(rows).map(({ record }) => record);
      };
      return { count: band.count, read };
    }
    const held = () => this.#read(list, JSON.stringify(ends), ends, within);
    if (interval.from <= band.from && interval.to >= band.to) {
      const read = async (skip: number, count: number) => partOf(await held()).read(skip, count);
      return { count: band.count, read };
    }
    const isIn = ({ height }: Held) => height >= interval.from && height <= interval.to;
    return partOf((await held()).filter(isIn));
  }

  /** Counts that cover the interval; new ones if none are kept. */
  async #spanOf(list: ServedList, interval: Interval): Promise<Span> {
    const cached = this.#spans.get(list.text) ?? [];
    const kept = cached.find((span) => isKnownIn(span, interval));
    if (kept !== undefined) return kept;
    const span = { ...interval, bands: joinBands(await this.#count(list, interval)) };
    const spans = [span, ...cached].slice(0, MOST_SPANS);
    const size = spans.reduce((sum, { bands }) => sum + bands.length + 1, 0);
    this.#spans.set(list.text, spans, size);
    return span;
  }

  async #count(list: ServedList, interval: Interval): Promise<Band[]> {
    const height = identifier(this.dataset.heightColumn);
    const rows = await this.#store.rows(
      `SELECT min(${height}), max(${height}), sum(${list.timesSql})
       FROM ${this.#scan([interval.from, interval.to])}
       WHERE ${this.#withinSql(interval)} AND ${list.where}
       GROUP BY ${height} // ${partHeights(interval)}`,
    );
    return rows.map(([from, to, count]) => {
      return { from: Number(from), to: Number(to), count: Number(count) };
    });
  }

  /** The records at these heights, in the order of the list. */
  async #read(
    list: ServedList,
    id: string,
    heights: readonly number[],
    where: string,
  ): Promise<readonly Held[]> {
    const key = `${id} ${list.text}`;
    const kept = this.#records.get(key);
    if (kept !== undefined) return kept;
    const held = this.#heldIn(await this.#store.rows(this.#listSql(list, heights, where)));
    this.#records.set(key, held, held.length + 1);
    return held;
  }

  #heldIn(rows: Rows): Held[] {
    return rows.flatMap(([height, times, text]) => {
      const held = { height: Number(height), record: recordOf(this.dataset, String(text)) };
      return Array<Held>(Number(times)).fill(held);
    });
  }

  #listSql(list: ServedList, heights: readonly number[], where: string): string {
    const height = identifier(this.dataset.heightColumn);
    const columns = [height, list.timesSql, recordSql(this.dataset)].join(', ');
    const rows = `FROM ${this.#scan(heights)} WHERE ${where} AND ${list.where}`;
    return `SELECT ${columns} FROM (SELECT *${this.dataset.ordering} ${rows})
      ORDER BY ${this.dataset.order}`;
  }

  #withinSql({ from, to }: Interval): string {
    return `${identifier(this.dataset.heightColumn)} BETWEEN ${from} AND ${to}`;
  }

  /** SQL for the files that may hold records between the lowest and the highest of the heights. */
  #scan(heights: readonly number[]): string {
    const range = { from: Math.min(...heights), to: Math.max(...heights) };
    const files = this.#files.filter((file) => overlaps(file.heights, range));
    const paths = (files.length === 0 ? this.#files : files).map(({ path }) => literal(path));
    return `read_parquet([${paths.join(', ')}])`;
  }
}

function partOf(held: readonly Held[]): Part {
  const read = async (skip: number, count: number) =>
    held.slice(skip, skip + count).map(({ record }) => record);
  return { count: held.length, read };
}

/** Whether the counts tell how many records lie in the interval, if small bands are read. */
function isKnownIn(span: Span, { from, to }: Interval): boolean {
  if (span.from > from || span.to < to) return false;
  return span.bands.every((band) => {
    const isCut = overlaps(band, { from, to }) && (band.from < from || band.to > to);
    return !isCut || band.count <= MOST_AT_ONCE;
  });
}
