import { type Exchange, reply } from '../literal-exchange.ts';

/**
 * E16. The list is documented as tokenTransferDetails, and the sample calls it transactionList.
 * Records do not say their protocol type, which was asked for.
 */
export const literal: Exchange = {
  endpoint: 'mainchain/transaction/token-transfer-multi',
  records: {
    token_transfers: [
      {
        tx_hash: '0x85159a65dae5826641b905ed43ce8a3713f0fdaf7f7c7df5be72a9d88f79865b',
        block_number: '12287507',
        block_hash: '0xbe48b4337c314ac1deffc29aa93089117376590f5784572d203d9b44f0f4c8ce',
        block_time: '1619033023000',
        from_address: '0x4d6bcc05919ebddf2d8893b36afcdcc3a5392623',
        to_address: '0xa191514d8c847e445d5cb2549c7056e001efa8c7',
        from_is_contract: false,
        to_is_contract: true,
        token_address: '0x9830981c2bcd93be3f1e7f042bc684430e48b238',
        token_standard: 'token_20',
        amount: '1180591620717411303424.000001',
        token_id: null,
        symbol: 'SHELL',
      },
      {
        tx_hash: '0x85159a65dae5826641b905ed43ce8a3713f0fdaf7f7c7df5be72a9d88f79865b',
        block_number: '12287507',
        block_hash: '0xbe48b4337c314ac1deffc29aa93089117376590f5784572d203d9b44f0f4c8ce',
        block_time: '1619033023000',
        from_address: '0x4d6bcc05919ebddf2d8893b36afcdcc3a5392623',
        to_address: '0xa191514d8c847e445d5cb2549c7056e001efa8c7',
        from_is_contract: false,
        to_is_contract: true,
        token_address: '0x7b4a91b0bb5f169a1ece9af9596ec6c7af407787',
        token_standard: 'token_721',
        amount: '1',
        token_id: '8',
        symbol: 'DEED',
      },
    ],
  },
  listed: [0],
  target:
    '/api/v5/mainchain/transaction/token-transfer-multi?chainShortName=MAINCHAIN' +
    '&txId=0x3f0b774bef2cc8d5f20b93a64c181c40d961365ffb09fefed0f608870d5bbad5,0x85159a65dae5826641b905ed43ce8a3713f0fdaf7f7c7df5be72a9d88f79865b&protocolType=token_20&page=1&limit=20',
  response: reply({
    page: '1',
    limit: '20',
    totalPage: '1',
    tokenTransferDetails: [
      {
        txId: '0x85159a65dae5826641b905ed43ce8a3713f0fdaf7f7c7df5be72a9d88f79865b',
        blockHash: '0xbe48b4337c314ac1deffc29aa93089117376590f5784572d203d9b44f0f4c8ce',
        height: '12287507',
        transactionTime: '1619033023000',
        from: '0x4d6bcc05919ebddf2d8893b36afcdcc3a5392623',
        to: '0xa191514d8c847e445d5cb2549c7056e001efa8c7',
        isFromContract: false,
        isToContract: true,
        tokenContractAddress: '0x9830981c2bcd93be3f1e7f042bc684430e48b238',
        amount: '1180591620717411303424.000001',
        tokenId: '',
        symbol: 'SHELL',
      },
    ],
  }),
  sample: { spelled: { tokenTransferDetails: 'transactionList' } },
};
