import { compareDecimals } from '../../../src/catalogue/decimal.ts';
import type { Selection } from '../protocol/source.ts';
import type { ServedDataset } from './columns.ts';
import { type Conditions, conditionsOf } from './conditions.ts';

/** A selection without its heights, as SQL over the curated table of its dataset. */
export class ServedList {
  /** Equal for equal selections, whatever their heights. */
  readonly text: string;
  readonly where: string;
  /** The times that a row is listed. */
  readonly timesSql: string;
  /** Values that SQL cannot compare. */
  readonly openSql: readonly string[];
  readonly #open: Conditions['open'];

  constructor(of: ServedDataset, asked: Selection) {
    const { keys, filters, bounds, oncePerKey } = asked;
    const { where, open, keysNamed } = conditionsOf(of, asked);
    this.text = JSON.stringify([keys, filters, bounds, oncePerKey]);
    this.where = ['true', ...where].join(' AND ');
    this.timesSql = keysNamed === undefined ? '1' : `len(${keysNamed})`;
    this.openSql = open.map(({ text }) => text);
    this.#open = open;
  }

  /** Whether SQL alone decides which rows are listed, each once. */
  get isPlain(): boolean {
    return this.openSql.length === 0 && this.timesSql === '1';
  }

  /** Whether a row is listed, by its values of `openSql`. */
  isWithin(values: readonly unknown[]): boolean {
    return this.#open.every(({ bound: { least, most } }, i) => {
      const value = values[i];
      if (typeof value !== 'string') return true;
      if (least !== undefined && compareDecimals(value, least) < 0) return false;
      return most === undefined || compareDecimals(value, most) <= 0;
    });
  }
}
