import { endpoint, field } from '../../entry.ts';
import { chain, limit, page } from '../../params.ts';
import * as w from '../../vocabulary.ts';
import * as z from '../../zone-vocabulary.ts';

/** E17. The 10,000 largest balances as of now: that many ranks are all there are. */
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
    'The holder is documented as address and spelled holderAddress in the sample: both are read, ' +
      'and holderAddress is served, which is the name the record table begins with.',
  ],
});
