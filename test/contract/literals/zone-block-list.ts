import { type Exchange, reply } from '../literal-exchange.ts';

/** E7. Newest first; its records are blocks, whatever their table is ascribed to. */
export const literal: Exchange = {
  endpoint: 'mainchain/zone/block/block-list',
  records: {
    zone_blocks: [
      {
        block_hash: '0x3d34cf35da6d90d99d43435137d1ba8f7c48e02a7b9f246681546cab59946159',
        block_number: '70700001',
        miner: '0x89b1941332ae27399234bb165624c427c5da1d88',
        block_time: '1736070000100',
        txn_count: '0',
      },
      {
        block_hash: '0x92409799ddd0daa4e79557ad0a00c12186f00b5f904a7ebecfb00bfffcea6317',
        block_number: '70700002',
        miner: '0x4a51a28c9db57e985ae416b70d28e28ca89fa22c',
        block_time: '1736070000200',
        txn_count: '31',
      },
    ],
  },
  listed: [1, 0],
  target: '/api/v5/mainchain/zone/block/block-list?chainShortName=ZONECHAIN&limit=20&page=1',
  response: reply({
    page: '1',
    limit: '20',
    totalPage: '1',
    total: '2',
    data: [
      {
        hash: '0x92409799ddd0daa4e79557ad0a00c12186f00b5f904a7ebecfb00bfffcea6317',
        height: '70700002',
        miner: '0x4a51a28c9db57e985ae416b70d28e28ca89fa22c',
        blockTime: '1736070000200',
        transactionCount: '31',
      },
      {
        hash: '0x3d34cf35da6d90d99d43435137d1ba8f7c48e02a7b9f246681546cab59946159',
        height: '70700001',
        miner: '0x89b1941332ae27399234bb165624c427c5da1d88',
        blockTime: '1736070000100',
        transactionCount: '0',
      },
    ],
  }),
};
