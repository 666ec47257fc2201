/** Two endpoints that no catalogue has, as files of it: a list and a look-up, one of each axis. */

export const PATH = 'mainchain/address/example-list';
export const ENTRY = `
import { endpoint, field, word } from '../../entry.ts';
import { count, text } from '../../kind.ts';
import { chain, limit, page } from '../../params.ts';
import * as w from '../../vocabulary.ts';

export const exampleList = endpoint({
  path: '${PATH}',
  method: 'GET',
  axis: 'primary',
  summary: 'An example',
  dataset: 'transactions',
  list: 'ranged',
  limits: { pageSize: { max: 30, default: 10 }, blockSpan: 500 },
  params: [
    chain,
    {
      name: 'wallet',
      type: 'String',
      required: true,
      meaning: 'up to 3 wallets',
      role: 'keys',
      max: 3,
      columns: ['from_address'],
    },
    { name: 'first', type: 'String', required: true, meaning: 'start', role: 'from-block' },
    { name: 'last', type: 'String', required: true, meaning: 'end', role: 'to-block' },
    {
      name: 'mood',
      type: 'String',
      required: true,
      meaning: 'mood of the sender',
      role: 'equals',
      column: word('mood', text, 'Mood of the sender'),
      fills: true,
      values: ['good', 'bad'],
      default: 'good',
    },
    page,
    limit,
  ],
  reply: { shape: 'paged', list: 'exampleList' },
  fields: [
    field('hash', w.txHash),
    field('blockHeight', w.blockNumber, { aliases: ['heigth'] }),
    field('wallet', w.fromAddress),
    field('steps', word('steps', count, 'Steps taken')),
  ],
});
`;

export const LOOK_UP = 'mainchain/zone/example/look-up';
export const LOOK_UP_ENTRY = `
import { endpoint, field, word } from '../../../entry.ts';
import { count, hash } from '../../../kind.ts';
import { chain } from '../../../params.ts';
import * as w from '../../../vocabulary.ts';

const steps = word('steps', count, 'Steps taken');
const twin = word('twin_hash', hash, 'Hash of the twin');

export const exampleLookUp = endpoint({
  path: '${LOOK_UP}',
  method: 'GET',
  axis: 'zone',
  summary: 'Another example',
  dataset: 'zone_transactions',
  list: 'by-key',
  limits: {},
  params: [
    chain,
    {
      name: 'which',
      type: 'String',
      required: true,
      meaning: 'up to 2 hashes',
      role: 'keys',
      max: 2,
      columns: ['tx_hash'],
    },
    {
      name: 'either',
      type: 'String',
      required: false,
      meaning: 'a hash or a twin',
      role: 'names',
      columns: [w.txHash, twin],
    },
    {
      name: 'fewest',
      type: 'String',
      required: false,
      meaning: 'least',
      role: 'at-least',
      column: steps,
    },
    {
      name: 'most',
      type: 'String',
      required: false,
      meaning: 'most',
      role: 'at-most',
      column: steps,
    },
  ],
  reply: { shape: 'bare' },
  fields: [
    field('hash', w.txHash),
    field('heigth', w.blockNumber),
    field('twin', twin),
    field('steps', steps),
  ],
});
`;
