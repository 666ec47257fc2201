import { type Exchange, reply } from '../literal-exchange.ts';

/** E3 without filters: a page of 20 from the newest on, and the number of all records. */
export const literal: Exchange = {
  endpoint: 'mainchain/zone/cross/transaction-list',
  records: {
    cross_chain_transfers: [
      {
        cross_id: '0xd31f52ab82d3c25632bd2dd0717ee359b48e82d8974f3faac1434706f4b020f7',
        direction: 'ZoneToMain',
        cross_type: 'Withdraw',
        cross_status: '0x0',
        main_tx_hash: null,
        main_block_number: null,
        main_block_time: null,
        zone_tx_hash: '0x29416a76e5deb2839d345779ab58cfdc714e611fa5e5cd3b082ed559ba52dbaf',
        zone_block_number: '51200007',
        zone_block_time: '1732000700700',
        from_address: '0x938951547715e44b25555745ddd6a103992b0e3f',
        to_address: '0xb2e00eaec7add1c2c2322723ba3b9fdf5c19499e',
        source_address: '0xe872dca729fa732bd19105c411ff39cf1c9215f9',
        target_address: '0xe872dca729fa732bd19105c411ff39cf1c9215f9',
        amount: null,
        amount_raw:
          '115792089237316195423570985008687907853269984665640564039457584007913129639935',
        token_address: '0xcd15d48def831042312cf70c381d11f04f5cadb5',
        token_standard: 'ERC1155',
        token_id: '64',
        token_name: 'Deed',
      },
    ],
  },
  target: '/api/v5/mainchain/zone/cross/transaction-list?chainShortName=ZONECHAIN',
  response: reply({
    page: '1',
    limit: '20',
    totalPage: '1',
    total: '1',
    data: [
      {
        id: '0xd31f52ab82d3c25632bd2dd0717ee359b48e82d8974f3faac1434706f4b020f7',
        txType: 'ZoneToMain',
        crossType: 'Withdraw',
        status: '0x0',
        mainTxHash: '',
        mainBlockHeight: '',
        mainBlockTime: '',
        zoneTxHash: '0x29416a76e5deb2839d345779ab58cfdc714e611fa5e5cd3b082ed559ba52dbaf',
        zoneBlockHeight: '51200007',
        zoneBlockTime: '1732000700700',
        from: '0x938951547715e44b25555745ddd6a103992b0e3f',
        to: '0xb2e00eaec7add1c2c2322723ba3b9fdf5c19499e',
        sourceAddress: '0xe872dca729fa732bd19105c411ff39cf1c9215f9',
        targetAddress: '0xe872dca729fa732bd19105c411ff39cf1c9215f9',
        value: '',
        valueRaw: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
        tokenContractAddress: '0xcd15d48def831042312cf70c381d11f04f5cadb5',
        tokenType: 'ERC1155',
        tokenId: '64',
        tokenName: 'Deed',
      },
    ],
  }),
};
