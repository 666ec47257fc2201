import type { Field } from '../../src/catalogue/entry.ts';
import type { WireRecord } from '../../src/catalogue/record.ts';
import type { List } from '../../src/coverage/list.ts';
import type { Chance } from './chance.ts';

/** Few addresses, so that records match several keys, several times. */
export const HOSTILE_KEYS: readonly string[] = ['a', 'b', 'c', 'd'].map(
  (digit) => `0x${digit.repeat(40)}`,
);

const WRONG: readonly unknown[] = [
  ' ',
  '0x',
  '0xZZ',
  'null',
  'NaN',
  '1e18',
  '1E-7',
  '-0',
  '+5',
  '.5',
  '5.',
  '00012',
  '1.50',
  '12345678901234567890.000000000000000001',
  '0.0000000000000000001',
  '0.1000000000000000000000',
  '99999999999999999999.999999999999999999',
  '100000000000000000000',
  '9223372036854775807',
  '9223372036854775808',
  '9'.repeat(38),
  '9'.repeat(39),
  '9'.repeat(80),
  '-9007199254740993',
  '1234567890123456',
  '\u0000',
  'é 漢字 😀 \ud800',
  '" \\ \n \u2028',
  ' 0xAB , 0xcd,0xab ',
  '0xab,,0xcd',
  ',',
  'TRUE',
  true,
  false,
  0,
  -1,
  7,
  Number.MAX_SAFE_INTEGER,
  [],
  ['0xab'],
  {},
  { a: { b: [1, null, 'x'] } },
  [null],
];

function rightValue({ kind }: Field, chance: Chance): unknown {
  const digits = (most: number): string =>
    Array.from({ length: chance.between(1, most) }, () => chance.between(0, 9)).join('');
  const inCase = (text: string): string => (chance.is(0.2) ? text.toUpperCase() : text);
  switch (kind.name) {
    case 'hash':
      return `0x${inCase(chance.pick(['ab12', 'cd34', 'ef'.repeat(32)]))}`;
    case 'party': {
      const one = (): string => `0x${inCase(chance.pick(HOSTILE_KEYS).slice(2))}`;
      return chance.is(0.15) ? `${one()}, ${one()}` : one();
    }
    case 'address':
      return chance.pick(HOSTILE_KEYS);
    case 'height':
      return chance.is(0.1) ? chance.between(1, 5) : String(chance.between(1, 5));
    case 'time':
      return String(1_700_000_000_000 + chance.between(0, 9));
    case 'amount':
      return chance.is(0.5) ? digits(24) : `${digits(3)}.${digits(20)}`;
    case 'flag':
      return chance.is(0.5);
    case 'text':
      return chance.pick(['x', '0', 'success', 'pending', 'é😀', '0x']);
    default:
      return digits(chance.is(0.1) ? 45 : 12);
  }
}

/** Records of one walk: mostly right, with wrong values, drift, other orders and copies. */
export function hostileRecords(
  { entry }: List,
  count: number,
  chance: Chance,
): readonly WireRecord[] {
  const records: WireRecord[] = [];
  // Half of the walks have hardly a broken record, so that most of their copies land.
  const isTame = chance.is(0.5);
  while (records.length < count) {
    const before = records.at(-1);
    if (before !== undefined && chance.is(0.25)) records.push(variation(before, entry.fields));
    else records.push(freshRecord(entry.fields));
  }
  return records;

  function freshRecord(fields: readonly Field[]): WireRecord {
    const members: [string, unknown][] = [];
    for (const field of fields) {
      if (chance.is(0.03)) continue;
      const value = anyValue(field);
      const names = [field.wire, ...field.aliases];
      members.push([chance.pick(names), value]);
      if (chance.is(0.05)) {
        members.push([chance.pick(names), chance.is(0.5) ? value : anyValue(field)]);
      }
    }
    if (chance.is(0.1)) members.push([chance.pick(['new', 'Neu', '1', 'constructor']), unknown()]);
    if (chance.is(0.05)) members.reverse();
    return Object.fromEntries(members);
  }

  function variation(before: WireRecord, fields: readonly Field[]): WireRecord {
    const members = Object.entries(before);
    if (chance.is(0.3)) members.reverse();
    const copy: Record<string, unknown> = Object.fromEntries(members);
    if (chance.is(0.4)) {
      const changed = chance.pick(fields);
      copy[changed.wire] = anyValue(changed);
    }
    return copy;
  }

  function anyValue(field: Field): unknown {
    if (chance.is(0.06)) return chance.is(0.7) ? '' : null;
    if (chance.is(isTame ? 0.003 : 0.03)) return chance.pick(WRONG);
    return rightValue(field, chance);
  }

  function unknown(): unknown {
    return chance.is(0.5) ? chance.pick(WRONG) : null;
  }
}
