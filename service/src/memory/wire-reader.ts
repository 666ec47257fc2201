import type { ColumnWord } from '../../../src/catalogue/entry.ts';
import { datasetNamed, datasetsOf, endpoints, equalsParams } from '../../../src/catalogue/index.ts';
import type { CanonicalRecord, WireRecord } from '../../../src/catalogue/record.ts';
import { isSnapshot } from './snapshots.ts';

/**
 * A reader of one dataset's records from JSON text with the interface's field names. It knows the
 * names of every endpoint that feeds the dataset, in all spellings, and the parameters that stand
 * for a column. A column without a field goes by its own name. Throws an Error with the reason for
 * text that is not a record.
 */
export function recordReader(dataset: string): (text: string) => CanonicalRecord {
  const words = wordsByWireName(dataset);
  const { heightColumn } = datasetNamed(dataset);
  const hasHeights = !isSnapshot(datasetNamed(dataset));
  return (text) => {
    const record: Record<string, string | boolean | null> = {};
    for (const [name, value] of Object.entries(objectIn(text))) {
      const word = words.get(name);
      if (word === undefined) continue;
      const canonical = canonicalValue(word, name, value);
      const before = record[word.column];
      if (before !== undefined && before !== canonical) {
        throw new Error(`${name} is given in two spellings with different values`);
      }
      record[word.column] = canonical;
    }
    if (hasHeights && typeof record[heightColumn] !== 'string') {
      throw new Error('the record has no height');
    }
    return record;
  };
}

function wordsByWireName(dataset: string): Map<string, ColumnWord> {
  const words = new Map<string, ColumnWord>();
  const learn = (name: string, word: ColumnWord): void => {
    if (!words.has(name)) words.set(name, word);
  };
  const feeding = endpoints.filter((entry) => datasetsOf(entry).includes(dataset));
  for (const entry of feeding) {
    for (const field of entry.fields) {
      for (const name of [field.wire, ...field.aliases]) learn(name, field);
    }
  }
  for (const param of feeding.flatMap(equalsParams)) learn(param.name, param.column);
  for (const word of datasetNamed(dataset).words ?? []) learn(word.column, word);
  return words;
}

function objectIn(text: string): WireRecord {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error('the line is not a JSON object');
  }
  return value as WireRecord;
}

function canonicalValue(word: ColumnWord, name: string, value: unknown): string | boolean | null {
  if (value === '') return null;
  if (word.kind.wire === 'boolean') {
    if (typeof value === 'boolean') return value;
    throw new Error(`${name} is not true or false`);
  }
  if (typeof value !== 'string') throw new Error(`${name} is not a string`);
  const canonical = word.kind.canonical(value);
  if (canonical === undefined) throw new Error(`${name} is not of kind ${word.kind.name}`);
  return canonical;
}
