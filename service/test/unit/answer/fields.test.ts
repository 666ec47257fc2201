import { readFile } from 'node:fs/promises';
import { describe, expect, it, test } from 'vitest';
import { Secret, signature } from '../../../../src/fetch/http/signature.ts';
import { serviceOver } from '../../../../test/contract/asking.ts';
import { tablesSource } from '../../../src/memory/records-source.ts';
import { openApiDocument } from '../../../src/openapi/openapi.ts';
import { DEFAULT_NAMES } from '../../../src/protocol/source.ts';
import type { ServiceSettings } from '../../../src/settings/settings.ts';
import { fullSettings } from '../../../src/settings/settings.ts';

/** Goal: a client finds the facts that an answer leaves open. */

const IN_BLOCK = '/api/v5/mainchain/block/transaction-list';
const ZONE_BLOCKS = '/api/v5/mainchain/zone/block/block-list';

function answering(settings: ServiceSettings = {}) {
  const transaction = { tx_hash: '0x1', block_number: '5', from_is_contract: false };
  const source = tablesSource(new Map([['transactions', [transaction]]]));
  const service = serviceOver(source, settings);
  return (path: string, query: Readonly<Record<string, string>>) => {
    const target = `${path}?${new URLSearchParams(query)}`;
    return service.answer({ method: 'GET', target, headers: {}, body: '' });
  };
}

const ASKED = { chainShortName: 'MAINCHAIN', height: '5' };

describe('a field that is not known', () => {
  it('is an empty text, or left out where it is a flag', async () => {
    const { body } = await answering()(IN_BLOCK, ASKED);
    const [record] = JSON.parse(body).data[0].blockList;
    expect(record).toMatchObject({ txid: '0x1', isFromContract: false, methodId: '' });
    expect(Object.keys(record)).not.toContain('isToContract');
  });
});

describe('the record cap', () => {
  it('comes with every page of a primary-chain list, and with no other answer', async () => {
    const told = async (path: string, settings: ServiceSettings = {}) => {
      const chainShortName = path === ZONE_BLOCKS ? 'ZONECHAIN' : 'MAINCHAIN';
      const { headers } = await answering(settings)(path, { ...ASKED, chainShortName });
      return headers['x-record-cap'];
    };
    expect(await told(IN_BLOCK)).toBe('10000');
    expect(await told(IN_BLOCK, { recordCap: 7 })).toBe('7');
    expect(await told(ZONE_BLOCKS)).toBeUndefined();
  });

  it('stands in the document of the service', () => {
    const { paths } = openApiDocument(fullSettings({}), DEFAULT_NAMES);
    expect(paths[IN_BLOCK]?.get?.responses[200]?.headers).toHaveProperty('x-record-cap');
    expect(paths[ZONE_BLOCKS]?.get?.responses[200]?.headers).toBeUndefined();
  });
});

describe('the recipe of signatures', () => {
  it('stands in the document of a service that checks them', () => {
    const secret = new Secret('x');
    const credentials = [{ accessKey: secret, secretKey: secret, passphrase: secret }];
    const { components } = openApiDocument(fullSettings({ credentials }), DEFAULT_NAMES);
    const { description } = components.securitySchemes?.['ACCESS-SIGN'] ?? {};
    expect(description).toContain('base64(HMAC-SHA256(secret key, timestamp + method + target');
  });
});

test('the example of docs/authentication.md is signed as it says', async () => {
  const text = await readFile(
    new URL('../../../../docs/authentication.md', import.meta.url),
    'utf8',
  );
  const [, target = ''] = /^GET (\S+)$/m.exec(text) ?? [];
  const [, timestamp = ''] = /^SVC-ACCESS-TIMESTAMP: (\S+)$/m.exec(text) ?? [];
  const signed = signature(new Secret('a secret'), { timestamp, method: 'GET', target, body: '' });
  expect(text).toContain(`has the signature \`${signed}\``);
  expect(text.split(target)).toHaveLength(4);
  expect(text.split(timestamp)).toHaveLength(4);
});
