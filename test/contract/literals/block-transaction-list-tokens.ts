import { type Exchange, reply } from '../literal-exchange.ts';

/** E11 for one protocol type of tokens: another type in the same block is not listed. */
export const literal: Exchange = {
  endpoint: 'mainchain/block/transaction-list',
  records: {
    token_transfers: [
      {
        tx_hash: '0xc8cbb52dba759480561c37361808961412fc4e91c4538a5eee20013d049c65fe',
        block_number: '15537399',
        block_hash: '0x293b23c3f13c82569b5b0555995fb2c317a9881510462a5c8c86633b6859f03a',
        block_time: '1663224215000',
        from_address: '0x4047d04189cb369c335e4ae2e8daf7569c0b552f',
        to_address: '0xaf951a8ce011eba02d49bb7c6bddc1a6ba0117e5',
        from_is_contract: false,
        to_is_contract: true,
        amount: '3',
        symbol: 'CARD',
        tx_fee: '0.0021',
        tx_status: 'success',
        token_address: '0xc9d9799c3b085b608277225c79732ce7a19b2ad8',
        token_id: '90071992547409931',
        token_standard: 'token_1155',
        method_id: '0xf242432a',
      },
      {
        tx_hash: '0xc8cbb52dba759480561c37361808961412fc4e91c4538a5eee20013d049c65fe',
        block_number: '15537399',
        block_hash: '0x293b23c3f13c82569b5b0555995fb2c317a9881510462a5c8c86633b6859f03a',
        block_time: '1663224215000',
        from_address: '0xaf951a8ce011eba02d49bb7c6bddc1a6ba0117e5',
        to_address: '0x4047d04189cb369c335e4ae2e8daf7569c0b552f',
        amount: '250',
        token_address: '0x480cc3e6a5bc71849bdf2db0e9c723cde556e2d5',
        token_standard: 'token_20',
      },
    ],
    blocks: [
      {
        chain_full_name: 'Main Chain of Tests',
        chain_short_name: 'MAINCHAIN',
        block_hash: '0x293b23c3f13c82569b5b0555995fb2c317a9881510462a5c8c86633b6859f03a',
        block_number: '15537399',
      },
    ],
  },
  listed: [0],
  target:
    '/api/v5/mainchain/block/transaction-list?chainShortName=MAINCHAIN&height=15537399' +
    '&protocolType=token_1155',
  response: reply({
    page: '1',
    limit: '20',
    totalPage: '1',
    chainFullName: 'Main Chain of Tests',
    chainShortName: 'MAINCHAIN',
    blockList: [
      {
        txid: '0xc8cbb52dba759480561c37361808961412fc4e91c4538a5eee20013d049c65fe',
        blockHash: '0x293b23c3f13c82569b5b0555995fb2c317a9881510462a5c8c86633b6859f03a',
        height: '15537399',
        transactionTime: '1663224215000',
        from: '0x4047d04189cb369c335e4ae2e8daf7569c0b552f',
        to: '0xaf951a8ce011eba02d49bb7c6bddc1a6ba0117e5',
        isFromContract: false,
        isToContract: true,
        amount: '3',
        transactionSymbol: 'CARD',
        txfee: '0.0021',
        state: 'success',
        tokenContractAddress: '0xc9d9799c3b085b608277225c79732ce7a19b2ad8',
        tokenId: '90071992547409931',
        methodId: '0xf242432a',
      },
    ],
  }),
};
