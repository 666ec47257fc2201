import * as ambiguity from '../../src/catalogue/ambiguities.ts';

/** Conformance findings that an entry explains in its own contradictions. */
export interface Exception {
  /** The exact text of the finding. */
  readonly finding: string;
  readonly path: string;
  /** The exact text of one of the entry's contradictions. */
  readonly contradiction: string;
  readonly reason: string;
}

const zoneBlocks = {
  path: 'mainchain/zone/block/block-list',
  contradiction:
    'The block record is attributed to E8, which does not exist, and the transaction summary to ' +
    'this operation: it serves blocks.',
};

export const exceptions: readonly Exception[] = [
  {
    ...zoneBlocks,
    finding: 'Zone transaction summary record is ascribed to E4, E5, E6, E7, used by E4, E5, E6',
    reason: 'The response of E7 names the block record, and a block list lists blocks.',
  },
  {
    ...zoneBlocks,
    finding: 'Zone block record is ascribed to E8, used by E7',
    reason: 'There is no E8, and no other operation answers with blocks of the zone chain.',
  },
  {
    finding: 'Cross-chain record (detail form) is ascribed to E13, E14, used by E13a, E13b',
    path: 'mainchain/zone/cross/transaction-fills',
    contradiction: ambiguity.detailForm,
    reason: 'E13 has two operations, and E14 has a record of its own.',
  },
  {
    finding: 'mainchain/address/token-transaction-list: protocolType is required and has a default',
    path: 'mainchain/address/token-transaction-list',
    contradiction:
      'protocolType is required and has a documented default, token_20: windrow always sends ' +
      'it, and the service uses the default where it is missing.',
    reason: 'The two make no difference to a client that sends the parameter.',
  },
  {
    finding:
      'mainchain/zone/block/transaction-list-multi: it is paged, and its reply has no paging ' +
      'fields',
    path: 'mainchain/zone/block/transaction-list-multi',
    contradiction:
      'It takes page and limit, but its answer has neither paging fields nor the total that is ' +
      'documented for lists of the zone chain: windrow takes an empty page as the end.',
    reason: 'The request and the response are stated apart, and each is followed.',
  },
  {
    finding:
      'mainchain/address/normal-transaction-list-multi: ' +
      'unit of gasUsed: wei in the interface, gas here',
    path: 'mainchain/address/normal-transaction-list-multi',
    contradiction: 'gasUsed is documented in wei: windrow reads it as an amount of gas.',
    reason: 'Gas is counted in gas; only its price is in wei.',
  },
  {
    finding:
      'mainchain/transaction/token-transfer-multi: values of protocolType: ' +
      'none in the interface, token_20, token_721, token_1155, token_10 here',
    path: 'mainchain/transaction/token-transfer-multi',
    contradiction:
      'The interface does not list the values of protocolType: windrow uses those of the token ' +
      'transfers of an address.',
    reason: 'The same name has these values in two other operations.',
  },
  {
    finding:
      'mainchain/transaction/token-transfer-multi: page size: none in the interface, 100 / 20 here',
    path: 'mainchain/transaction/token-transfer-multi',
    contradiction: 'The interface gives no maximum and default of limit: windrow uses 100 and 20.',
    reason: 'A paged list needs both numbers.',
  },
  {
    finding:
      'mainchain/transaction/internal-transaction-detail: ' +
      'page size: none in the interface, 100 / 20 here',
    path: 'mainchain/transaction/internal-transaction-detail',
    contradiction: 'The interface gives no maximum and default of limit: windrow uses 100 and 20.',
    reason: 'A paged list needs both numbers.',
  },
];
