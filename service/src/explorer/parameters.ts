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
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(search)) {
    if (!allowed.includes(name)) {
      const names = allowed.length === 0 ? 'none' : allowed.join(', ');
      throw badRequest(`The page has no such parameter. Its parameters: ${names}.`);
    }
    if (parameters.has(name)) throw badRequest(`The parameter ${name} is given twice.`);
    if (value.trim() !== '') parameters.set(name, value.trim());
  }
  return parameters;
}

export const ACTIVITY_PARAMETERS = ['chain', 'kind', 'direction', 'token', 'from', 'to', 'at'];

export function activityFilter(address: string, parameters: Parameters): ActivityFilter {
  const chain = oneOf(parameters, 'chain', CHAINS) ?? 'primary';
  return {
    address,
    chain,
    leg: oneOf(parameters, 'kind', LEGS[chain]),
    direction: oneOf(parameters, 'direction', DIRECTIONS),
    token: tokenIn(parameters),
    from: rangeEnd(parameters, 'from'),
    to: rangeEnd(parameters, 'to'),
  };
}

function oneOf<T extends string>(
  parameters: Parameters,
  name: string,
  allowed: readonly T[],
): T | undefined {
  const value = parameters.get(name);
  if (value === undefined) return undefined;
  const match = allowed.find((option) => option === value);
  if (match === undefined) throw badRequest(`${name} is one of ${allowed.join(', ')}.`);
  return match;
}

function tokenIn(parameters: Parameters): string | undefined {
  const token = parameters.get('token');
  if (token === undefined || token === NATIVE) return token;
  if (!ADDRESS.test(token)) {
    throw badRequest(`token is the address of a contract (0x and 40 digits), or ${NATIVE}.`);
  }
  return token.toLowerCase();
}

function rangeEnd(parameters: Parameters, name: 'from' | 'to'): RangeEnd | undefined {
  const value = parameters.get(name);
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
export function placeIn(parameters: Parameters): ListPlace | undefined {
  const value = parameters.get('at');
  if (value === undefined) return undefined;
  const [, block = '', skip = '0'] = /^([0-9]{1,15})(?:-([0-9]{1,7}))?$/.exec(value) ?? [];
  if (block === '' || Number(skip) > MOST_SKIPPED) {
    throw badRequest('at is a height, such as the links of a page give.');
  }
  return { block: Number(block), skip: Number(skip) };
}

export function skipIn(parameters: Parameters): number {
  const value = parameters.get('skip') ?? '0';
  if (!/^[0-9]{1,7}$/.test(value) || Number(value) > MOST_SKIPPED) {
    throw badRequest(`skip is a number from 0 to ${MOST_SKIPPED}.`);
  }
  return Number(value);
}
