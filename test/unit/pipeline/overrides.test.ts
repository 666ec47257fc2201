import { describe, expect, it } from 'vitest';
import { Fault } from '../../../src/fault.ts';
import { firstHeight } from '../../../src/pipeline/axis-settings.ts';
import { parseBlocks } from '../../../src/pipeline/syntax/block-range.ts';
import { parseSourceUrl } from '../../../src/pipeline/syntax/source-url.ts';

function refusal(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    expect(error.kind).toBe('usage');
    return error.paragraph();
  }
  throw new Error('it was accepted');
}

describe('--blocks', () => {
  it('gives the inclusive interval', () => {
    expect(parseBlocks('0:0')).toEqual({ from: 0, to: 0 });
    expect(parseBlocks('19000000:19009999')).toEqual({ from: 19_000_000, to: 19_009_999 });
    expect(parseBlocks('0:9007199254740991').to).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each([
    '',
    '5',
    ':',
    '1:2:3',
    '-0:',
    '+1:5',
    '1:+',
    '16m:17m',
    '01:5',
    '1e3:2e3',
    '0x1:0x2',
    '1_000:2_000',
    ' 1:2',
    '1:2\n',
    '1.0:2',
    '0:safe',
    '0:9007199254740992',
    '9007199254740993:9007199254740993',
  ])('refuses %j', (text) => {
    expect(refusal(() => parseBlocks(text))).toBe(
      `--blocks is not a range of heights (${text.replace('\n', '\\u{a}')}). ` +
        'Write the first and the last height, as in 19000000:19009999 or 16M:17M; 16M:+1000 is ' +
        '1,000 blocks, 16M: ends below the safe height, and -1000: is the newest 1,000 blocks ' +
        'below it.',
    );
  });

  it('may leave out its end, which is the safe height, or its beginning, which is block 0', () => {
    expect(parseBlocks('20000:')).toEqual({ from: 20_000, to: 'safe' });
    expect(parseBlocks(':20000')).toEqual({ from: 0, to: 20_000 });
  });

  it('may count in thousands, millions, blocks of a length, and blocks below the safe height', () => {
    expect(parseBlocks('16M:17M')).toEqual({ from: 16_000_000, to: 17_000_000 });
    expect(parseBlocks('5k:+1k')).toEqual({ from: 5_000, to: 5_999 });
    expect(parseBlocks('-1000:')).toEqual({ from: -1000, to: 'safe' });
    expect(firstHeight({ from: -1000, to: 'safe' }, 5_000)).toBe(4_000);
    expect(firstHeight({ from: -1000, to: 'safe' }, 10)).toBe(0);
    expect(refusal(() => parseBlocks('-5:9'))).toContain('has an end (-5:9). Leave out its end');
    expect(refusal(() => parseBlocks('7:+0'))).toContain('Give at least one block');
  });

  it('refuses a range that ends before it begins, and shows it the other way round', () => {
    expect(refusal(() => parseBlocks('9:5', '--zone-blocks'))).toBe(
      '--zone-blocks ends before it begins (9:5). Give the lower height first, as in 5:9.',
    );
  });
});

describe('--source-url', () => {
  it('gives the address without the slashes at its end', () => {
    expect(parseSourceUrl('http://127.0.0.1:8080')).toBe('http://127.0.0.1:8080');
    expect(parseSourceUrl('https://explorer.example/service//')).toBe(
      'https://explorer.example/service',
    );
  });

  it.each(['', 'explorer.example', 'ftp://explorer.example', 'http://', 'file:///etc', 'http:/x'])(
    'refuses %j',
    (text) => {
      expect(refusal(() => parseSourceUrl(text))).toBe(
        `--source-url is not an http or https address (${text}). ` +
          'Give the whole address of the service, as in https://explorer.example.',
      );
    },
  );

  it('refuses a query or a fragment', () => {
    for (const text of ['http://a.example/?x=1', 'http://a.example/#x']) {
      expect(refusal(() => parseSourceUrl(text))).toBe(
        `--source-url has a query, a fragment or a space (${text}). ` +
          'Give the address without it; paths of the service are added after it.',
      );
    }
  });

  it('refuses a password, and does not repeat it', () => {
    expect(refusal(() => parseSourceUrl('http://user:hidden@a.example'))).toBe(
      '--source-url holds a user name or password (http://[redacted]@a.example). ' +
        'Remove it; secrets come from the environment or from a separate file.',
    );
  });
});
