import type { Endpoint, Field } from '../../src/catalogue/entry.ts';
import type { WireRecord } from '../../src/catalogue/record.ts';
import type { List } from '../../src/coverage/list.ts';
import type { Chance } from './chance.ts';
import { HOSTILE_KEYS } from './hostile-records.ts';

/**
 * Records whose values are right, at and around the bounds of their usual spelling: long and short
 * numbers, zeros in front and behind, upper case, several addresses, escapes, nothing at all. Some
 * come again, also in other spellings.
 */
export function usualRecords({ entry }: List, count: number, chance: Chance): WireRecord[] {
  const names = entry.fields.map(({ wire, aliases }) => chance.pick([wire, ...aliases]));
  const isLacking = chance.is(0.2);
  const left = isLacking ? chance.between(0, names.length - 1) : -1;
  const records: WireRecord[] = [];
  while (records.length < count) {
    const before = records.at(-1);
    if (before !== undefined && chance.is(0.2)) {
      records.push(chance.is(0.5) ? { ...before } : respelled(entry, before, chance));
      continue;
    }
    const members = entry.fields.flatMap((field, i): [string, unknown][] => {
      return i === left ? [] : [[names[i] ?? '', anyValue(field, chance)]];
    });
    records.push(Object.fromEntries(members));
  }
  return records;
}

/** The same record with some values in other spellings of the same content. */
function respelled({ fields }: Endpoint, record: WireRecord, chance: Chance): WireRecord {
  const members = Object.entries(record).map(([name, value]): [string, unknown] => {
    const field = fields.find(({ wire, aliases }) => [wire, ...aliases].includes(name));
    const kind = field?.kind.name ?? '';
    if (typeof value !== 'string' || value === '' || chance.is(0.5)) return [name, value];
    if (['hash', 'party', 'address'].includes(kind)) {
      return [name, value.replace(/[a-f]/g, (letter) => letter.toUpperCase())];
    }
    return [name, ['height', 'count', 'quantity'].includes(kind) ? `0${value}` : value];
  });
  return Object.fromEntries(members);
}

function anyValue({ kind }: Field, chance: Chance): unknown {
  if (chance.is(0.03)) return chance.is(0.5) ? '' : null;
  const digits = (least: number, most: number): string =>
    Array.from({ length: chance.between(least, most) }, () => chance.between(0, 9)).join('');
  const hex = (text: string): string => (chance.is(0.2) ? text.toUpperCase() : text);
  switch (kind.name) {
    case 'hash':
      return `0x${hex(chance.pick(['ab12', 'cd34', 'ef'.repeat(32), digits(1, 64)]))}`;
    case 'party': {
      const one = (): string => `0x${hex(chance.pick(HOSTILE_KEYS).slice(2))}`;
      return chance.pick([one, () => `${one()},${one()}`, () => `${one()} , ${one()}`])();
    }
    case 'address':
      return `0x${hex(chance.pick(HOSTILE_KEYS).slice(2))}`;
    case 'height':
      return chance.pick([String(chance.between(1, 5)), `00${chance.between(1, 5)}`, '999']);
    case 'time':
      return chance.pick([digits(1, 15), String(1_700_000_000_000 + chance.between(0, 9))]);
    case 'count':
      return chance.pick([digits(1, 18), '0', '000', '999999999999999999']);
    case 'quantity':
      return chance.pick([digits(1, 38), '9'.repeat(37), '9'.repeat(38), '0', '00']);
    case 'integer':
      return `${chance.pick(['', '-'])}${digits(1, 80)}`;
    case 'amount': {
      const whole = `${chance.pick(['', '', '-'])}${chance.pick(['0', '00', digits(1, 40)])}`;
      return chance.is(0.5)
        ? whole
        : `${whole}.${chance.pick([digits(1, 19), '0', '5'.repeat(18)])}`;
    }
    case 'flag':
      return chance.pick([true, false, 'true', 'false']);
    default:
      return chance.pick([
        'x',
        '0',
        'a"b',
        '\\',
        '/\n\t',
        'é😀',
        'A,b',
        ' ',
        'İ',
        '\u2028',
        '\u007f',
      ]);
  }
}

/** The JSON text of a reply with these records, in one of the forms that services send. */
export function replyText({ entry }: List, records: readonly unknown[], chance: Chance): string {
  const { reply } = entry;
  const paging = { page: '1', limit: '100', totalPage: '1' };
  const data = reply.shape === 'paged' ? [{ ...paging, [reply.list]: records }] : records;
  const body = { code: '0', msg: '', data };
  const text = chance.is(0.7) ? JSON.stringify(body) : JSON.stringify(body, null, 1);
  if (chance.is(0.1)) return text.replaceAll('/', '\\/');
  if (chance.is(0.1)) return text.replace('"0x', '"\\u0030x');
  // A repeated name: the last one counts.
  if (chance.is(0.1)) return text.replace('"0x', '"0xff","again":"1","again":"0x');
  return text;
}
