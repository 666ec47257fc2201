import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import { type Exchange, reply } from '../literal-exchange.ts';

const call: CanonicalRecord = {
  tx_hash: '0xfaba879cadbf08278cc4ba36c7a6ddd79a823e02feb668e8f35df3a9dda4a2c9',
  block_number: '118530',
  block_hash: '0x488abe7875c16209b37e286ca9527a4b972fb437554d5eb093161d950d736ff0',
  block_time: '1440117341000',
  operation: 'call',
  from_address: '0x3cedc5bc09fc194e8a4e4bdcd7d11fc65d272e21',
  to_address: '0x41f545b7ef90ba072592ed5e93e393e07a6018ff',
  from_is_contract: true,
  to_is_contract: false,
  amount: '2',
  tx_status: 'success',
};

/** E19. Two equal calls of one transaction are two records; no record has a state. */
/** Two equal records are two calls. */
const LISTED = {
  txId: '0xfaba879cadbf08278cc4ba36c7a6ddd79a823e02feb668e8f35df3a9dda4a2c9',
  blockHash: '0x488abe7875c16209b37e286ca9527a4b972fb437554d5eb093161d950d736ff0',
  height: '118530',
  transactionTime: '1440117341000',
  operation: 'call',
  from: '0x3cedc5bc09fc194e8a4e4bdcd7d11fc65d272e21',
  to: '0x41f545b7ef90ba072592ed5e93e393e07a6018ff',
  isFromContract: true,
  isToContract: false,
  amount: '2',
};

export const literal: Exchange = {
  endpoint: 'mainchain/address/internal-transaction-list-multi',
  records: { internal_transactions: [call, call] },
  unserved: ['tx_status'],
  target:
    '/api/v5/mainchain/address/internal-transaction-list-multi?chainShortName=MAINCHAIN' +
    '&address=0x41f545b7ef90ba072592ed5e93e393e07a6018ff' +
    '&startBlockHeight=118530&endBlockHeight=128530&limit=100',
  response: reply({
    page: '1',
    limit: '100',
    totalPage: '1',
    transactionList: [LISTED, LISTED],
  }),
};
