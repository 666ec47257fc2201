import type { ColumnWord, Param } from './entry.ts';

/** Parameters that several endpoints of the primary chain share. */

export const chain: Param = {
  name: 'chainShortName',
  type: 'String',
  required: true,
  meaning: 'chain',
  role: 'chain',
};

export const side: Param = {
  name: 'isFromOrTo',
  type: 'String',
  required: false,
  meaning: 'from keeps records where the address is the sender, to where it is the recipient',
  role: 'side',
  values: ['from', 'to'],
  from: 'from_address',
  to: 'to_address',
};

export const oneAddress = {
  name: 'address',
  type: 'String',
  required: true,
  meaning: 'address',
  role: 'keys',
  keyKind: 'address',
  max: 1,
  columns: ['from_address', 'to_address'],
} as const satisfies Param;

export const addresses: Param = {
  ...oneAddress,
  meaning: 'up to 20 addresses separated by commas',
  max: 20,
};

/** Up to `max` hashes of transactions, by the name of the parameter. */
export function hashes(name: string, meaning: string, max: number, column = 'tx_hash'): Param {
  return {
    name,
    type: 'String',
    required: true,
    meaning,
    role: 'keys',
    keyKind: 'transaction',
    max,
    columns: [column],
  };
}

export const blockFrom: Param = {
  name: 'startBlockHeight',
  type: 'String',
  required: false,
  meaning: 'starting block height',
  role: 'from-block',
};

export const blockTo: Param = {
  name: 'endBlockHeight',
  type: 'String',
  required: false,
  meaning: 'ending block height',
  role: 'to-block',
};

/** The bounds of lists with a limit of blocks. */
export const windowFrom: Param = { ...blockFrom, required: true, meaning: 'start block' };
export const windowTo: Param = {
  ...blockTo,
  required: true,
  meaning: 'end block; the difference from the start must not exceed 10,000 blocks',
};

export const blockHeight: Param = {
  name: 'height',
  type: 'String',
  required: true,
  meaning: 'block height',
  role: 'height',
};

/** A filter that requests may leave out. */
export function filterBy(
  name: string,
  meaning: string,
  column: ColumnWord,
  more: Partial<Extract<Param, { role: 'equals' }>> = {},
): Param {
  return { name, type: 'String', required: false, meaning, role: 'equals', column, ...more };
}

export const page: Param = {
  name: 'page',
  type: 'String',
  required: false,
  meaning: 'page',
  role: 'page',
};

export const limit: Param = { ...page, name: 'limit', meaning: 'page size', role: 'limit' };

/** Parameters that the lists of the zone chain share. */

export const zonePage: Param = { ...page, type: 'Integer', default: '1' };
export const zoneLimit: Param = { ...limit, type: 'Integer' };
export const zoneFrom: Param = { ...blockFrom, type: 'Long', meaning: 'inclusive start' };
export const zoneTo: Param = { ...blockTo, type: 'Long', meaning: 'inclusive end' };

export const heightFilter: Param = {
  ...blockHeight,
  required: false,
  meaning: 'filter by block height',
};

/** The four protocol types of tokens. */
export const TOKEN_STANDARDS = ['token_20', 'token_721', 'token_1155', 'token_10'] as const;
