import { type Exchange, reply } from '../literal-exchange.ts';

/** E17. The largest balance comes first; the holder is holderAddress, or address. */
export const literal: Exchange = {
  endpoint: 'mainchain/address/native-token-position-list',
  records: {
    native_holders: [
      {
        as_of_block: '20511007',
        holder_rank: '1',
        symbol: 'ETH',
        holder_address: '0x7425e07a7ae4973686172e42faa227f603bc324c',
        amount: '47193214.86214281',
      },
      {
        as_of_block: '20511007',
        holder_rank: '2',
        symbol: 'ETH',
        holder_address: '0xd3e26b90c427fecad34f29a1066c08ea4c902fdf',
        amount: '3241020.001357982',
      },
      {
        as_of_block: '20511007',
        holder_rank: '3',
        symbol: 'ETH',
        holder_address: '0x02321b2b181d9d38319c46746c59b4db5eddc123',
        amount: '3241020',
      },
    ],
  },
  listed: [0, 1],
  readAt: 20_511_007,
  target:
    '/api/v5/mainchain/address/native-token-position-list?chainShortName=MAINCHAIN&page=1&limit=2',
  response: reply({
    page: '1',
    limit: '2',
    totalPage: '2',
    positionList: [
      {
        rank: '1',
        symbol: 'ETH',
        holderAddress: '0x7425e07a7ae4973686172e42faa227f603bc324c',
        amount: '47193214.86214281',
      },
      {
        rank: '2',
        symbol: 'ETH',
        holderAddress: '0xd3e26b90c427fecad34f29a1066c08ea4c902fdf',
        amount: '3241020.001357982',
      },
    ],
  }),
  sample: { spelled: { holderAddress: 'address' } },
};
