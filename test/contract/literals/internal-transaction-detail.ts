import { type Exchange, reply } from '../literal-exchange.ts';

/** E20. Internal records with a state, and without the hash of their block. */
export const literal: Exchange = {
  endpoint: 'mainchain/transaction/internal-transaction-detail',
  records: {
    internal_transactions: [
      {
        tx_hash: '0xdd9577354ea564e2bbfdf8a7eb24a240137076fa52c31830fd4b07727d3b230d',
        block_number: '9069001',
        block_hash: '0x88c18081119cc8c6d99387c98184518307b3a98447db7985574a9be86979e7ab',
        block_time: '1575764709000',
        from_address: '0x3ca66cfd7bedc82998d812ffed1395d4281b5efb',
        to_address: '0x7a31aaf1e7236766f8de2424e034b3dce04c1b56',
        from_is_contract: true,
        to_is_contract: false,
        operation: 'call',
        amount: '0.25',
        tx_status: 'fail',
      },
      {
        tx_hash: '0x45acb665f105bdc7ba60aa3b06dae50cfe98ca846fde544174a0fcec17fd52f2',
        block_number: '9069001',
        from_address: '0x3ca66cfd7bedc82998d812ffed1395d4281b5efb',
        to_address: '0x7a31aaf1e7236766f8de2424e034b3dce04c1b56',
        operation: 'call',
        amount: '0.25',
      },
    ],
  },
  listed: [0],
  unserved: ['block_hash'],
  target:
    '/api/v5/mainchain/transaction/internal-transaction-detail?chainShortName=MAINCHAIN' +
    '&txId=0xdd9577354ea564e2bbfdf8a7eb24a240137076fa52c31830fd4b07727d3b230d&page=1&limit=20',
  response: reply({
    page: '1',
    limit: '20',
    totalPage: '1',
    internalTransactionDetails: [
      {
        txId: '0xdd9577354ea564e2bbfdf8a7eb24a240137076fa52c31830fd4b07727d3b230d',
        height: '9069001',
        transactionTime: '1575764709000',
        from: '0x3ca66cfd7bedc82998d812ffed1395d4281b5efb',
        to: '0x7a31aaf1e7236766f8de2424e034b3dce04c1b56',
        isFromContract: true,
        isToContract: false,
        operation: 'call',
        amount: '0.25',
        state: 'fail',
      },
    ],
  }),
};
