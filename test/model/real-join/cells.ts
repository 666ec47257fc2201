import { heightOf, type Real } from './records.ts';

/** A cell as text: booleans as true and false, times in ms, doubles as JavaScript prints them. */
export type Cell = string | null;
export type Row = Readonly<Record<string, Cell>>;

/** A field of a record; NULL if it is empty, or if no list that holds the record serves it. */
export function served(record: Real, field: string, isServed = true): Cell {
  const value = record[field];
  return !isServed || value === undefined || value === '' ? null : String(value);
}

/** The digits of DECIMAL(38, 18), or NULL where the amount does not fit. */
export function decimal(text: Cell): Cell {
  if (text === null) return null;
  const [whole = '', fraction = ''] = text.split('.');
  return whole.length > 20 || fraction.length > 18 ? null : `${whole}.${fraction.padEnd(18, '0')}`;
}

export function double(text: Cell): Cell {
  return text === null ? null : String(Number(text));
}

/** An amount under its three names. */
export function amounts(name: string, text: Cell): Row {
  return { [`${name}_text`]: text, [name]: decimal(text) };
}

/** Height, time and date of the block of a record. */
export function placed(record: Real, timeField: string): Row {
  const time = Number(record[timeField]);
  return {
    block_number: String(heightOf(record)),
    block_time: String(time),
    block_date: new Date(time).toISOString().slice(0, 10),
  };
}

export function hasSucceeded(status: Cell | undefined): Cell {
  if (status === 'success') return 'true';
  return status === 'fail' ? 'false' : null;
}
