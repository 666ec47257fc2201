import { parseMoment } from '../../../src/pipeline/syntax/moment.ts';
import {
  type ActivityFilter,
  CHAINS,
  DIRECTIONS,
  LEGS,
  NATIVE,
  type RangeEnd,
} from './facts/activity-filter.ts';
import type { ListPlace } from './facts/activity-rows.ts';
import { badRequest } from './page-problem.ts';

/** The parameters of pages. All functions throw a PageProblem(400) for invalid values. */

export type Parameters = ReadonlyMap<string, string>;

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const HEIGHT = /^[0-9]{1,15}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;
const MOST_SKIPPED = 1_000_000;

/** Values by name; empty ones count as absent, because forms send them. */
export function parametersIn(search: string, allowed: readonly string[]): Parameters {
  const found = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(search)) {
    if (!allowed.includes(name)) {
      const names = allowed.length === 0 ? 'none' : allowed.join(', ');
      throw badRequest(`The page has no such parameter. Its parameters: ${names}.`);
    }
    if (found.has(name)) throw badRequest(`The parameter ${name} is given twice.`);
    if (value.trim() !== '') found.set(name, value.trim());
  }
  return found;
}

export const ACTIVITY_PARAMETERS = ['chain', 'kind', 'direction', 'token', 'from', 'to', 'at'];

export function activityFilter(address: string, given: Parameters): ActivityFilter {
  const chain = oneOf(given, 'chain', CHAINS) ?? 'primary';
  return {
    address,
    chain,
    leg: oneOf(given, 'kind', LEGS[chain]),
    direction: oneOf(given, 'direction', DIRECTIONS),
    token: tokenIn(given),
    from: rangeEnd(given, 'from'),
    to: rangeEnd(given, 'to'),
  };
}

function oneOf<T extends string>(
  given: Parameters,
  name: string,
  allowed: readonly T[],
): T | undefined {
  const value = given.get(name);
  if (value === undefined) return undefined;
  const found = allowed.find((each) => each === value);
  if (found === undefined) throw badRequest(`${name} is one of ${allowed.join(', ')}.`);
  return found;
}

function tokenIn(given: Parameters): string | undefined {
  const token = given.get('token');
  if (token === undefined || token === NATIVE) return token;
  if (!ADDRESS.test(token)) {
    throw badRequest(`token is the address of a contract (0x and 40 digits), or ${NATIVE}.`);
  }
  return token.toLowerCase();
}

function rangeEnd(given: Parameters, name: 'from' | 'to'): RangeEnd | undefined {
  const value = given.get(name);
  if (value === undefined) return undefined;
  if (HEIGHT.test(value)) return { block: Number(value) };
  try {
    const atMs = parseMoment(value, name);
    // A whole day lies within a range that ends with it.
    return { atMs: name === 'to' && DAY.test(value) ? atMs + DAY_MS - 1 : atMs };
  } catch {
    throw badRequest(
      `${name} is a height, or a time in UTC such as 2026-01-31 or 2026-01-31T12:00.`,
    );
  }
}

/** A place in a list: a height, and after a hyphen the rows of it that were listed before. */
export function placeIn(given: Parameters): ListPlace | undefined {
  const value = given.get('at');
  if (value === undefined) return undefined;
  const [, block = '', skip = '0'] = /^([0-9]{1,15})(?:-([0-9]{1,7}))?$/.exec(value) ?? [];
  if (block === '' || Number(skip) > MOST_SKIPPED) {
    throw badRequest('at is a height, such as the links of a page give.');
  }
  return { block: Number(block), skip: Number(skip) };
}

export function skipIn(given: Parameters): number {
  const value = given.get('skip') ?? '0';
  if (!/^[0-9]{1,7}$/.test(value) || Number(value) > MOST_SKIPPED) {
    throw badRequest(`skip is a number from 0 to ${MOST_SKIPPED}.`);
  }
  return Number(value);
}
