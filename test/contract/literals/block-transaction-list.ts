import { type Exchange, reply } from '../literal-exchange.ts';

/**
 * E11 without protocolType, which stands for `transaction`: blockList holds the transactions of the
 * block, and txfee has no capital letter. No token is named.
 */
export const literal: Exchange = {
  endpoint: 'mainchain/block/transaction-list',
  records: {
    transactions: [
      {
        tx_hash: '0x6b8f25303231db0fab392cedec4bab626a30bd61a38c9e03c97d00cedad375bd',
        block_number: '46402',
        block_hash: '0xbe634f64e65c53fe7c045b1ff78dceea91ef12682b70c39f540bb8c40072b77d',
        block_time: '1438918603000',
        from_address: '0x87c4f8eaa54724e1e665598d71402b5cb1af9ba3',
        to_address: '0x53526a7c53dc081b9f34ae95cf97c65a1e26a37a',
        from_is_contract: false,
        to_is_contract: false,
        amount: '599.989500000000000000',
        symbol: 'ETH',
        tx_fee: '0.0105',
        tx_status: 'success',
        method_id: null,
        nonce: '2',
        tx_type: '0',
      },
      {
        tx_hash: '0xed0be52119adfca1b58212524ab2d82203276653a39f9d216729bff014576297',
        block_number: '46403',
        block_hash: '0x0daee93c7ff413180286a56b12f880224b3c2052c7f79bcd980468b5a265a87b',
        block_time: '1438918617000',
        from_address: '0x53526a7c53dc081b9f34ae95cf97c65a1e26a37a',
        to_address: '0x87c4f8eaa54724e1e665598d71402b5cb1af9ba3',
        amount: '1',
      },
    ],
    internal_transactions: [
      {
        tx_hash: '0x6b8f25303231db0fab392cedec4bab626a30bd61a38c9e03c97d00cedad375bd',
        block_number: '46402',
        from_address: '0x53526a7c53dc081b9f34ae95cf97c65a1e26a37a',
        to_address: '0x9a36fa453b06d1482caf89bce7f32d43e43424de',
        amount: '7',
      },
    ],
    blocks: [
      {
        chain_full_name: 'Main Chain of Tests',
        chain_short_name: 'MAINCHAIN',
        block_hash: '0x6d2933d2be664493ce9e406ad0aae4a95c974e80156d6c33d981188baa591e4b',
        block_number: '46500',
      },
    ],
  },
  listed: [0],
  unserved: ['nonce', 'tx_type'],
  target: '/api/v5/mainchain/block/transaction-list?chainShortName=MAINCHAIN&height=46402',
  response: reply({
    page: '1',
    limit: '20',
    totalPage: '1',
    chainFullName: 'Main Chain of Tests',
    chainShortName: 'MAINCHAIN',
    blockList: [
      {
        txid: '0x6b8f25303231db0fab392cedec4bab626a30bd61a38c9e03c97d00cedad375bd',
        blockHash: '0xbe634f64e65c53fe7c045b1ff78dceea91ef12682b70c39f540bb8c40072b77d',
        height: '46402',
        transactionTime: '1438918603000',
        from: '0x87c4f8eaa54724e1e665598d71402b5cb1af9ba3',
        to: '0x53526a7c53dc081b9f34ae95cf97c65a1e26a37a',
        isFromContract: false,
        isToContract: false,
        amount: '599.989500000000000000',
        transactionSymbol: 'ETH',
        txfee: '0.0105',
        state: 'success',
        tokenContractAddress: '',
        tokenId: '',
        methodId: '',
      },
    ],
  }),
};
