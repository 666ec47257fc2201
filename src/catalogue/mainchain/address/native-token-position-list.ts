import { endpoint, field } from '../../entry.ts';
import { chain, limit, page } from '../../params.ts';
import * as w from '../../vocabulary.ts';
import * as z from '../../zone-vocabulary.ts';

/** E17. The 10,000 largest balances at the time of the request. There are no further ranks. */
export const nativeTokenPositionList = endpoint({
  path: 'mainchain/address/native-token-position-list',
  method: 'GET',
  axis: 'primary',
  summary: 'Ranking of the holders of the native token',
  dataset: 'native_holders',
  list: 'snapshot',
  limits: { pageSize: { max: 100, default: 20 }, depthRecords: 10_000 },
  params: [chain, page, limit],
  reply: { shape: 'paged', list: 'positionList' },
  fields: [
    field('rank', z.holderRank),
    field('symbol', w.symbol),
    // Documented as `address`; the sample response spells it `holderAddress`.
    field('holderAddress', z.holderAddress, { aliases: ['address'] }),
    field('amount', z.heldAmount),
  ],
  contradictions: [
    'The holder is documented as address, but the sample has holderAddress: windrow reads both, ' +
      'and the service sends holderAddress.',
  ],
});
