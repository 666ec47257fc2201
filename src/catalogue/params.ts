import type { Param } from './entry.ts';

/** Parameters that several endpoints of the primary chain share, word for word. */

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
