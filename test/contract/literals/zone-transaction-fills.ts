import { type Exchange, reply } from '../literal-exchange.ts';

/** E18. A transaction that failed, with the reason; its nonce is a time, its action is JSON. */
export const literal: Exchange = {
  endpoint: 'mainchain/zone/transaction/transaction-fills',
  records: {
    zone_transactions: [
      {
        tx_hash: '0x740375196bb11fbf737ef73184da06b5063f4adfcaecc312a978981da759abb5',
        block_number: '70800077',
        block_hash: '0xade4dad34b249f118312194a5c72c7cc16b205e80fb66e0a61fa7f725b3150da',
        block_time: '1736080007700',
        tx_status: '0x0',
        from_address: '0x5edab37581dc3f6a5e4bd3f3cf49c7c59e16fcdd',
        action_type: 'withdraw',
        tx_index: '2',
        amount: '5',
        amount_raw: '5000000',
        action_nonce: '1736080007581',
        action_data: '{"type":"withdraw","amount":"5"}',
        error_message: 'balance is too low',
        token_transfer_count: '0',
        event_count: '1',
      },
    ],
  },
  target:
    '/api/v5/mainchain/zone/transaction/transaction-fills?chainShortName=ZONECHAIN&txid=0x740375196bb11fbf737ef73184da06b5063f4adfcaecc312a978981da759abb5',
  response: reply({
    hash: '0x740375196bb11fbf737ef73184da06b5063f4adfcaecc312a978981da759abb5',
    blockHeight: '70800077',
    blockHash: '0xade4dad34b249f118312194a5c72c7cc16b205e80fb66e0a61fa7f725b3150da',
    blockTime: '1736080007700',
    status: '0x0',
    from: '0x5edab37581dc3f6a5e4bd3f3cf49c7c59e16fcdd',
    actionType: 'withdraw',
    index: '2',
    value: '5',
    valueRaw: '5000000',
    nonce: '1736080007581',
    actionData: '{"type":"withdraw","amount":"5"}',
    errorMessage: 'balance is too low',
    tokenTransferCount: '0',
    eventCount: '1',
  }),
};
