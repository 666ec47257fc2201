import type { Param } from './entry.ts';

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

export const page: Param = {
  name: 'page',
  type: 'String',
  required: false,
  meaning: 'page',
  role: 'page',
};

export const limit: Param = {
  name: 'limit',
  type: 'String',
  required: false,
  meaning: 'page size',
  role: 'limit',
};

/** Parameters that the lists of the zone chain share. */

export const zonePage: Param = {
  name: 'page',
  type: 'Integer',
  required: false,
  meaning: 'page',
  role: 'page',
  default: '1',
};

export const zoneLimit: Param = {
  name: 'limit',
  type: 'Integer',
  required: false,
  meaning: 'page size',
  role: 'limit',
};

export const zoneFrom: Param = {
  name: 'startBlockHeight',
  type: 'Long',
  required: false,
  meaning: 'inclusive start',
  role: 'from-block',
};

export const zoneTo: Param = {
  name: 'endBlockHeight',
  type: 'Long',
  required: false,
  meaning: 'inclusive end',
  role: 'to-block',
};

/** The four protocol types of tokens. */
export const TOKEN_STANDARDS = ['token_20', 'token_721', 'token_1155', 'token_10'] as const;
