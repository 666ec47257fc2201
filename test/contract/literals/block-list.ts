import type { Exchange } from '../literal-exchange.ts';

/** E10. Two blocks and room for one: the newest comes first, and its state is not told. */
export const literal: Exchange = {
  endpoint: 'mainchain/block/block-list',
  records: {
    blocks: [
      {
        chain_full_name: 'Main Chain of Tests',
        chain_short_name: 'MAINCHAIN',
        block_hash: '0xffba9120313b0389355385e044bf4ded3b515306de441a4734517f6c0521e872',
        block_number: '20511006',
      },
      {
        chain_full_name: 'Main Chain of Tests',
        chain_short_name: 'MAINCHAIN',
        block_hash: '0x4c54c7fd7b4af6abc9ea78e047c45792f60894e222c8115a17fecd7ae732f68d',
        block_number: '20511007',
        validator: '0x8f00158406a8f35a5d41980130f0d3a8b51ecd2a',
        block_time: '1723470131000',
        txn_count: '58',
        block_size: '42310',
        mine_reward: '0',
        total_fee: '0.061350872',
        fee_symbol: 'ETH',
        avg_fee: '0.001057773655172413',
        ommer_blocks: '0',
        gas_used: '3365800',
        gas_limit: '30000000',
        gas_avg_price: '0.000000018227604729',
        block_state: null,
        burnt: '0.05013390226417712',
      },
    ],
  },
  listed: [1],
  unserved: ['chain_full_name', 'chain_short_name'],
  target: '/api/v5/mainchain/block/block-list?chainShortName=MAINCHAIN&page=1&limit=1',
  response: {
    code: '0',
    msg: '',
    data: [
      {
        page: '1',
        limit: '1',
        totalPage: '2',
        chainFullName: 'Main Chain of Tests',
        chainShortName: 'MAINCHAIN',
        blockList: [
          {
            hash: '0x4c54c7fd7b4af6abc9ea78e047c45792f60894e222c8115a17fecd7ae732f68d',
            height: '20511007',
            validator: '0x8f00158406a8f35a5d41980130f0d3a8b51ecd2a',
            blockTime: '1723470131000',
            txnCount: '58',
            blockSize: '42310',
            mineReward: '0',
            totalFee: '0.061350872',
            feeSymbol: 'ETH',
            avgFee: '0.001057773655172413',
            ommerBlock: '0',
            gasUsed: '3365800',
            gasLimit: '30000000',
            gasAvgPrice: '0.000000018227604729',
            state: '',
            burnt: '0.05013390226417712',
          },
        ],
      },
    ],
  },
};
