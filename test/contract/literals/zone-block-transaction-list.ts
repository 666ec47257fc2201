import { type Exchange, reply } from '../literal-exchange.ts';

/** E5. One block by its height, a page of it, and the number of all its transactions. */
export const literal: Exchange = {
  endpoint: 'mainchain/zone/block/transaction-list',
  records: {
    zone_transactions: [
      {
        tx_hash: '0x6085e29516f4ec5adc7e5ec82e856ce5f8b61786a92354994318fdd71a17fc77',
        block_number: '70500123',
        block_hash: '0x627fee1e99e911cb5dd2227230e5b221a133ad799fa08271589046161996ced2',
        block_time: '1736050012300',
        tx_status: '0x1',
        from_address: '0xf47a4a9da971c5261ff435bc4a149d55b628ec66',
        action_type: 'cancel',
        tx_index: '0',
        amount: null,
        amount_raw: null,
      },
      {
        tx_hash: '0x49892c4e13cacd86c8d3cdb1ff0f18c57a32d7280374d58a721cf60502eba39c',
        block_number: '70500123',
        block_hash: '0x627fee1e99e911cb5dd2227230e5b221a133ad799fa08271589046161996ced2',
        block_time: '1736050012300',
        tx_status: '0x0',
        from_address: '0x2da39e0cd884dfe8770481fd97054d33b855374e',
        action_type: 'withdraw',
        tx_index: '1',
        amount: '100.01',
        amount_raw: '100010000',
      },
    ],
  },
  listed: [1],
  target:
    '/api/v5/mainchain/zone/block/transaction-list?chainShortName=ZONECHAIN' +
    '&height=70500123&limit=1',
  response: reply({
    page: '1',
    limit: '1',
    totalPage: '2',
    total: '2',
    data: [
      {
        hash: '0x49892c4e13cacd86c8d3cdb1ff0f18c57a32d7280374d58a721cf60502eba39c',
        blockHeight: '70500123',
        blockHash: '0x627fee1e99e911cb5dd2227230e5b221a133ad799fa08271589046161996ced2',
        blockTime: '1736050012300',
        status: '0x0',
        from: '0x2da39e0cd884dfe8770481fd97054d33b855374e',
        actionType: 'withdraw',
        index: '1',
        value: '100.01',
        valueRaw: '100010000',
      },
    ],
  }),
};
