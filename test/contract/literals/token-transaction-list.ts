import { type Exchange, reply } from '../literal-exchange.ts';

/** E2. The token id has 78 digits; protocolType is asked for, and not part of the record. */
export const literal: Exchange = {
  endpoint: 'mainchain/address/token-transaction-list',
  records: {
    token_transfers: [
      {
        tx_hash: '0x84d5b133373a45c44df9ff27706c7fcdcfd3d31c5c2fcfa5685515890f341ef9',
        block_number: '5210334',
        block_hash: '0x0d9749bd95fd13453d72dca852c3fb38e5ec12e0308b41ff9414092b66a9bd89',
        block_time: '1520440012000',
        from_address: '0xb96c32477ed68556b35ca844f58bec8531d8f5ce',
        to_address: '0x6bb720e66b2f261a973c7792db9def2d1fb29147',
        from_is_contract: true,
        to_is_contract: false,
        token_address: '0x7a8917210e0bb6e5543871b1f9437126c849bcaf',
        token_standard: 'token_721',
        token_id: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
        amount: '1',
        symbol: 'CAT',
      },
    ],
  },
  target:
    '/api/v5/mainchain/address/token-transaction-list?chainShortName=mainchain' +
    '&address=0xB96C32477ED68556B35CA844F58BEC8531D8F5CE&protocolType=token_721' +
    '&tokenContractAddress=0x7a8917210e0bb6e5543871b1f9437126c849bcaf' +
    '&startBlockHeight=5210334&endBlockHeight=5210334&isFromOrTo=from&page=1&limit=50',
  response: reply({
    page: '1',
    limit: '50',
    totalPage: '1',
    transactionList: [
      {
        txId: '0x84d5b133373a45c44df9ff27706c7fcdcfd3d31c5c2fcfa5685515890f341ef9',
        blockHash: '0x0d9749bd95fd13453d72dca852c3fb38e5ec12e0308b41ff9414092b66a9bd89',
        height: '5210334',
        transactionTime: '1520440012000',
        from: '0xb96c32477ed68556b35ca844f58bec8531d8f5ce',
        to: '0x6bb720e66b2f261a973c7792db9def2d1fb29147',
        tokenContractAddress: '0x7a8917210e0bb6e5543871b1f9437126c849bcaf',
        isFromContract: true,
        isToContract: false,
        amount: '1',
        symbol: 'CAT',
        tokenId: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
      },
    ],
  }),
};
