import { type Exchange, reply } from '../literal-exchange.ts';

/** E6. Paged, and yet nothing says of how many pages: `data` is the list itself. */
export const literal: Exchange = {
  endpoint: 'mainchain/zone/block/transaction-list-multi',
  records: {
    zone_transactions: [
      {
        tx_hash: '0xa1fb459c4994de22538711aaa8e7bbe2e815169777587802febd5c9420145229',
        block_number: '70600000',
        block_hash: '0x95c1bd59f539154f3cdb23e3ff456cea0ef247549a36f49f01f4a318119e7465',
        block_time: '1736060000000',
        tx_status: '0x1',
        from_address: '0xd5f426c36182696d0cd7deec7d01901f7fa8d8ac',
        action_type: 'order',
        tx_index: '12',
        amount: '0',
        amount_raw: '0',
      },
      {
        tx_hash: '0x4bd4f2b544cad53b2c8fb049bea4f78bd00a8e765538f33bdcb7037422a6fff6',
        block_number: '70610000',
        block_hash: '0x7b024f12caf522f513ad55a733068cf4c492533ac19694caf76943f444555cda',
        block_time: '1736061000000',
        tx_status: '0x1',
        from_address: '0x2df92ffe9d0950a256101862c14c384498003015',
        action_type: 'order',
        tx_index: '0',
        amount: null,
        amount_raw: null,
      },
    ],
  },
  listed: [0],
  target:
    '/api/v5/mainchain/zone/block/transaction-list-multi?chainShortName=ZONECHAIN' +
    '&startBlockHeight=70600000&endBlockHeight=70610000&limit=1&page=2',
  response: reply({
    hash: '0xa1fb459c4994de22538711aaa8e7bbe2e815169777587802febd5c9420145229',
    blockHeight: '70600000',
    blockHash: '0x95c1bd59f539154f3cdb23e3ff456cea0ef247549a36f49f01f4a318119e7465',
    blockTime: '1736060000000',
    status: '0x1',
    from: '0xd5f426c36182696d0cd7deec7d01901f7fa8d8ac',
    actionType: 'order',
    index: '12',
    value: '0',
    valueRaw: '0',
  }),
};
