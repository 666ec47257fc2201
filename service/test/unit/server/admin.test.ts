import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { systemEffects } from '../../../../src/system.ts';
import {
  faultyService,
  HEAD,
  LIST,
  received,
  smallSource,
} from '../../../../test/fixtures/service-faults-setup.ts';
import { whenOver } from '../../../../test/fixtures/when-over.ts';
import { tablesSource } from '../../../src/memory/records-source.ts';
import type { Source } from '../../../src/protocol/source.ts';
import { createAdmin, listenForAdmin } from '../../../src/server/admin.ts';
import { listen } from '../../../src/server/listener.ts';
import { refusalOfHost } from '../../../src/server/listener-hosts.ts';

const JSON_HEADERS = { 'content-type': 'application/json' };

/** A service and its administration, without a port. */
function administered(yaml = '{}', source: Source = smallSource()) {
  const { service, clock, get } = faultyService(yaml, { source });
  const admin = createAdmin({ faults: service.faults, source, effects: clock });
  const ask = async (line: string, body: unknown = '', headers = JSON_HEADERS as object) => {
    const [method = '', target = ''] = line.split(' ');
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const sent = { method, target, headers: { ...headers }, body: text };
    const answer = await admin.answer(sent);
    const parsed = JSON.parse(answer.body) as { code: string; msg: string; data: unknown[] };
    return { ...answer, ...parsed };
  };
  return { service, admin, ask, get, source, clock };
}

describe('the administration', () => {
  it('tells the plan in force, puts another one in force and takes it back', async () => {
    const { ask, get } = administered();
    const nothing = { seed: 1, chain: {}, limits: [], faults: [] };
    expect(await ask('GET /admin/faults')).toMatchObject({
      status: 200,
      code: '0',
      data: [{ plan: nothing, struck: [], rejected: 0 }],
    });
    const faults = [{ fault: 'error', code: '50004', next: 2 }];
    const put = await ask('POST /admin/faults', { faults });
    expect(put.data).toMatchObject([{ plan: { faults: [{ fault: 'error', next: 2 }] } }]);
    expect((await get()).body).toContain('"50004"');
    expect((await ask('GET /admin/faults')).data).toMatchObject([{ struck: [1] }]);
    expect((await ask('DELETE /admin/faults')).data).toMatchObject([{ plan: nothing }]);
    expect((await get()).body).toContain('"code":"0"');
  });

  it('takes back the movement of the chain, too', async () => {
    const { ask, source, get } = administered('chain: { advancePerRequest: 1 }');
    await get();
    expect(source.head('primary')).toBe(HEAD + 1);
    await ask('DELETE /admin/faults');
    await get();
    expect(source.head('primary')).toBe(HEAD + 1);
  });

  it('refuses plans with their problems, and keeps the active plan', async () => {
    const { ask, service } = administered('faults: [{ fault: empty }]');
    const wrong = { faults: [{ fault: 'delay', delayMs: 'x' }, { fault: 'nothing' }] };
    const { status, code, msg } = await ask('POST /admin/faults', wrong);
    expect([status, code]).toEqual([400, '50044']);
    expect(msg).toContain('faults[0].delayMs is not a whole number from 1 to 600000 ("x").');
    expect(msg).toContain('faults[1].fault is not a known fault ("nothing").');
    expect(service.faults.plan.faults).toMatchObject([{ fault: 'empty' }]);
  });

  it.each([
    ['GET /admin', '', 404, '50042'],
    ['GET /', '', 404, '50042'],
    [`GET ${LIST}`, '', 404, '50042'],
    ['GET /admin/constructor', '', 404, '50042'],
    ['PUT /admin/faults', '{}', 405, '50041'],
    ['constructor /admin/faults', '{}', 405, '50041'],
    ['GET /admin/grow', '', 405, '50041'],
    ['POST /admin/faults', '{', 400, '50002'],
    ['POST /admin/faults', '{"faults": {}}', 400, '50044'],
    ['POST /admin/faults', '[]', 400, '50044'],
    ['POST /admin/faults', '"faults"', 400, '50044'],
    ['POST /admin/grow', '{"blocks": 0}', 400, '50044'],
    ['POST /admin/grow', '{"blocks": 1.5}', 400, '50044'],
    ['POST /admin/grow', '{"blocks": "1"}', 400, '50044'],
    ['POST /admin/grow', '{"depth": 1}', 400, '50044'],
    ['POST /admin/grow', '{"blocks": 1000001}', 400, '50044'],
    ['POST /admin/grow', 'null', 400, '50044'],
    ['POST /admin/grow', '', 400, '50002'],
    ['POST /admin/reorganise', '{"depth": 301}', 400, '50044'],
    ['POST /admin/reorganise', `{"depth": ${HEAD + 2}}`, 409, '50045'],
    ['POST /admin/faults', '{"faults":[{"fault":"reorganise","depth":300}]}', 409, '50045'],
  ])('refuses %s of %s with a name for it', async (line, body, status, code) => {
    const { ask, source, clock } = administered();
    const answer = await ask(line, body);
    expect(answer.status).toBe(status);
    expect(answer.code).toContain(code);
    expect(answer.msg).not.toBe('');
    expect(source.head('primary')).toBe(HEAD);
    expect(clock.logged).toEqual([]);
  });

  it.each([9_000, 400_000])('refuses %i brackets within each other', async (depth) => {
    const { ask, clock } = administered();
    for (const body of ['['.repeat(depth), '['.repeat(depth) + ']'.repeat(depth)]) {
      expect((await ask('POST /admin/faults', body)).status).toBe(400);
      expect((await ask('POST /admin/grow', body)).status).toBe(400);
    }
    expect(clock.logged).toEqual([]);
  });

  it.each([
    {},
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/x-www-form-urlencoded' },
  ])('takes nothing that a page in a browser could send by itself: %j', async (headers) => {
    const { ask, source } = administered();
    for (const [path, body] of [
      ['faults', '{}'],
      ['grow', '{"blocks": 1}'],
      ['reorganise', '{"depth": 1}'],
    ]) {
      const answer = await ask(`POST /admin/${path}`, body, headers);
      expect(answer).toMatchObject({ status: 400, code: '50006' });
    }
    expect(source.head('primary')).toBe(HEAD);
  });

  it('lets the chain grow, and reorganises it', async () => {
    const { ask, get } = administered();
    const hashes = async () => {
      const { data } = JSON.parse((await get()).body) as {
        data: [{ blockList: { height: string; hash: string }[] }];
      };
      return new Map(data[0].blockList.map(({ height, hash }) => [Number(height), hash]));
    };
    expect((await ask('POST /admin/grow', { blocks: 2 })).data).toEqual([
      { primaryHeight: String(HEAD + 2) },
    ]);
    const before = await hashes();
    expect([...before.keys()]).toContain(HEAD + 2);
    await ask('POST /admin/reorganise', { depth: 2 });
    const after = await hashes();
    const changed = [...after].filter(([height, hash]) => before.get(height) !== hash);
    expect(changed.map(([height]) => height)).toEqual([HEAD + 2, HEAD + 1]);
  });

  it('refuses to move a source that cannot move', async () => {
    const { ask } = administered('{}', tablesSource(new Map()));
    for (const [path, body] of [
      ['grow', { blocks: 1 }],
      ['reorganise', { depth: 1 }],
      ['faults', { chain: { advancePerRequest: 1 } }],
      ['faults', { chain: { delayInternal: 1 } }],
    ] as const) {
      const answer = await ask(`POST /admin/${path}`, body);
      expect(answer, path).toMatchObject({ status: 409, code: '50045' });
    }
  });
});

describe('a Host header without a port', () => {
  it('means port 80, and no other', () => {
    const { admin } = administered();
    const admitted = { names: new Set(['localhost']), needsOwnPort: true };
    const refusalAt = (localPort: number) => {
      const headersDistinct = { host: ['localhost'] };
      const request = { headers: {}, headersDistinct, socket: { localPort } };
      return refusalOfHost(admin, admitted, request)?.status;
    };
    expect([refusalAt(80), refusalAt(8080)]).toEqual([undefined, 421]);
  });
});

describe('the port of the administration', () => {
  /** Whether a connection to the port of that address is taken. */
  const isReached = (address: string, url: string): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(Number(new URL(url).port), address, () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', () => resolve(false));
    });

  it('is reached at 127.0.0.1 and nowhere else, wherever the service listens', async () => {
    const effects = systemEffects('warn');
    const { service, admin } = administered();
    const everywhere = await listen(service, { host: '0.0.0.0', effects });
    const here = await listenForAdmin(admin, 0, effects);
    for (const listener of [everywhere, here]) whenOver(() => listener.close());
    expect(here.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
    // The whole of 127.0.0.0/8 is this machine, so both could be reached there.
    expect(await isReached('127.0.0.2', everywhere.url)).toBe(true);
    expect(await isReached('127.0.0.2', here.url)).toBe(false);
    expect(await isReached('::1', here.url)).toBe(false);
    expect(await isReached('127.0.0.1', here.url)).toBe(true);
    // The port of the service knows nothing of it.
    const { port } = new URL(everywhere.url);
    expect((await received(`http://127.0.0.1:${port}/admin/faults`)).status).toBe(404);
    expect((await received(`${here.url}/admin/faults`)).status).toBe(200);
  });

  it('answers under names of this machine alone, and takes no body without end', async () => {
    const { admin } = administered();
    const here = await listenForAdmin(admin, 0, systemEffects('warn'));
    whenOver(() => here.close());
    const url = `${here.url}/admin/faults`;
    const strange = await received(url, { headers: { host: 'rebound.example' } });
    expect(strange.status).toBe(421);
    expect(strange.bytes.toString()).toContain('"50039"');
    const body = `"${'x'.repeat(1_100_000)}"`;
    const long = await received(url, { method: 'POST', headers: JSON_HEADERS, body });
    expect(long.status).toBe(413);
  });

  it('has to be named, whatever the name is', async () => {
    const { admin } = administered();
    const here = await listenForAdmin(admin, 0, systemEffects('warn'));
    whenOver(() => here.close());
    const parts = new URL(here.url).port;
    const status = async (host: string) =>
      (await received(`${here.url}/admin/faults`, { headers: { host } })).status;
    for (const name of ['localhost', 'LOCALHOST', '127.0.0.1', '[::1]']) {
      expect(await status(`${name}:${parts}`), name).toBe(200);
      for (const other of ['', ':', ':80', `:${parts}0`, ':x', `:${parts}:${parts}`]) {
        expect(await status(name + other), name + other).toBe(421);
      }
    }
  });
});
