import { describe, expect, it } from 'vitest';
import { parsePipeline } from '../../../../src/pipeline/read-pipeline.ts';

/** Goal: the `pending` of a pipeline is read, and each mistake is named with its place. */

const KEYS = 'keys: { addresses: { list: ["0x1111111111111111111111111111111111111111"] } }';

function parsed(pending: string, keys = KEYS) {
  const text = `version: 1\nname: p\nsource: { url: "http://a", chain: C }\n${keys}\n${pending}\n`;
  return parsePipeline({ text, file: 'p.yaml' }).pending;
}

describe('pending', () => {
  it('has an address, a rhythm, reads, and the only key set with addresses', () => {
    expect(parsed('pending: { url: /rpc, reads: [nonces, block, calls: c.csv] }')).toEqual({
      url: '/rpc',
      everyMs: 2000,
      reads: ['block', 'nonces'],
      callsFile: 'c.csv',
      keySet: 'addresses',
    });
    expect(parsed('pending: { url: https://b/x, every: 1m, reads: [receipts] }', '')).toEqual({
      url: 'https://b/x',
      everyMs: 60_000,
      reads: ['receipts'],
    });
  });

  it.each([
    ['{ url: rpc, reads: [block] }', KEYS, 'p.yaml:5:17', 'not an http or https address (rpc)'],
    ['{ url: /rpc, reads: [blocks] }', KEYS, 'p.yaml:5:31', 'is not a read'],
    ['{ url: /rpc, reads: [] }', KEYS, 'p.yaml:5:', 'names nothing to read'],
    ['{ url: /rpc, reads: [block, block] }', KEYS, 'p.yaml:5:38', 'is listed twice'],
    ['{ url: /rpc, reads: [block], every: 2 }', KEYS, 'p.yaml:5:', 'is not a duration'],
    ['{ url: /rpc, reads: [nonces] }', 'keys: {}', 'p.yaml:5:31', 'has 0 key sets'],
    ['{ url: /rpc, reads: [nonces], keys: other }', KEYS, 'p.yaml:5:46', 'not a key set with'],
  ])('refuses %s', (pending, keys, place, message) => {
    const parse = () => parsed(`pending: ${pending}`, keys);
    expect(parse).toThrow(message);
    expect(parse).toThrow(expect.objectContaining({ where: expect.stringContaining(place) }));
  });
});
