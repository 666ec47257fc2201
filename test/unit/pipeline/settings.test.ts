import { describe, expect, it } from 'vitest';
import { added, changed, PLAIN, refusal, SMALL, source } from '../../fixtures/pipeline-small.ts';

const cases: [title: string, text: string, message: string][] = [
  [
    'another version',
    changed(1, 'version: 2'),
    '1:10: version is not a version of this format that windrow knows (2). Write version: 1.',
  ],
  [
    'a version in quotes',
    changed(1, 'version: "1"'),
    '1:10: version is not a version of this format that windrow knows ("1"). Write version: 1.',
  ],
  [
    'a missing key',
    SMALL.toSpliced(1, 1).join('\n'),
    '1:1: name is missing. Use lower-case letters, digits and hyphens, as in address-activity.',
  ],
  [
    'a missing key within a mapping',
    changed(3, 'source:', '  url: "http://127.0.0.1"'),
    '3:1: source.chain is missing. ' +
      'Use letters, digits, hyphens and underscores, as in MAINCHAIN.',
  ],
  [
    'a name with capitals',
    changed(2, 'name: Small'),
    '2:7: name is not the name of a pipeline (Small). ' +
      'Use lower-case letters, digits and hyphens, as in address-activity.',
  ],
  [
    'nothing where a value belongs',
    changed(2, 'name:'),
    '2:6: name is not the name of a pipeline (nothing). ' +
      'Use lower-case letters, digits and hyphens, as in address-activity.',
  ],
  [
    'a source without a scheme',
    changed(3, 'source: { url: localhost, chain: MAINCHAIN }'),
    '3:16: source.url is not an http or https address (localhost). ' +
      'Give the whole address of the service, as in https://explorer.example.',
  ],
  [
    'a password in the address, without repeating it',
    changed(3, 'source: { url: "http://me:hidden@host", chain: MAINCHAIN }'),
    '3:16: source.url holds a user name or password ("http://[redacted]@host"). ' +
      'Remove it; secrets come from the environment or from a separate file.',
  ],
  [
    'a chain that is no folder name',
    changed(3, 'source: { url: "http://127.0.0.1", chain: ../up }'),
    '3:43: source.chain is not the short name of a chain (../up). ' +
      'Use letters, digits, hyphens and underscores, as in MAINCHAIN.',
  ],
  [
    'a secret where its origin belongs, without repeating it',
    source('credentials: hidden'),
    '6:16: source.credentials is none of the allowed forms (not shown). ' +
      'Write environment, none, { file: NAME } or { command: [PROGRAM, ...] }; do not write ' +
      'secrets here.',
  ],
  [
    'a misspelled key where a form of several was meant',
    source('credentials: { fil: keys.json }'),
    [
      ' 2 problems:',
      '- p.yaml:6:16: source.credentials needs a file or a command (not shown). ' +
        'Write { file: NAME } or { command: [PROGRAM, ...] }.',
      '- p.yaml:6:18: unknown key in source.credentials (fil). Did you mean file?',
      'Correct them all, then try again.',
    ].join('\n'),
  ],
  [
    'neither a file nor a command',
    source('credentials: { shell: yes }'),
    '6:16: source.credentials needs a file or a command (not shown). ' +
      'Write { file: NAME } or { command: [PROGRAM, ...] }.',
  ],
  [
    'secrets in the file',
    source('credentials: { file: x, secretKey: hidden }'),
    '6:27: unknown key in source.credentials (secretKey). ' +
      'Allowed here: file, command, shell, timeout.',
  ],
  [
    'a class of codes that does not exist',
    source('codes: { "50999": throtle }'),
    '6:21: source.codes.50999 is not one of the allowed values (throtle). Did you mean throttle?',
  ],
  [
    'the code of success',
    source('codes: { "0": empty }'),
    '6:12: source.codes.0 is not a code of an error (0). ' +
      'Write the code as the service sends it; 0 is the code of success.',
  ],
  [
    'a rate that begins above its end',
    source('rate: { startPerSecond: 9, maxPerSecond: 5 }'),
    '6:27: source.rate.startPerSecond is above maxPerSecond, which is 5 (9). ' +
      'Lower it, or raise maxPerSecond.',
  ],
  [
    'a rate of nothing',
    source('rate: { maxPerSecond: 0 }'),
    '6:25: source.rate.maxPerSecond is not a number from 0.01 to 10000 (0). ' +
      'Write it in plain digits without trailing zeros, as in 2 or 0.5.',
  ],
  [
    'a range that ends before it begins',
    added('blocks: { from: 10, to: 9 }'),
    '12:25: blocks.to is below blocks.from, which is 10 (9). Give the lower height as from.',
  ],
  [
    'a text that is not a range',
    added('blocks: 16m:17m'),
    '12:9: blocks is not a range of heights (16m:17m). Write the first and the last height, as ' +
      'in 19000000:19009999 or 16M:17M; 16M:+1000 is 1,000 blocks, 16M: ends below the safe ' +
      'height, and -1000: is the newest 1,000 blocks below it.',
  ],
  [
    'a last height that is no height',
    added('blocks: { to: latest }'),
    '12:15: blocks.to is neither safe, nor head, nor a height (latest). ' +
      'Write one of these without quotes.',
  ],
  [
    'a height beyond exact numbers',
    added('blocks: { from: 9007199254740993 }'),
    '12:17: blocks.from is not a whole number from 0 to 9007199254740991 ' +
      `(9007199254740993). ${PLAIN}`,
  ],
  [
    'a window that is too long',
    added('windowBlocks: 10001'),
    `12:15: windowBlocks is not a whole number from 1 to 10000 (10001). ${PLAIN}`,
  ],
  [
    'a group that is too large',
    added('groupSize: 21'),
    `12:12: groupSize is not a whole number from 1 to 20 (21). ${PLAIN}`,
  ],
  [
    'an order that does not exist',
    added('order: oldest'),
    '12:8: order is not one of the allowed values (oldest). ' +
      'Allowed here: oldest-first, newest-first.',
  ],
];
const NO_NUMBERS = ['1e4', '0o17', '1_000', '10.5', '010', '-5', '+5', '"10"', "'10'", 'ten', '.5'];

describe('the settings of a pipeline file', () => {
  it.each(cases)('refuse %s', (_title, text, message) => {
    expect(refusal(text)).toBe(`p.yaml:${message}`);
  });

  it.each(NO_NUMBERS)('takes %s for no whole number', (text) => {
    expect(refusal(added(`windowBlocks: ${text}`))).toBe(
      `p.yaml:12:15: windowBlocks is not a whole number from 1 to 10000 (${text}). ${PLAIN}`,
    );
  });

  it('takes a hexadecimal number for no number', () => {
    expect(refusal(added('windowBlocks: 0x10'))).toBe(
      'p.yaml:12:15: a hexadecimal number is not accepted (0x10). ' +
        'Write it in decimal digits, or in quotes if it is text.',
    );
  });
});
