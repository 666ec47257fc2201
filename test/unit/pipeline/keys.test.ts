import { describe, expect, it } from 'vitest';
import { parsePipeline } from '../../../src/pipeline/read-pipeline.ts';
import { A, added, changed, DATASETS, refusal } from '../../fixtures/pipeline-small.ts';

const E4 = 'mainchain/zone/address/transaction-list';
const E12 = 'mainchain/address/normal-transaction-list-multi';
const E15 = 'mainchain/transaction/transaction-multi';
const E18 = 'mainchain/zone/transaction/transaction-fills';
const E20 = 'mainchain/transaction/internal-transaction-detail';

/** The small pipeline with another key set, and a request at its end that uses it: line 13. */
function looking(set: string, dataset: string, endpoint: string): string {
  const keys = `keys: { addresses: { file: a.csv }, found: ${set} }`;
  return [
    changed(4, keys),
    `  ${dataset}:`,
    `    - endpoint: ${endpoint}`,
    '      keys: found',
  ].join('\n');
}

/** The same with two requests under `transactions`, which stands in the file already. */
function lookingUp(set: string, endpoint = E15): string {
  return [
    changed(4, `keys: { addresses: { file: a.csv }, found: ${set} }`)
      .split('\n')
      .toSpliced(8, 0, `    - { endpoint: ${endpoint}, keys: found }`)
      .join('\n'),
  ].join('\n');
}

const NOT_TOGETHER = 'Give it one of file, list and from, as in { file: addresses.csv }.';
const NO_FINDER = 'Add such a request, with keys from a file or a list, or without keys.';

const cases: [title: string, text: string, message: string][] = [
  [
    'a key set with a file that is found as well',
    changed(4, 'keys: { addresses: { file: a.csv, from: [transactions] } }'),
    `4:9: keys.addresses has file and from (addresses). ${NOT_TOGETHER}`,
  ],
  [
    'a key set with a list that is found as well',
    changed(4, `keys: { addresses: { list: ["${A}"], from: [transactions] } }`),
    `4:9: keys.addresses has list and from (addresses). ${NOT_TOGETHER}`,
  ],
  [
    'a column that must be empty in rows nobody looks at',
    changed(4, 'keys: { addresses: { file: a.csv, without: tx_status } }'),
    '4:35: keys.addresses.without needs from in the same key set (without). Remove it.',
  ],
  [
    'endpoints that find nothing',
    changed(4, `keys: { addresses: { file: a.csv, by: [${E12}] } }`),
    '4:35: keys.addresses.by needs from in the same key set (by). Remove it.',
  ],
  [
    'a column that the dataset does not have',
    lookingUp('{ from: [transactions], without: tx_state }'),
    '4:77: keys.found.without is not a column of the datasets in from (tx_state). ' +
      'Name a column that transactions have.',
  ],
  [
    'a column that only one of the datasets has',
    lookingUp('{ from: [transactions, token_transfers], without: gas_used }'),
    '4:94: keys.found.without is not a column of the datasets in from (gas_used). ' +
      'Name a column that transactions and token_transfers have.',
  ],
  [
    'keys found in a dataset that does not exist',
    lookingUp('{ from: [transaction] }'),
    '4:53: keys.found.from[0] is not one of the allowed values (transaction). ' +
      'Did you mean transactions?',
  ],
  [
    'keys found for an endpoint that asks by two columns',
    lookingUp('{ from: [transactions] }', E12),
    '9:74: datasets.transactions[1].keys come from transactions, which does not have the keys of ' +
      'this endpoint (found). The endpoint takes from_address or to_address of the primary chain.',
  ],
  [
    'keys found in rows that do not have their column',
    looking(
      '{ from: [zone_transactions] }',
      'cross_chain_transfers',
      'mainchain/zone/cross/transaction-multi',
    ),
    '14:13: datasets.cross_chain_transfers[0].keys come from zone_transactions, which does not ' +
      'have the keys of this endpoint (found). The endpoint takes zone_tx_hash of the zone chain.',
  ],
  [
    'keys found on the other axis, in a column of the same name',
    looking('{ from: [transactions] }', 'zone_transactions', E18),
    '14:13: datasets.zone_transactions[0].keys come from transactions, which does not have the ' +
      'keys of this endpoint (found). The endpoint takes tx_hash of the zone chain.',
  ],
  [
    'addresses of a file for an endpoint that is asked by hashes',
    looking('{ file: b.csv }', 'internal_transactions', E20),
    '14:13: datasets.internal_transactions[0].keys are addresses, but this endpoint takes ' +
      'hashes (found). Name a key set that takes hashes from rows of other requests, as in ' +
      'found: { from: [internal_transactions] }.',
  ],
  [
    'addresses of a list for an endpoint that is asked by hashes',
    lookingUp(`{ list: ["${A}"] }`),
    '9:66: datasets.transactions[1].keys are addresses, but this endpoint takes hashes ' +
      '(found). Name a key set that takes hashes from rows of other requests, as in ' +
      'found: { from: [transactions] }.',
  ],
  [
    'keys that no request lands',
    looking('{ from: [internal_transactions] }', 'internal_transactions', E20),
    '14:13: datasets.internal_transactions[0].keys come from rows of internal_transactions, ' +
      `but no request lands such rows (found). ${NO_FINDER}`,
  ],
  [
    'keys of an endpoint that nobody asks',
    lookingUp('{ from: [transactions], by: [mainchain/block/transaction-list] }'),
    '9:66: datasets.transactions[1].keys come from rows of transactions of ' +
      `mainchain/block/transaction-list, but no request lands such rows (found). ${NO_FINDER}`,
  ],
];

describe('the key sets of a pipeline file', () => {
  it.each(cases)('refuse %s', (_title, text, message) => {
    expect(refusal(text)).toBe(`p.yaml:${message}`);
  });

  it('may be found, in rows of some endpoints and where a column is empty', () => {
    const text = lookingUp(`{ from: [transactions], by: [${E12}], without: tx_status }`);
    const { keySets, requests } = parsePipeline({ text, file: 'p.yaml' });
    const keySet = { kind: 'found', datasets: ['transactions'], by: [E12], without: 'tx_status' };
    expect(keySets['found']).toEqual(keySet);
    expect(requests.map(({ foundIn }) => foundIn)).toEqual([undefined, undefined, keySet]);
  });

  it('may find addresses too, where the endpoint asks by one column', () => {
    const source = '{ from: [zone_transactions] }';
    const text = [
      looking(source, 'zone_transactions', E4),
      '    - endpoint: mainchain/zone/block/transaction-list-multi',
    ].join('\n');
    const { requests } = parsePipeline({ text, file: 'p.yaml' });
    expect(requests.find(({ entry }) => entry.path === E4)?.foundIn).toMatchObject({
      datasets: ['zone_transactions'],
    });
  });

  it('may be found by an alternative', () => {
    const one = 'mainchain/address/normal-transaction-list';
    const text = (more: string) =>
      lookingUp(`{ from: [transactions], by: [${one}] }`).replace(
        '      keys: addresses\n',
        `      keys: addresses\n${more}`,
      );
    expect(refusal(text(''))).toContain('but no request lands such rows');
    const { requests } = parsePipeline({
      text: text(`      alternatives: [${one}]\n`),
      file: 'p.yaml',
    });
    expect(requests).toHaveLength(3);
  });

  it('that are found are no finders themselves', () => {
    const text = [
      changed(4, 'keys: { addresses: { file: a.csv }, found: { from: [blocks] } }'),
      '  internal_transactions:',
      `    - { endpoint: ${E20}, keys: found }`,
    ].join('\n');
    expect(refusal(text.replace('[blocks]', '[internal_transactions]'))).toContain(
      'but no request lands such rows',
    );
  });
});

describe('what a request says beside its keys', () => {
  const cases: [title: string, text: string, message: string][] = [
    [
      'heights that end before they begin',
      added('      blocks: { from: 9, to: 8 }'),
      '12:30: datasets.token_transfers[0].blocks.to is below blocks.from, which is 9 (8). ' +
        'Give the lower height as from.',
    ],
    [
      'a status that is no way to fall short',
      added('      accept: [complete]'),
      '12:16: datasets.token_transfers[0].accept[0] is not one of the allowed values (complete). ' +
        'Allowed here: truncated, depth_limited, inconsistent.',
    ],
    [
      'one status where a list belongs',
      added('      accept: truncated'),
      '12:15: datasets.token_transfers[0].accept is not a list of statuses (truncated). ' +
        'Use brackets.',
    ],
    [
      'an age of what is no snapshot',
      added('      maxAgeMinutes: 5'),
      '12:7: unknown key in datasets.token_transfers[0] (maxAgeMinutes). ' +
        'Remove it: only snapshots have an age.',
    ],
    [
      'heights of a snapshot',
      added(
        '  native_holders:',
        '    - endpoint: mainchain/address/native-token-position-list',
        '      blocks: { from: 5 }',
      ),
      '14:7: unknown key in datasets.native_holders[0] (blocks). ' +
        'Remove it: a snapshot is the state at the head.',
    ],
    [
      'an alternative where no other endpoint lists the same',
      added('      alternatives: [mainchain/token/transaction-list]'),
      '12:7: unknown key in datasets.token_transfers[0] (alternatives). ' +
        'Remove it: no other endpoint lists the same records.',
    ],
    [
      'an alternative that lists something else',
      changed(8, '      keys: addresses', '      alternatives: [mainchain/block/transaction-list]'),
      '9:22: datasets.transactions[0].alternatives[0] is not one of the allowed values ' +
        '(mainchain/block/transaction-list). Allowed here: ' +
        'mainchain/address/normal-transaction-list.',
    ],
    [
      'a request that an alternative above may ask in its place',
      changed(
        8,
        '      keys: addresses',
        '      alternatives: [mainchain/address/normal-transaction-list]',
        '    - { endpoint: mainchain/address/normal-transaction-list, keys: addresses }',
      ),
      '10:19: datasets.transactions[1].endpoint requests the same records as a request above ' +
        '(mainchain/address/normal-transaction-list). ' +
        'Remove one of the two, or give them different filters.',
    ],
    [
      'the handing in of a contract',
      added('  contract_verifications:', '    - endpoint: mainchain/contract/verify-source-code'),
      `12:3: unknown key in datasets (contract_verifications). Allowed here: ${DATASETS}.`,
    ],
  ];

  it.each(cases)('refuses %s', (_title, text, message) => {
    expect(refusal(text)).toBe(`p.yaml:${message}`);
  });

  it('is a day of age for a snapshot that says nothing', () => {
    const holders = [
      '  native_holders:',
      '    - endpoint: mainchain/address/native-token-position-list',
    ];
    const age = (...more: string[]) => {
      const { requests } = parsePipeline({ text: added(...holders, ...more), file: 'p.yaml' });
      return requests.map(({ maxAgeMinutes }) => maxAgeMinutes);
    };
    expect(age()).toEqual([1440, undefined, undefined]);
    expect(age('      maxAgeMinutes: 0')).toEqual([0, undefined, undefined]);
  });
});
