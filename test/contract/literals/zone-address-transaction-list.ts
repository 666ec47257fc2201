import { type Exchange, reply } from '../literal-exchange.ts';

/** E4. Both block bounds belong to the range; one record says no amount, and none its nonce. */
export const literal: Exchange = {
  endpoint: 'mainchain/zone/address/transaction-list',
  records: {
    zone_transactions: [
      {
        tx_hash: '0xc102de635335d7eec80c9e02b0e6f447c5d759949a85231885e874a11f31eb47',
        block_number: '70000000',
        block_hash: '0x8d9a295c4082965a090686f25e5b770e19cf497c1a9691e4c3d80eeda2749228',
        block_time: '1736000000100',
        tx_status: '0x1',
        from_address: '0xd54772f96f360db7b0eb1a50b42ff60e0424495c',
        action_type: 'order',
        tx_index: '4',
        amount: null,
        amount_raw: null,
        action_nonce: '1736000000042',
      },
      {
        tx_hash: '0x61f1da3c587aa55cd62e9315171c89253e62c45877add2c9cdd586671056830b',
        block_number: '70000009',
        block_hash: '0xc3276874b6c18f6539c1744b3191fc17e5e5cc937a8a15424a1d8e3d0a1d7a65',
        block_time: '1736000001000',
        tx_status: '0x0',
        from_address: '0xd54772f96f360db7b0eb1a50b42ff60e0424495c',
        action_type: 'transfer',
        tx_index: '0',
        amount: '2.5',
        amount_raw: '2500000',
        action_nonce: '1736000000980',
      },
      {
        tx_hash: '0x52dcb7026d903089010b6f8a2d73399b367a46d1fe0903c676d8065b913bf09a',
        block_number: '70000010',
        from_address: '0xd54772f96f360db7b0eb1a50b42ff60e0424495c',
      },
    ],
  },
  listed: [1, 0],
  unserved: ['action_nonce'],
  target:
    '/api/v5/mainchain/zone/address/transaction-list?chainShortName=ZONECHAIN' +
    '&address=0xd54772f96f360db7b0eb1a50b42ff60e0424495c&startBlockHeight=70000000&endBlockHeight=70000009&limit=100&page=1',
  response: reply({
    page: '1',
    limit: '100',
    totalPage: '1',
    total: '2',
    data: [
      {
        hash: '0x61f1da3c587aa55cd62e9315171c89253e62c45877add2c9cdd586671056830b',
        blockHeight: '70000009',
        blockHash: '0xc3276874b6c18f6539c1744b3191fc17e5e5cc937a8a15424a1d8e3d0a1d7a65',
        blockTime: '1736000001000',
        status: '0x0',
        from: '0xd54772f96f360db7b0eb1a50b42ff60e0424495c',
        actionType: 'transfer',
        index: '0',
        value: '2.5',
        valueRaw: '2500000',
      },
      {
        hash: '0xc102de635335d7eec80c9e02b0e6f447c5d759949a85231885e874a11f31eb47',
        blockHeight: '70000000',
        blockHash: '0x8d9a295c4082965a090686f25e5b770e19cf497c1a9691e4c3d80eeda2749228',
        blockTime: '1736000000100',
        status: '0x1',
        from: '0xd54772f96f360db7b0eb1a50b42ff60e0424495c',
        actionType: 'order',
        index: '4',
        value: '',
        valueRaw: '',
      },
    ],
  }),
};
