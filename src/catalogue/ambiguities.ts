/** Ambiguities that several operations of the interface share, each with windrow's decision. */

export const rangeEnd =
  'Only ranges of the zone chain are said to include endBlockHeight: windrow requests one more ' +
  'block where the span allows it and drops records outside the range; the service includes it.';

export const transactionTypes =
  'transactionType is documented as 0, 1 or 2, but type 3 exists on real chains: windrow keeps ' +
  'every value.';

export const operations =
  'The interface names call and staticcall as values of operation and gives no full list: ' +
  'windrow keeps the value as served.';

export const actionTypes =
  'The interface does not list the values of actionType: windrow keeps the value as served.';

export const hashNames =
  'The hash parameter is called txid in some operations and txId in others: windrow uses the ' +
  'spelling of each operation.';

export const numbers =
  'Heights, page and limit are Strings in some operations, Integer or Long in others: windrow ' +
  'sends decimal digits.';

export const detailForm =
  'Cross-chain details are attributed to E13 and to "E14-style lookups": E13a and E13b serve ' +
  'them, and E14 serves blocks.';

export const crossChainId =
  'id is the hash of the cross-chain transaction, but look-ups take the hash of the zone ' +
  'transaction, and the two may differ: windrow matches records by zoneTxHash.';

export const emptyState =
  'state is documented as pending or done, but the sample has an empty text: windrow lands NULL.';

export const pendingTransactions =
  'state can be pending, but the interface shows no record without a block: windrow lands a ' +
  'pending record without height and blockHash in pending_transactions, and any other record ' +
  'without a height in quarantine.';
