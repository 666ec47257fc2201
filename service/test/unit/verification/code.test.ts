import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import {
  ADDRESSES,
  submissionOf,
  verifying,
} from '../../../../test/fixtures/verification-setup.ts';
import { codeNode } from '../../../src/verification/deployed-code.ts';
import { differenceOf } from '../../../src/verification/verification.ts';

const [barn = ''] = ADDRESSES;

describe('the comparison', () => {
  const trailer = (digit: string) => `a1646970667341${digit}${digit}0008`;
  const runtime = { object: `6001${trailer('a')}` };

  it("leaves out the compiler's metadata on both sides", () => {
    expect(differenceOf(runtime, `0x6001${trailer('b')}`)).toBeUndefined();
    expect(differenceOf(runtime, '0x6001')).toBeUndefined();
    expect(differenceOf({ object: '6001' }, `0x6001${trailer('b')}`)).toBeUndefined();
    expect(differenceOf(runtime, `0x6002${trailer('a')}`)).toMatch(/differs at byte 1/);
    expect(differenceOf(runtime, `0x600100${trailer('a')}`)).toMatch(/2 bytes, the deployed one 3/);
  });

  it('takes nothing else at the end for a trailer', () => {
    for (const end of [
      '00ff0002',
      'a0ff0002',
      'a16469706673410a0007',
      'a1646f706673410a0008',
      // A byte too many, and one too few.
      'a16469706673410aff0009',
      'a16469706673420a0008',
      '',
    ]) {
      expect(differenceOf({ object: `6001${end}` }, '0x6001') === undefined, end).toBe(end === '');
    }
  });

  it('leaves out values set at deployment, and nothing else', () => {
    const immutableReferences = { 7: [{ start: 1, length: 2 }] };
    const code = { object: '60000000', immutableReferences };
    expect(differenceOf(code, '0x60123400')).toBeUndefined();
    expect(differenceOf(code, '0x60123401')).toMatch(/byte 3/);
    expect(differenceOf(code, '0x60')).toMatch(/4 bytes/);
  });

  it('names a library whose address is missing, and a contract without code', () => {
    const linkReferences = { 'a.sol': { Bales: [] } };
    expect(differenceOf({ object: '60', linkReferences }, '0x60')).toMatch(/library Bales/);
    expect(differenceOf({ object: '' }, '0x60')).toMatch(/no code/);
  });
});

describe('a node that knows the code', () => {
  const requests: unknown[] = [];
  let answer = { status: 200, body: '' };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += String(part);
    });
    request.on('end', () => {
      requests.push([request.url, JSON.parse(body)]);
      response.writeHead(answer.status, { location: '/elsewhere' }).end(answer.body);
    });
  });
  afterAll(() => server.close());

  it('is asked for the newest code, and only code is believed', async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { code, close } = codeNode(`http://127.0.0.1:${port}/v3/key?x=1`, {});
    const tell = (result: unknown) => {
      answer = { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result }) };
    };
    tell('0x60FF');
    expect(await code(barn)).toBe('0x60ff');
    const params = [barn, 'latest'];
    expect(requests).toEqual([
      ['/v3/key?x=1', { jsonrpc: '2.0', id: 1, method: 'eth_getCode', params }],
    ]);
    tell('0x');
    expect(await code(barn)).toBeUndefined();
    for (const wrong of [null, 7, '0x6', 'hay', undefined]) {
      tell(wrong);
      await expect(code(barn)).rejects.toMatchObject({ kind: 'code-unknown' });
    }
    for (const status of [302, 500]) {
      answer = { status, body: '{"result":"0x60"}' };
      await expect(code(barn)).rejects.toMatchObject({ kind: 'code-unknown' });
    }
    answer = { status: 200, body: `{"result":"0x${'60'.repeat(2 ** 20)}"}` };
    await expect(code(barn)).rejects.toMatchObject({ kind: 'code-unknown' });
    await close();
    const { submit } = verifying({ code: codeNode('http://127.0.0.1:1/key', {}).code });
    const refused = await submit(submissionOf(0, ADDRESSES));
    expect(refused).toMatchObject({ status: 503, code: '50047', data: [] });
    expect(refused.text).not.toContain('key');
  });

  it('has an http address', () => {
    for (const url of ['', 'node', 'file:///etc', 'ws://127.0.0.1']) {
      expect(() => codeNode(url, {}), url).toThrow(/--code-rpc/);
    }
  });
});
