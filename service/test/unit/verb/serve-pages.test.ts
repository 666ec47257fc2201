import { beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../../../src/fetch/http/signature.ts';
import { type Explored, exploredLake, OWN } from '../../../../test/fixtures/explored-lake.ts';
import { quietConsole } from '../../../../test/fixtures/quiet-console.ts';
import { quietEffects } from '../../../../test/fixtures/quiet-effects.ts';
import { whenOver } from '../../../../test/fixtures/when-over.ts';
import { tablesSource } from '../../../src/memory/records-source.ts';
import { createService } from '../../../src/server/service.ts';
import { openPages } from '../../../src/verb/serve.ts';

/** Goal: pages about a lake need no key, so a service that checks keys has none by itself. */

let explored: Explored;
beforeAll(async () => {
  explored = await exploredLake();
  whenOver(() => explored.close());
});

describe('pages about a lake', () => {
  it.each([
    [{ auth: false }, true],
    [{ auth: true }, false],
    [{ auth: true, pages: true }, true],
    [{ auth: false, pages: false }, false],
  ])('with %j: %s', async (input, isServed) => {
    const pages = await openPages(
      { data: explored.small.root, ...input },
      quietEffects(),
      quietConsole,
    );
    expect(pages !== undefined).toBe(isServed);
    await pages?.close();
  });

  it('are absent without a lake, and cannot be asked for', async () => {
    expect(await openPages({ auth: false }, quietEffects(), quietConsole)).toBeUndefined();
    await expect(
      openPages({ auth: true, pages: true }, quietEffects(), quietConsole),
    ).rejects.toMatchObject({
      kind: 'usage',
    });
  });

  it('need no signature of a service that checks them, and take GET and HEAD', async () => {
    const secret = new Secret('b');
    const key = { accessKey: secret, secretKey: secret, passphrase: secret };
    const options = { source: tablesSource(new Map()), effects: quietEffects() };
    const settings = { credentials: [key] };
    const service = createService({ ...options, settings, recordPages: explored.explorer });
    const ask = (method: string) => {
      return service.answer({ method, target: `/explore/address/${OWN}`, headers: {}, body: '' });
    };
    const whole = await ask('GET');
    expect(whole.status).toBe(200);
    const head = await ask('HEAD');
    expect([head.status, head.body]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(whole.body)));
    expect((await ask('POST')).status).toBe(405);
    const without = createService({ ...options, settings });
    const missing = await without.answer({ method: 'GET', target: '/', headers: {}, body: '' });
    expect(missing.status).toBe(404);
  });

  it('count as one endpoint in the metrics, because their paths name addresses', async () => {
    const service = createService({
      source: tablesSource(new Map()),
      effects: quietEffects(),
      recordPages: explored.explorer,
    });
    const ask = (target: string) =>
      service.answer({ method: 'GET', target, headers: {}, body: '' });
    await ask(`/explore/address/${OWN}`);
    const { body } = await ask('/metrics');
    expect(body).toContain('endpoint="/explore"');
    expect(body).not.toContain(OWN);
  });
});
