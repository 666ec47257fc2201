import { type Exchange, reply } from '../literal-exchange.ts';

/**
 * E3 with every filter: both block bounds belong to the range, which is of heights of the zone. An
 * id may be empty, and only an ERC1155 has a token id.
 */
export const literal: Exchange = {
  endpoint: 'mainchain/zone/cross/transaction-list',
  records: {
    cross_chain_transfers: [
      {
        cross_id: null,
        direction: 'MainToZone',
        cross_type: 'Deposit',
        cross_status: '0x1',
        main_tx_hash: '0x5834d5cc3a9736a0e556b752bd45a0c0b797267bedba771a2feb7370e17abe3f',
        main_block_number: '21900100',
        main_block_time: '1740100007000',
        zone_tx_hash: '0xc9fcfd53e899bb5ffd945a4c8b8bff062c20f8ea9017a62ec74423e2e336c546',
        zone_block_number: '88000000',
        zone_block_time: '1740100012300',
        from_address: '0xce3c10d481def06dceec3f85f5d9cf4a3f89b7c7',
        to_address: '0xcb8d33b630dae5397d2e04745af84aed2b597e4f',
        source_address: '0xb71cd66b36fbba656f00ac51f5019b8b14a2e339',
        target_address: '0xaf3bf5b1341e957d2ce954fa927299c207975f44',
        amount: '15.000001',
        amount_raw: '15000001',
        token_address: '0x70791e671bbefa157b0febbd913b1e6cb7011ff5',
        token_standard: 'ERC20',
        token_id: null,
        token_name: 'Star Dollar',
      },
      {
        cross_id: '0x15498a0b2f51279835baf57e1eb13b047676d7b3bd374ebf16c43992b5ff80fc',
        direction: 'ZoneToMain',
        cross_type: 'BatchWithdraw',
        cross_status: '0x0',
        main_tx_hash: null,
        main_block_number: null,
        main_block_time: null,
        zone_tx_hash: '0x15498a0b2f51279835baf57e1eb13b047676d7b3bd374ebf16c43992b5ff80fc',
        zone_block_number: '88000001',
        zone_block_time: '1740100012400',
        from_address: '0xcb8d33b630dae5397d2e04745af84aed2b597e4f',
        to_address: '0xce3c10d481def06dceec3f85f5d9cf4a3f89b7c7',
        source_address: '0xaf3bf5b1341e957d2ce954fa927299c207975f44',
        target_address: '0xb71cd66b36fbba656f00ac51f5019b8b14a2e339',
        amount: null,
        amount_raw: '1',
        token_address: '0x5a0238a8a2eb3acae24447306d0820fb75324949',
        token_standard: 'ERC1155',
        token_id: '64',
        token_name: 'Deed',
      },
    ],
  },
  listed: [0],
  target:
    '/api/v5/mainchain/zone/cross/transaction-list?chainShortName=ZONECHAIN' +
    '&txid=0xc9fcfd53e899bb5ffd945a4c8b8bff062c20f8ea9017a62ec74423e2e336c546&height=88000000&startBlockHeight=88000000&endBlockHeight=88000000' +
    '&address=0xaf3bf5b1341e957d2ce954fa927299c207975f44&from=0xce3c10d481def06dceec3f85f5d9cf4a3f89b7c7&to=0xcb8d33b630dae5397d2e04745af84aed2b597e4f' +
    '&tokenContractAddress=0x70791e671bbefa157b0febbd913b1e6cb7011ff5&limit=100&page=1',
  response: reply({
    page: '1',
    limit: '100',
    totalPage: '1',
    total: '1',
    data: [
      {
        id: '',
        txType: 'MainToZone',
        crossType: 'Deposit',
        status: '0x1',
        mainTxHash: '0x5834d5cc3a9736a0e556b752bd45a0c0b797267bedba771a2feb7370e17abe3f',
        mainBlockHeight: '21900100',
        mainBlockTime: '1740100007000',
        zoneTxHash: '0xc9fcfd53e899bb5ffd945a4c8b8bff062c20f8ea9017a62ec74423e2e336c546',
        zoneBlockHeight: '88000000',
        zoneBlockTime: '1740100012300',
        from: '0xce3c10d481def06dceec3f85f5d9cf4a3f89b7c7',
        to: '0xcb8d33b630dae5397d2e04745af84aed2b597e4f',
        sourceAddress: '0xb71cd66b36fbba656f00ac51f5019b8b14a2e339',
        targetAddress: '0xaf3bf5b1341e957d2ce954fa927299c207975f44',
        value: '15.000001',
        valueRaw: '15000001',
        tokenContractAddress: '0x70791e671bbefa157b0febbd913b1e6cb7011ff5',
        tokenType: 'ERC20',
        tokenId: '',
        tokenName: 'Star Dollar',
      },
    ],
  }),
};
