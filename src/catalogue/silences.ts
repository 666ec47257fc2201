/** What the interface leaves open for several operations alike, and what windrow does. */

export const rangeEnd =
  'Whether endBlockHeight belongs to the range is said for the zone chain alone: windrow asks ' +
  'for ' +
  'one block more where it may and leaves out what lies beyond; the service counts it in, unless ' +
  'it is told otherwise.';

export const transactionTypes =
  'transactionType is documented as 0, 1 or 2, and type 3 exists on real chains: it is kept.';

export const operations =
  'Only call and staticcall are known as values of operation, and all allowed values are not ' +
  'shown: they are kept as served.';

export const actionTypes =
  'The allowed values of actionType are not shown: they are kept as served.';

export const hashNames =
  'A hash is asked for as txid in some operations and as txId in others: each is spelled as its ' +
  'own operation has it.';

export const numbers =
  'Heights, page and limit are Strings on the primary chain, Integer or Long in lists of the ' +
  'zone ' +
  'chain, and again String where one zone block is asked for: a query is text, and they are sent ' +
  'as decimal digits.';

export const detailForm =
  'Cross-chain details are ascribed to E13 and "E14-style lookups": E13a and E13b serve them, ' +
  'and ' +
  'E14 serves blocks.';

export const crossChainId =
  'id is the hash of the cross-chain transaction, which is asked for by a hash on the zone side, ' +
  'and the two need not be equal: records are matched by zoneTxHash.';

export const emptyState =
  'state is documented as pending or done, and empty in the sample: then it is NULL.';

export const pendingTransactions =
  'state can be pending, and how a record without a block looks is not shown: one that is ' +
  'pending and has neither height nor blockHash lands in pending_transactions, and any other ' +
  'record without a height in quarantine.';
