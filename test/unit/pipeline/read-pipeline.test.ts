import { describe, expect, it } from 'vitest';
import { parsePipeline } from '../../../src/pipeline/read-pipeline.ts';
import {
  A,
  ALL_KEYS,
  added,
  changed,
  DATASETS,
  PLAIN,
  refusal,
  SMALL,
  SOURCE_KEYS,
  source,
} from '../../fixtures/pipeline-small.ts';

const cases: [title: string, text: string, message: string][] = [
  [
    'an unquoted address in a list',
    changed(4, 'keys:', '  addresses:', '    list:', `      - "${A}"`, `      - ${A}`),
    `8:9: YAML reads this as a number (${A}). Put it in quotes: "${A}".`,
  ],
  [
    'an unquoted address in a filter',
    added('      where:', `        tokenContractAddress: ${A}`),
    `13:31: YAML reads this as a number (${A}). Put it in quotes: "${A}".`,
  ],
  [
    'a malformed address in a list',
    changed(4, `keys: { addresses: { list: ["${A}", '0x12'] } }`),
    "4:75: keys.addresses.list[1] is not an address ('0x12'). " +
      'Write 0x and 40 hexadecimal digits, in quotes.',
  ],
  [
    'a malformed address in a filter',
    added('      where: { tokenContractAddress: USDX }'),
    '12:38: datasets.token_transfers[0].where.tokenContractAddress is not an address (USDX). ' +
      'Write 0x and 40 hexadecimal digits, in quotes.',
  ],
  [
    'an unknown key that is nearly a known one',
    added('windowBlock: 5'),
    '12:1: unknown key (windowBlock). Did you mean windowBlocks?',
  ],
  [
    'an unknown key that is like no other',
    added('colour: red'),
    `12:1: unknown key (colour). Allowed here: ${ALL_KEYS}.`,
  ],
  [
    'an unknown key that every object of the language has',
    added('constructor: 1'),
    `12:1: unknown key (constructor). Allowed here: ${ALL_KEYS}.`,
  ],
  [
    'an unknown key within a mapping',
    source('chian: D'),
    '6:3: unknown key in source (chian). Did you mean chain?',
  ],
  [
    'a merge key',
    added('<<: { order: newest-first }'),
    `12:1: unknown key (<<). Allowed here: ${ALL_KEYS}.`,
  ],
  [
    'a key given twice',
    added('name: again'),
    '12:1: this key is given twice (name). Keep one of the two; the first is on line 2.',
  ],
  [
    'a key given twice, once in quotes',
    source('"chain": D'),
    '6:3: this key is given twice (chain). Keep one of the two; the first is on line 5.',
  ],
  [
    'a key without a name',
    added(': 5'),
    '12:1: this cannot be a key (nothing). ' +
      'Give the value a name of letters and digits, followed by a colon.',
  ],
  [
    'a key that would reach behind the values',
    changed(4, 'keys: { addresses: { file: a.csv }, __proto__: { file: b.csv } }'),
    '4:37: this cannot be a key (__proto__). ' +
      'Give the value a name of letters and digits, followed by a colon.',
  ],
  [
    'an anchor',
    changed(2, 'name: &it small'),
    '2:7: an anchor is not accepted (&it). ' +
      'Remove it, and write the values out where you need them.',
  ],
  ['an alias', added('order: *it'), '12:8: an alias is not accepted (*it). Write the value out.'],
  [
    'a tag',
    changed(2, 'name: !!str small'),
    '2:7: a tag is not accepted (!!str). ' +
      'Remove it; put text in quotes where YAML would misread it.',
  ],
  [
    'a directive',
    ['%YAML 1.1', '---', ...SMALL].join('\n'),
    '1:1: a directive is not accepted (%YAML 1.1). Remove the line.',
  ],
  [
    'a second document',
    added('---', 'name: other'),
    '12:1: a second document is not accepted (---). ' + 'Put each pipeline into a separate file.',
  ],
  [
    'broken YAML',
    changed(2, 'name: a: b'),
    '2:7: this is not valid YAML: nested mappings are not allowed in compact mappings (name: a: b). ' +
      'Correct this line or the one before. Text with : # @ or brackets needs quotes.',
  ],
  [
    'a tab',
    changed(8, '\tkeys: addresses'),
    '8:1: this is not valid YAML: tabs are not allowed as indentation (keys: addresses). ' +
      'Indent with spaces.',
  ],
  [
    'an empty file',
    '# nothing\n',
    `1:1: the pipeline is not a mapping (nothing). Give it the keys it takes: ${ALL_KEYS}.`,
  ],
  [
    'a list',
    '- version: 1\n',
    `1:1: the pipeline is not a mapping (a list). Give it the keys it takes: ${ALL_KEYS}.`,
  ],
];

describe('a pipeline file', () => {
  it.each(cases)('refuses %s', (_title, text, message) => {
    expect(refusal(text)).toBe(`p.yaml:${message}`);
  });

  it('reports every problem at once, in the order of the file', () => {
    const text = [
      'version: 1',
      'name: Small',
      'source: { chain: &c C }',
      'keys: { a: {} }',
      'datasets:',
      '  transactions:',
      '    - endpoint: mainchain/address/normal-transaction-list-multi',
      '      keys: b',
      '      each: { isFromOrTo: [to, to, up] }',
      'groupSize: 0',
    ].join('\n');
    expect(refusal(text).split('\n')).toEqual([
      'p.yaml: 8 problems:',
      '- p.yaml:2:7: name is not the name of a pipeline (Small). ' +
        'Use lower-case letters, digits and hyphens, as in address-activity.',
      '- p.yaml:3:1: source.url is missing. Give the whole address of the service.',
      '- p.yaml:3:18: an anchor is not accepted (&c). ' +
        'Remove it, and write the values out where you need them.',
      '- p.yaml:4:9: keys.a has no keys (a). ' +
        'Give it one of file, list and from, as in { file: addresses.csv }.',
      '- p.yaml:8:13: datasets.transactions[0].keys is not one of the key sets (b). ' +
        'Allowed here: a.',
      '- p.yaml:9:32: datasets.transactions[0].each.isFromOrTo[1] is listed twice (to). ' +
        'Remove it here; windrow walks the list of each value once.',
      '- p.yaml:9:36: datasets.transactions[0].each.isFromOrTo[2] is not one of the allowed ' +
        'values (up). Allowed here: from, to.',
      `- p.yaml:10:12: groupSize is not a whole number from 1 to 20 (0). ${PLAIN}`,
      'Correct them all, then try again.',
    ]);
  });

  it('reports everything that is missing from an empty mapping', () => {
    const missing = refusal('{}').split('\n').slice(1, -1);
    expect(missing).toEqual([
      '- p.yaml:1:1: version is missing. Write version: 1.',
      '- p.yaml:1:1: name is missing. ' +
        'Use lower-case letters, digits and hyphens, as in address-activity.',
      `- p.yaml:1:1: source is missing. Give it the keys it takes: ${SOURCE_KEYS}.`,
      `- p.yaml:1:1: datasets is missing. Give it the keys it takes: ${DATASETS}.`,
    ]);
  });

  it('counts lines and columns as editors do, whatever the line ends and with a mark first', () => {
    const text = `\uFEFF# a comment\r\n${added('groupSize: 0').replaceAll('\n', '\r\n')}`;
    expect(refusal(text)).toContain('p.yaml:13:12: groupSize');
    expect(refusal('\uFEFFcolour: red')).toContain('p.yaml:1:1: unknown key (colour)');
  });

  it('does not mistake text for the marks it refuses', () => {
    const text = changed(
      3,
      'source:',
      '  url: "http://127.0.0.1/&a/*b/!c/%d" # &x *y !z',
      '  chain: C',
    );
    expect(parsePipeline({ text, file: 'p.yaml' }).source.url).toBe('http://127.0.0.1/&a/*b/!c/%d');
  });

  it('ends with a fault on endless brackets', () => {
    expect(refusal(`a: ${'['.repeat(20_000)}`)).toMatch(/^p\.yaml:1:\d+: this is not valid YAML: /);
  });
});
