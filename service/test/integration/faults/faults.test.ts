import { gunzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { Fault } from '../../../../src/fault.ts';
import { systemEffects } from '../../../../src/system.ts';
import type { Open } from '../../../../test/fixtures/service-faults-setup.ts';
import {
  BLOCKS,
  faultyService,
  HEAD,
  LIST,
  opened,
  smallSource,
} from '../../../../test/fixtures/service-faults-setup.ts';
import { whenOver } from '../../../../test/fixtures/when-over.ts';
import { tablesSource } from '../../../src/memory/records-source.ts';
import { parseFaultPlan } from '../../../src/settings/fault-plan.ts';
import { appliesToOf } from '../../../src/settings/fault-times.ts';

/** Beside other work, what takes a moment alone may take seconds. */
const PATIENCE = { timeout: 300_000 };
const EMPTY = '{"code":"0","msg":"","data":[]}';
const FILLS = '/api/v5/mainchain/block/block-fills?chainShortName=MAINCHAIN&height=7';

function faultOf(yaml: string): Fault {
  try {
    parseFaultPlan({ text: yaml, file: 'faults.yaml' });
  } catch (error) {
    if (error instanceof Fault) return error;
  }
  throw new Error('the plan was taken');
}

describe('a plan of faults', () => {
  it.each([
    ['fault: { }', 'faults.yaml:1:1', 'unknown key', 'Did you mean faults?'],
    [
      'faults: [{ fault: emty }]',
      'faults.yaml:1:19',
      'faults[0].fault is not a known fault',
      'empty',
    ],
    ['faults: [{ }]', 'faults.yaml:1:10', 'faults[0].fault is missing', 'html'],
    [
      'faults:\n  - { fault: empty, evry: 2 }',
      'faults.yaml:2:21',
      'unknown key in faults[0] (evry)',
      'Did you mean every?',
    ],
    [
      'faults: [{ fault: empty, every: 0 }]',
      'faults.yaml:1:33',
      'faults[0].every is not a whole number from 1 to 1000000000 (0)',
      'plain digits',
    ],
    [
      'faults: [{ fault: empty, every: 2, next: 3 }]',
      'faults.yaml:1:10',
      'faults[0] has more than one of every, next and probability',
      'Keep one',
    ],
    [
      'faults: [{ fault: empty, probability: 1.5 }]',
      'faults.yaml:1:39',
      'is not a number from 0 to 1 (1.5)',
      'plain digits',
    ],
    [
      'faults: [{ fault: empty, at: "mainchain/blocks/*" }]',
      'faults.yaml:1:30',
      'faults[0].at matches no endpoint ("mainchain/blocks/*")',
      'windrow describe',
    ],
    // A star does not reach into the next segment.
    ['faults: [{ fault: empty, at: "mainchain/*" }]', ':1:30', 'matches no endpoint', ''],
    ['faults: [{ fault: redirect }]', 'faults.yaml:1:10', 'faults[0].to is missing', 'address'],
    [
      'faults: [{ fault: redirect, to: "javascript:x" }]',
      'faults.yaml:1:33',
      'is not an address',
      'http',
    ],
    [
      'faults: [{ fault: reorganise, depth: 301 }]',
      'faults.yaml:1:38',
      'faults[0].depth is not a whole number from 1 to 300 (301)',
      'plain digits',
    ],
    [
      'limits: [{ rule: tokenbucket, requests: 5 }]',
      'faults.yaml:1:18',
      'limits[0].rule is not a rate limit rule (tokenbucket)',
      'token-bucket',
    ],
    [
      'limits: [{ rule: per-minute, requests: 5, seconds: 1 }]',
      'faults.yaml:1:43',
      'unknown key in limits[0] (seconds)',
      '',
    ],
    [
      'limits: [{ rule: per-minute, requests: 5, reject: { status: 500 } }]',
      'faults.yaml:1:61',
      'limits[0].reject.status is neither 429 nor 200 (500)',
      'one of these',
    ],
    [
      `chain: { maxPageSize: { "${BLOCKS}s": 5 } }`,
      'faults.yaml:1:25',
      `is not an endpoint (${BLOCKS}s)`,
      `Did you mean ${BLOCKS}?`,
    ],
    ['chain: { perMatchListing: yes }', 'faults.yaml:1:27', 'is not true or false (yes)', ''],
    ['chain: [', 'faults.yaml:', 'this is not valid YAML', ''],
  ])('%s is refused where it is wrong', (yaml, where, what, advice) => {
    const fault = faultOf(yaml);
    expect(fault.kind).toBe('configuration');
    expect(fault.where ?? '').toContain(where);
    expect(fault.message).toContain(what);
    expect(fault.advice).toContain(advice);
  });

  it('lists all of its problems', () => {
    const { message } = faultOf('seed: x\nfaults: [{ fault: cut, afterBytes: no }]\nmore: 1');
    expect(message).toContain('3 problems');
    for (const line of [1, 2, 3]) expect(message).toContain(`faults.yaml:${line}:`);
  });

  it('may be JSON, and may be nothing', () => {
    const empty = parseFaultPlan({ text: '', file: 'f' });
    expect(empty).toEqual({ seed: 1, chain: {}, limits: [], faults: [] });
    const yaml = 'faults: [{ fault: compressed, header: false }]';
    const json = '{"faults": [{"fault": "compressed", "header": false}]}';
    const options = (text: string) => parseFaultPlan({ text, file: 'f' });
    expect(options(json)).toEqual(options(yaml));
  });

  it.each([
    ['chain: { advancePerRequest: 1 }', 'cannot grow'],
    ['chain: { delayInternal: 1 }', 'cannot delay records'],
    ['faults: [{ fault: reorganise, depth: 1 }]', 'cannot be reorganised'],
  ])('%s is refused over records that do not move', (yaml, what) => {
    const source = tablesSource(new Map());
    expect(() => faultyService(yaml, { source })).toThrow(what);
  });

  it('reorganises no more blocks than there are', () => {
    const options = (depth: number) => `faults: [{ fault: reorganise, depth: ${depth} }]`;
    expect(() => faultyService(options(HEAD + 2))).toThrow(`has only ${HEAD + 1} of the`);
    expect(() => faultyService(options(HEAD + 1))).not.toThrow();
  });
});

/** The requests, among the first ones, that the fault applies to. */
async function struck(yaml: string, requests: number, target = LIST): Promise<number[]> {
  const { get } = faultyService(yaml);
  const places: number[] = [];
  for (let nth = 1; nth <= requests; nth += 1) {
    if ((await get(target)).body === EMPTY) places.push(nth);
  }
  return places;
}

describe('a fault', () => {
  const rule = (more: string) => `faults: [{ fault: empty, ${more} }]`;

  it.each([
    ['after: 0', [1, 2, 3, 4, 5, 6, 7, 8]],
    ['every: 3', [3, 6]],
    ['next: 2', [1, 2]],
    ['after: 3', [4, 5, 6, 7, 8]],
    ['after: 3, next: 2', [4, 5]],
    ['after: 1, every: 3', [4, 7]],
    ['probability: 0', []],
    ['probability: 1', [1, 2, 3, 4, 5, 6, 7, 8]],
  ])('with %s appliesTo these requests', async (more, expected) => {
    expect(await struck(rule(more), 8)).toEqual(expected);
  });

  it('appliesTo as often as its probability says, and where its seed says', async () => {
    const rule = { at: '**', after: 0, probability: 0.25 };
    const options = (seed: number, place = 0): boolean[] => {
      const appliesTo = appliesToOf(rule, place, seed);
      return Array.from({ length: 4000 }, () => appliesTo(BLOCKS));
    };
    const hits = options(1).filter((isHit) => isHit).length;
    expect(hits).toBeGreaterThan(900);
    expect(hits).toBeLessThan(1100);
    expect(options(1)).toEqual(options(1));
    expect(options(2)).not.toEqual(options(1));
    expect(options(1, 1)).not.toEqual(options(1));
    const yaml = 'seed: 3\nfaults: [{ fault: empty, probability: 0.25 }]';
    const expected = options(3).flatMap((isHit, i) => (isHit && i < 20 ? [i + 1] : []));
    expect(await struck(yaml, 20)).toEqual(expected);
  });

  it('counts the requests it is for, whatever else is asked and goes wrong', async () => {
    const { get } = faultyService(`faults:
  - { fault: empty, at: "**/block-list", every: 2 }
  - { fault: delay, delayMs: 1, probability: 0.5 }`);
    const answers: string[] = [];
    for (const target of [LIST, FILLS, FILLS, LIST, FILLS, LIST, LIST]) {
      answers.push((await get(target)).body === EMPTY ? 'empty' : 'fine');
    }
    expect(answers).toEqual(['fine', 'fine', 'fine', 'empty', 'fine', 'fine', 'empty']);
  });

  it.each([
    ['**', true, true],
    ['mainchain/block/*', true, true],
    ['mainchain/*/block-list', true, false],
    ['**/block-list', true, false],
    [BLOCKS, true, false],
  ])('at %s appliesTo lists of blocks: %s, and blocks: %s', async (at, lists, blocks) => {
    const plan = rule(`at: "${at}"`);
    expect(await struck(plan, 1)).toEqual(lists ? [1] : []);
    expect(await struck(plan, 1, FILLS)).toEqual(blocks ? [1] : []);
  });

  it('leaves pages of the service and refusals of strangers alone', async () => {
    const { get } = faultyService(rule('after: 0'));
    for (const path of ['/healthz', '/metrics']) {
      expect((await get(path)).body, path).not.toBe(EMPTY);
    }
    expect((await get('/api/v5/nowhere')).status).toBe(404);
  });

  it('changes the answer of the next one in the list', async () => {
    const { get } = faultyService(`faults:
  - { fault: compressed, coding: gzip }
  - { fault: wrong-type, as: numbers }
  - { fault: drop-field, field: hash }
  - { fault: clamp-limit, most: 1 }`);
    const { body, delivery, headers } = await get();
    expect(headers['content-encoding']).toBe('gzip');
    expect(delivery).toEqual({ coded: { as: 'gzip', leastBytes: 0 } });
    const [page] = (JSON.parse(body) as { data: [{ limit: number; blockList: object[] }] }).data;
    expect(page.limit).toBe(1);
    expect(page.blockList).toHaveLength(1);
    expect(page.blockList[0]).toMatchObject({ height: HEAD });
    expect(page.blockList[0]).not.toHaveProperty('hash');
  });

  it('is counted, and so are rejections', async () => {
    const { get, service } = faultyService(`limits: [{ rule: per-minute, requests: 5 }]
faults: [{ fault: empty, every: 2 }, { fault: delay, delayMs: 1 }]`);
    for (let nth = 0; nth < 8; nth += 1) await get();
    expect(service.faults.struck).toEqual([2, 5]);
    expect(service.faults.rejected).toBe(3);
  });

  it('ends with its plan, and the next plan begins at nothing', async () => {
    const { get, service, source } = faultyService(`chain: { delayInternal: 30, recordCap: 3 }
faults: [{ fault: empty, every: 2 }]`);
    await get();
    const request = { interval: { from: 0, to: HEAD }, filters: [], bounds: [], oncePerKey: false };
    const internal = { ...request, dataset: 'internal_transactions', offset: 0, count: 0 };
    const listed = async () => (await source.find(internal)).total;
    const fewer = await listed();
    service.faults.replace(parseFaultPlan({ text: rule('every: 2'), file: 'f' }));
    expect(service.faults.struck).toEqual([0]);
    expect(await listed()).toBeGreaterThan(fewer);
    expect((await get()).body).toContain('"totalPage":"9"');
    expect((await get()).body).toBe(EMPTY);
    const refused = parseFaultPlan({ text: rule('after: 1'), file: 'f' });
    const impossible = { ...refused, chain: { advancePerRequest: 1 } };
    Object.assign(source, { growTo: undefined });
    expect(() => service.faults.replace(impossible)).toThrow('cannot grow');
    expect(service.faults.plan.faults).toMatchObject([{ every: 2 }]);
  });
});

describe('a clamped limit', () => {
  const limitOf = async (yaml: string, query: string) => {
    const { get } = faultyService(yaml);
    const { body } = await get(`/api/v5/${BLOCKS}?chainShortName=MAINCHAIN&${query}`);
    const { code, data } = JSON.parse(body) as { code: string; data: { limit: string }[] };
    return data[0]?.limit ?? code;
  };
  const clamp = 'faults: [{ fault: clamp-limit, most: 4 }]';

  it('is that of smaller pages, whatever is asked', async () => {
    expect(await limitOf(clamp, 'limit=3')).toBe('3');
    expect(await limitOf(clamp, 'limit=50')).toBe('4');
    expect(await limitOf(clamp, 'limit=5000')).toBe('4');
    expect(await limitOf(clamp, '')).toBe('4');
    expect(await limitOf(clamp.replace('4', '4, echo: asked'), 'limit=50')).toBe('50');
  });

  it('leaves wrong limits to be refused', async () => {
    expect(await limitOf(clamp, 'limit=x')).toBe('50036');
    expect(await limitOf(clamp, 'limit=7&limit=8')).toBe('50036');
  });
});

describe('a delivery', () => {
  const serving = async (yaml: string): Promise<Open> => {
    const at = await opened(faultyService(yaml, { source: smallSource() }).service);
    whenOver(() => at.close());
    return at;
  };

  it('that is cut at once sends the full length in its header', async () => {
    const at = await serving('faults: [{ fault: cut, afterBytes: 0 }]');
    const answer = await at.get().catch((error: NodeJS.ErrnoException) => error.code);
    if (answer !== 'ECONNRESET') expect(answer).toMatchObject({ isWhole: false });
  });

  it('that is cut ends connections that would have stayed', async () => {
    const at = await serving('faults: [{ fault: cut, after: 1 }]');
    expect((await (await fetch(at.url + LIST)).text()).length).toBeGreaterThan(100);
    const cut = await fetch(at.url + LIST);
    expect(cut.headers.get('connection')).toBe('keep-alive');
    await expect(cut.text()).rejects.toThrow();
  });

  it('that is late is given up when its client leaves', async () => {
    const waits: AbortSignal[] = [];
    const system = systemEffects('warn');
    const at = await opened(faultyService('faults: [{ fault: delay, delayMs: 9876 }]').service, {
      ...system,
      sleep: (delayMs, signal) => {
        if (delayMs === 9876 && signal !== undefined) waits.push(signal);
        return system.sleep(delayMs, signal);
      },
    });
    whenOver(() => at.close());
    const leaving = new AbortController();
    const late = fetch(at.url + LIST, { signal: leaving.signal });
    await vi.waitFor(() => expect(waits).toHaveLength(1), PATIENCE);
    leaving.abort();
    await expect(late).rejects.toThrow();
    await vi.waitFor(() => expect(waits[0]?.aborted).toBe(true), PATIENCE);
  });

  it('that is oversized is not held in memory', async () => {
    const at = await serving('faults: [{ fault: oversized, bytes: 1073741824 }]');
    const before = process.memoryUsage().rss;
    const response = await fetch(at.url + LIST);
    expect(response.headers.get('content-length')).toBe('1073741824');
    await response.body?.cancel();
    expect(process.memoryUsage().rss - before).toBeLessThan(500_000_000);
  });

  it('that is late or slow ends with its client, and does not delay closing', async () => {
    const at = await serving(`faults:
  - { fault: delay, delayMs: 600000, every: 2 }
  - { fault: slow, pieceBytes: 1, pauseMs: 30000 }`);
    const leaving = new AbortController();
    const slow = await fetch(at.url + LIST, { signal: leaving.signal });
    expect(slow.status).toBe(200);
    const late = fetch(at.url + LIST, { signal: leaving.signal });
    leaving.abort();
    await expect(late).rejects.toThrow();
    // Closing would otherwise take hours.
    await at.close();
  });

  it('belongs to the final body, in any order of the faults', async () => {
    const rules = ['{ fault: malformed }', '{ fault: compressed }', '{ fault: cut, every: 2 }'];
    const bodies: string[] = [];
    for (const order of [rules, rules.toReversed()]) {
      const at = await serving(`faults: [${order.join(', ')}]`);
      const { bytes, headers } = await at.get();
      expect(headers['content-encoding']).toBe('gzip');
      bodies.push(gunzipSync(bytes).toString());
      expect(await at.get()).toMatchObject({ isWhole: false });
    }
    expect(bodies[0]).toBe(bodies[1]);
    expect(() => JSON.parse(bodies[0] ?? '')).toThrow();
  });

  it('in a coding that nothing tells of is bytes to a client', async () => {
    const at = await serving('faults: [{ fault: compressed, coding: gzip, header: false }]');
    const { headers, bytes } = await at.get();
    expect(headers['content-encoding']).toBeUndefined();
    expect(gunzipSync(bytes).toString()).toContain('"code":"0"');
  });
});
