import type { Endpoint } from './entry.ts';
import type { WireRecord } from './record.ts';
import { type ListedRecord, RecordText, SPACE, TextFormat } from './record-text.ts';

/** Reads the records of a list in the text of a reply. */

/** Most formats of one endpoint: a service that shuffles its fields would make ever more. */
const MAX_FORMATS = 16;

/** The formats of an endpoint by names; undefined where records of these names have none. */
const formats = new WeakMap<Endpoint, Map<string, TextFormat | undefined>>();

function formatOf(entry: Endpoint, names: readonly string[]): TextFormat | undefined {
  const known = formats.get(entry) ?? new Map<string, TextFormat | undefined>();
  formats.set(entry, known);
  const id = JSON.stringify(names);
  if (known.has(id) || known.size >= MAX_FORMATS) return known.get(id);
  const format = TextFormat.of(entry, names);
  known.set(id, format);
  return format;
}

/** The records of a list in a body, and the index after the last one. */
export interface RecordsInText {
  readonly records: readonly ListedRecord[];
  readonly end: number;
}

const STRING = '"[^"\\\\\\x00-\\x1f]*(?:\\\\.[^"\\\\\\x00-\\x1f]*)*"';
const FLAT_MEMBER = `${STRING}${SPACE}:${SPACE}(?:${STRING}|[-+.0-9a-zA-Z]+)${SPACE}`;
/** One object without lists or objects in it. */
const FLAT = new RegExp(`\\{${SPACE}(?:${FLAT_MEMBER}(?:,${SPACE}${FLAT_MEMBER})*)?\\}`, 'y');
const BETWEEN = new RegExp(`${SPACE}(,?)${SPACE}`, 'y');

/**
 * Reads the records of a JSON list from `start`, behind its bracket. Records with another spelling
 * than the usual one are parsed. undefined where a record cannot be read on its own.
 */
export function recordsIn(entry: Endpoint, body: string, start: number): RecordsInText | undefined {
  const records: ListedRecord[] = [];
  let format: TextFormat | undefined;
  let at = start;
  for (;;) {
    let record: ListedRecord | undefined = format?.read(body, at);
    if (record instanceof RecordText) at += record.text.length;
    else {
      FLAT.lastIndex = at;
      const [flat] = FLAT.exec(body) ?? [];
      if (flat === undefined) return undefined;
      const parsed = parsedObject(flat);
      if (parsed === undefined) return undefined;
      format = formatOf(entry, Object.keys(parsed)) ?? format;
      record = format?.read(body, at) ?? parsed;
      at += flat.length;
    }
    records.push(record);
    BETWEEN.lastIndex = at;
    const isLast = BETWEEN.exec(body)?.[1] === '';
    at = BETWEEN.lastIndex;
    if (isLast) return { records, end: at };
  }
}

function parsedObject(text: string): WireRecord | undefined {
  try {
    return JSON.parse(text) as WireRecord;
  } catch {
    return undefined;
  }
}
