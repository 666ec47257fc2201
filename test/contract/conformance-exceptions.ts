import * as silence from '../../src/catalogue/silences.ts';

/** Where the catalogue cannot follow the document, and says so itself. */
export interface Exception {
  /** The finding, to the letter. */
  readonly finding: string;
  readonly path: string;
  /** One of the entry's contradictions, to the letter. */
  readonly contradiction: string;
  readonly reason: string;
}

const zoneBlocks = {
  path: 'mainchain/zone/block/block-list',
  contradiction:
    'The block record is ascribed to an E8 that does not exist, and the transaction summary to ' +
    'this operation: it answers with blocks.',
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
    contradiction: silence.detailForm,
    reason: 'E13 has two operations, and E14 has a record of its own.',
  },
  {
    finding: 'mainchain/address/token-transaction-list: protocolType is required and has a default',
    path: 'mainchain/address/token-transaction-list',
    contradiction:
      'protocolType is required and has a documented default, token_20: it is always sent, and ' +
      'the service takes the default where it is missing.',
    reason: 'Both are kept, and nobody who sends it can tell them apart.',
  },
  {
    finding:
      'mainchain/zone/block/transaction-list-multi: it is paged, and its reply has no paging ' +
      'fields',
    path: 'mainchain/zone/block/transaction-list-multi',
    contradiction:
      'It takes page and limit, and its answer has neither paging fields nor the total that ' +
      'lists ' +
      'of the zone chain are said to carry: only an empty page is its end.',
    reason: 'The request and the response are stated apart, and each is followed.',
  },
  {
    finding:
      'mainchain/address/normal-transaction-list-multi: ' +
      'unit of gasUsed: wei in the interface, gas here',
    path: 'mainchain/address/normal-transaction-list-multi',
    contradiction: 'gasUsed is said to be in wei: it is read as an amount of gas.',
    reason: 'Gas is counted in gas; only its price is in wei.',
  },
  {
    finding:
      'mainchain/transaction/token-transfer-multi: values of protocolType: ' +
      'none in the interface, token_20, token_721, token_1155, token_10 here',
    path: 'mainchain/transaction/token-transfer-multi',
    contradiction:
      'The values of protocolType are not shown: those of the token transfers of an address.',
    reason: 'The same name has these values in two other operations.',
  },
  {
    finding:
      'mainchain/transaction/token-transfer-multi: page size: none in the interface, 100 / 20 here',
    path: 'mainchain/transaction/token-transfer-multi',
    contradiction: 'The maximum and default of limit are not shown: 100 and 20.',
    reason: 'A paged list needs both numbers.',
  },
  {
    finding:
      'mainchain/transaction/internal-transaction-detail: ' +
      'page size: none in the interface, 100 / 20 here',
    path: 'mainchain/transaction/internal-transaction-detail',
    contradiction: 'The maximum and default of limit are not shown: 100 and 20.',
    reason: 'A paged list needs both numbers.',
  },
];
