import { describe, expect, it } from 'vitest';
import { endpoints } from '../../../../src/catalogue/index.ts';
import { Secret, signature } from '../../../../src/fetch/http/signature.ts';
import { askPost, askTarget, serviceOver } from '../../../../test/contract/asking.ts';
import { virtualClock } from '../../../../test/fixtures/virtual-clock.ts';
import { tablesSource } from '../../../src/memory/records-source.ts';
import { createService } from '../../../src/server/service.ts';

const source = tablesSource(new Map());
const service = serviceOver(source);
const TARGET = `/api/v5/${endpoints.find((entry) => entry.list === 'submission')?.path}`;
const ADDRESS = `0x${'c'.repeat(40)}`;

const BODY = {
  chainShortName: 'MAINCHAIN',
  contractAddress: ADDRESS,
  contractName: 'Barn',
  sourceCode: 'contract Barn {}',
  codeFormat: 'solidity-single-file',
  compilerVersion: 'v0.8.30+commit.73712a01',
  optimization: '1',
};

const submit = (more: Readonly<Record<string, unknown>> = {}) =>
  askPost(service, TARGET, { ...BODY, ...more });

const FINE = { status: 200, code: '0', msg: '' };
const BAD = { status: 400, code: '50036', data: [] };
const MISSING = { status: 400, code: '50014', data: [] };

describe('a contract handed in', () => {
  it('gets the name of its job: 32 hex digits', async () => {
    const answer = await submit();
    expect(answer).toMatchObject(FINE);
    expect(answer.data).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
  });

  it('is refused where nothing verifies it, once it is known to be well formed', async () => {
    const without = createService({ source, effects: virtualClock() });
    const refused = { status: 501, code: '50049', data: [] };
    expect(await askPost(without, TARGET, BODY)).toMatchObject(refused);
    expect(await askPost(without, TARGET, { ...BODY, contractName: '' })).toMatchObject(MISSING);
  });

  it('may say everything that is documented, and more', async () => {
    const answer = await submit({
      optimizationRuns: '200',
      contractAbi: '[]',
      evmVersion: '',
      licenseType: '',
      viaIr: true,
      libraryInfo: [{ libraryName: 'Hay', libraryAddress: ADDRESS }],
      colour: { of: ['the barn'] },
    });
    expect(answer).toMatchObject(FINE);
  });

  it('needs no compiler settings where the source carries its own', async () => {
    const { compilerVersion, optimization, ...without } = BODY;
    for (const name of ['compilerVersion', 'optimization']) {
      expect(await submit({ [name]: undefined })).toMatchObject(MISSING);
      expect((await submit({ [name]: undefined })).msg).toBe(`${name} is required`);
      expect(await submit({ [name]: '' })).toMatchObject(MISSING);
    }
    const codeFormat = 'solidity-standard-json-input';
    expect(await askPost(service, TARGET, { ...without, codeFormat })).toMatchObject(FINE);
  });

  it('is refused where a member is of another type', async () => {
    const wrong = { contractName: 5, sourceCode: ['contract'], optimization: 1, viaIr: 'true' };
    for (const [name, value] of Object.entries({ ...wrong, libraryInfo: {}, evmVersion: null })) {
      expect(await submit({ [name]: value }), name).toMatchObject(BAD);
    }
  });

  it('is refused where the address is none', async () => {
    for (const contractAddress of ['barn', '0x', '0xzz', `${ADDRESS},${ADDRESS}`]) {
      expect(await submit({ contractAddress })).toMatchObject(BAD);
    }
  });
});

describe('libraries', () => {
  const hay = { libraryName: 'Hay', libraryAddress: ADDRESS };

  it('are up to ten', async () => {
    const libraries = (count: number) => Array.from({ length: count }, () => hay);
    expect(await submit({ libraryInfo: [] })).toMatchObject(FINE);
    expect(await submit({ libraryInfo: libraries(10) })).toMatchObject(FINE);
    const answer = await submit({ libraryInfo: libraries(11) });
    expect(answer).toMatchObject({ status: 200, code: '50025', data: [] });
  });

  it.each([{}, { libraryName: 'Hay' }, { libraryName: '', libraryAddress: ADDRESS }])(
    'may leave out their members: %j',
    async (partial) => {
      expect(await submit({ libraryInfo: [hay, partial] })).toMatchObject(FINE);
    },
  );

  it.each([
    ['a text', 'Hay'],
    ['nothing', null],
    ['a list', [hay]],
    ['a name that is no text', { ...hay, libraryName: 7 }],
  ])('are refused with %s among them', async (_, wrong) => {
    expect(await submit({ libraryInfo: [hay, wrong] })).toMatchObject(BAD);
  });
});

describe('a body', () => {
  it.each(['', '{', 'chainShortName=MAINCHAIN', '[]', 'null', '"text"'])(
    '%j is no JSON object',
    async (body) => {
      const answer = await askPost(service, TARGET, body);
      expect(answer).toMatchObject({ status: 400, code: '50002', data: [] });
    },
  );

  it('must be said to be JSON, in any spelling of that', async () => {
    const typed = (headers: Record<string, string>) => askPost(service, TARGET, BODY, headers);
    for (const type of ['application/json', 'Application/JSON; charset=utf-8']) {
      expect(await typed({ 'Content-Type': type })).toMatchObject(FINE);
    }
    for (const type of ['text/plain', 'application/jsonp', 'application/x-www-form-urlencoded']) {
      expect(await typed({ 'content-type': type })).toMatchObject({ status: 400, code: '50006' });
    }
    expect(await typed({})).toMatchObject({ status: 400, code: '50006' });
  });

  it('cannot stand in the query, and is never asked for with GET', async () => {
    const { status, code } = await askPost(service, `${TARGET}?chainShortName=MAINCHAIN`, {});
    expect({ status, code }).toEqual({ status: 400, code: '50014' });
    expect(await askTarget(service, TARGET)).toMatchObject({ status: 405, code: '50041' });
  });

  it('is part of the signed text', async () => {
    const secretKey = new Secret('secret');
    const credentials = [
      { accessKey: new Secret('key'), secretKey, passphrase: new Secret('words') },
    ];
    const effects = virtualClock();
    const guarded = serviceOver(source, { credentials });
    const timestamp = new Date(effects.now()).toISOString();
    const body = JSON.stringify(BODY);
    const parts = { timestamp, method: 'POST', target: TARGET, body };
    const headers = {
      'content-type': 'application/json',
      'svc-access-key': 'key',
      'svc-access-sign': signature(secretKey, parts),
      'svc-access-passphrase': 'words',
      'svc-access-timestamp': timestamp,
    };
    const other = await askPost(guarded, TARGET, body.replace('Barn', 'Shed'), headers);
    expect(other).toMatchObject({ status: 401, code: '50113' });
    expect(await askPost(guarded, TARGET, body, headers)).toMatchObject(FINE);
  });
});
