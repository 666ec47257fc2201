import type { Entry } from '../lists.ts';
import type { Fault } from '../server.ts';
import { changed } from './facts.ts';

/** Values in other spellings, and values outside their pattern, always in the same records. */

type Wire = Entry['wire'];

/** One of `every` records has the fields that `change` makes of it. */
function inSome(name: string, every: number, change: (wire: Wire) => Wire): Fault {
  return changed(`${name}, in 1 of ${every}`, [], (wire, { index }) =>
    index % every === 0 ? { ...wire, ...change(wire) } : wire,
  );
}

/** The fields that the record has, in another spelling. */
function spelled(wire: Wire, names: readonly string[], spelling: (text: string) => string): Wire {
  const texts = names.filter((name) => typeof wire[name] === 'string' && wire[name] !== '');
  return Object.fromEntries(texts.map((name) => [name, spelling(String(wire[name]))]));
}

const AMOUNTS = ['amount', 'txFee'];
const NUMBERS = ['nonce', 'index', 'gasUsed', 'gasPrice', 'gasLimit', 'transactionTime'];
const HEIGHTS = ['height', 'blockHeight'];

/** Other texts of the same numbers. */
const SPELLINGS: Readonly<Record<string, (wire: Wire) => Wire>> = {
  'amounts with exponents': (wire) =>
    spelled(wire, AMOUNTS, (text) => {
      const [whole = '', part = ''] = text.split('.');
      return `${whole}${part}E-${part.length}`;
    }),
  'amounts without a zero before or a digit after the point': (wire) =>
    spelled(wire, AMOUNTS, (text) => (text.includes('.') ? text.replace(/^0\./, '.') : `${text}.`)),
  'whole numbers with exponents': (wire) => spelled(wire, NUMBERS, (text) => `${text}E0`),
  'whole numbers with a plus or blanks': (wire) =>
    spelled(wire, [...NUMBERS, ...AMOUNTS], (text) => ` ${text}\u00a0`),
  'heights with a point': (wire) => spelled(wire, HEIGHTS, (text) => `${text}.0`),
};

/** Values of fields that no column compared here has. */
const OUTSIDE: Readonly<Record<string, Wire>> = {
  'the largest gas limit': { gasLimit: '18446744073709551615', gasUsed: '18446744073709551615' },
  'gas that is no number': { gasLimit: 'n/a', gasUsed: '-1', gasPrice: '0x3b9aca00' },
  'numbers of 60 digits': { gasLimit: '9'.repeat(60), gasPrice: '9'.repeat(60) },
  'a fee that is no number': { txFee: 'NaN' },
  'a flag as text': { isFromContract: 'yes', isToContract: 7 },
  'objects in place of texts': { symbol: { name: 'ETH' }, methodId: ['0x'] },
};

export const ODD_VALUES = [...Object.keys(SPELLINGS), ...Object.keys(OUTSIDE)];

export function oddValues(name: string, every: number): Fault {
  return inSome(name, every, (wire) => {
    const names = Object.entries(OUTSIDE[name] ?? {}).filter(([field]) => field in wire);
    return SPELLINGS[name]?.(wire) ?? Object.fromEntries(names);
  });
}

/** Records without a height, or with one outside of its pattern. */
export function withoutHeight(text: string, every: number): Fault {
  return inSome(`height ${JSON.stringify(text)}`, every, (wire) =>
    spelled(wire, HEIGHTS, () => text),
  );
}

export const PADDINGS = [' ', '\u00a0', '\n', '\t', '\u200b', '\ufeff', '\r\n', '\u2060'];
const ADDRESSES = ['from', 'to', 'tokenContractAddress'];

/** Addresses with a padding around them, in capitals or not. */
export function paddedAddresses(
  padding: string,
  side: 'before' | 'after' | 'both',
  every: number,
): Fault {
  const [before, after] = [side === 'after' ? '' : padding, side === 'before' ? '' : padding];
  return inSome(`${JSON.stringify(padding)} ${side}`, every, (wire) =>
    spelled(wire, ADDRESSES, (text) => `${before}0x${text.slice(2).toUpperCase()}${after}`),
  );
}
