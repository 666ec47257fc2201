import { type Exchange, reply } from '../literal-exchange.ts';

/** E11 for internal transactions: the same record, and nothing says which operation it was. */
export const literal: Exchange = {
  endpoint: 'mainchain/block/transaction-list',
  records: {
    internal_transactions: [
      {
        tx_hash: '0xf1cf189c7fa0a356fb3f6bb7c537ab0a5cd5ddc0a24a88ba65d443521a10d567',
        block_number: '17033001',
        block_hash: '0x5027d0ad3bf58158c0cca039fa15303211a87b20eba2bb5c09eb2b9b31e98170',
        block_time: '1681310051000',
        operation: 'staticcall',
        from_address: '0x9dba353ec4897c748362ef1cfad2fc1ae9b83506',
        to_address: '0x7e8ee6c72e40e83008a627d9f446e8aa810d8fb1',
        from_is_contract: true,
        to_is_contract: true,
        amount: '0',
        symbol: 'ETH',
        tx_fee: null,
        tx_status: 'success',
        token_address: null,
        token_id: null,
        method_id: '0x70a08231',
      },
    ],
    transactions: [
      {
        tx_hash: '0xf1cf189c7fa0a356fb3f6bb7c537ab0a5cd5ddc0a24a88ba65d443521a10d567',
        block_number: '17033001',
        from_address: '0xbefbc318b3a22d9cce0b3075bb761b76b160dbcd',
        to_address: '0x9dba353ec4897c748362ef1cfad2fc1ae9b83506',
        amount: '3',
      },
    ],
    blocks: [
      {
        chain_full_name: 'Main Chain of Tests',
        chain_short_name: 'MAINCHAIN',
        block_hash: '0x5027d0ad3bf58158c0cca039fa15303211a87b20eba2bb5c09eb2b9b31e98170',
        block_number: '17033001',
      },
    ],
  },
  unserved: ['operation'],
  target:
    '/api/v5/mainchain/block/transaction-list?chainShortName=mainchain&height=17033001' +
    '&protocolType=internal&page=1&limit=100',
  response: reply({
    page: '1',
    limit: '100',
    totalPage: '1',
    chainFullName: 'Main Chain of Tests',
    chainShortName: 'MAINCHAIN',
    blockList: [
      {
        txid: '0xf1cf189c7fa0a356fb3f6bb7c537ab0a5cd5ddc0a24a88ba65d443521a10d567',
        blockHash: '0x5027d0ad3bf58158c0cca039fa15303211a87b20eba2bb5c09eb2b9b31e98170',
        height: '17033001',
        transactionTime: '1681310051000',
        from: '0x9dba353ec4897c748362ef1cfad2fc1ae9b83506',
        to: '0x7e8ee6c72e40e83008a627d9f446e8aa810d8fb1',
        isFromContract: true,
        isToContract: true,
        amount: '0',
        transactionSymbol: 'ETH',
        txfee: '',
        state: 'success',
        tokenContractAddress: '',
        tokenId: '',
        methodId: '0x70a08231',
      },
    ],
  }),
};
