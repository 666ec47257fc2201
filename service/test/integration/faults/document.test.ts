import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { systemEffects } from '../../../../src/system.ts';
import { faultsDocument } from '../../../../test/contract/faults-document.ts';
import {
  CHAIN_EXAMPLES,
  FAULT_EXAMPLES,
  LIMIT_EXAMPLES,
} from '../../../../test/contract/faults-examples.ts';
import type { Open, Received } from '../../../../test/fixtures/service-faults-setup.ts';
import {
  faultyService,
  HEAD,
  LIST,
  opened,
  smallSource,
} from '../../../../test/fixtures/service-faults-setup.ts';
import { whenOver } from '../../../../test/fixtures/when-over.ts';
import { createService } from '../../../src/server/service.ts';
import { parseFaultPlan } from '../../../src/settings/fault-plan.ts';
import type { FaultName, FaultPlan } from '../../../src/settings/fault-schema.ts';
import type { PlanLimit } from '../../../src/settings/rate-limits-schema.ts';

describe('the page on faults', () => {
  const file = fileURLToPath(new URL('../../../../docs/faults.md', import.meta.url));

  it('is current: UPDATE=1 writes it again', () => {
    if (process.env['UPDATE'] === '1') writeFileSync(file, faultsDocument());
    expect(readFileSync(file, 'utf8')).toBe(faultsDocument());
  });

  it('lists every member with its meaning', () => {
    for (const row of faultsDocument().matchAll(/^\| `[a-zA-Z.[\]]+` \|.*$/gm)) {
      const [, , , , meaning = ''] = row[0].split(/(?<!\\)\|/);
      expect(meaning.trim(), row[0]).not.toBe('');
    }
  });
});

type Json = Readonly<Record<string, unknown>>;

interface Envelope {
  readonly code: unknown;
  readonly data: unknown;
}

function envelopeIn({ bytes }: Pick<Received, 'bytes'>): Envelope {
  return JSON.parse(bytes.toString()) as Envelope;
}

function blocksIn(answer: Pick<Received, 'bytes'>): readonly Json[] {
  const [page] = envelopeIn(answer).data as readonly Json[];
  return (page?.['blockList'] ?? []) as readonly Json[];
}

/** A service on a port with the faults of an example, and the answer of one without any. */
async function played(yaml: string): Promise<{ at: Open; right: Received }> {
  const effects = systemEffects('warn');
  const faults = parseFaultPlan({ text: yaml, file: 'faults.yaml' });
  const serving = async (plan: FaultPlan | undefined): Promise<Open> => {
    const settings = plan === undefined ? {} : { faults: plan };
    const at = await opened(createService({ source: smallSource(), effects, settings }), effects);
    whenOver(() => at.close());
    return at;
  };
  const [at, without] = [await serving(faults), await serving(undefined)];
  const right = await without.get();
  expect(blocksIn(right)).toHaveLength(5);
  return { at, right };
}

type Expectation = (at: Open, right: Received) => Promise<void>;

/** The effect of each fault's example on a client. */
const SEEN: Readonly<Record<FaultName, Expectation>> = {
  empty: async (at, right) => {
    const empty = { code: '0', msg: '', data: [] };
    expect((await at.get()).bytes).toEqual(right.bytes);
    const second = await at.get();
    expect([second.status, envelopeIn(second)]).toEqual([200, empty]);
  },
  error: async (at) => {
    const answer = await at.get();
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
    expect(envelopeIn(answer).code).toBe('50001');
    expect(envelopeIn(answer)).not.toHaveProperty('data');
  },
  html: async (at, right) => {
    const answer = await at.get();
    expect(answer.status).toBe(502);
    expect(answer.headers['content-type']).toContain('text/html');
    expect(answer.bytes.toString()).toContain('<html>');
    expect((await at.get()).bytes).toEqual(right.bytes);
  },
  redirect: async (at) => {
    const answer = await at.get();
    expect(answer.status).toBe(307);
    expect(answer.headers['location']).toBe('https://elsewhere.example/api');
  },
  malformed: async (at, right) => {
    expect((await at.get()).bytes).toEqual(right.bytes);
    const answer = await at.get();
    expect(answer).toMatchObject({ status: 200, isWhole: true });
    expect(right.bytes.toString().startsWith(answer.bytes.toString())).toBe(true);
    expect(() => envelopeIn(answer)).toThrow();
  },
  'wrong-type': async (at, right) => {
    expect(envelopeIn(await at.get())).toEqual({ ...envelopeIn(right), code: 0 });
  },
  'drop-field': async (at, right) => {
    const lacking = blocksIn(right).map(({ height: _, ...rest }) => rest);
    expect(blocksIn(await at.get())).toEqual(lacking);
  },
  'clamp-limit': async (at, right) => {
    const answer = await at.get();
    expect(blocksIn(answer)).toEqual(blocksIn(right).slice(0, 2));
    expect(envelopeIn(answer).data).toMatchObject([{ limit: '5' }]);
  },
  delay: async (at, right) => {
    const answer = await at.get();
    expect(answer.tookMs).toBeGreaterThan(29);
    expect(answer.bytes).toEqual(right.bytes);
  },
  slow: async (at, right) => {
    const answer = await at.get();
    expect(answer.bytes).toEqual(right.bytes);
    const pauses = Math.ceil(right.bytes.length / 500) - 1;
    expect(pauses).toBeGreaterThan(2);
    expect(answer.tookMs).toBeGreaterThan(4 * pauses);
  },
  cut: async (at, right) => {
    const answer = await at.get();
    expect(answer).toMatchObject({ status: 200, isWhole: false });
    expect(answer.headers['content-length']).toBe(String(right.bytes.length));
    expect(answer.bytes).toEqual(right.bytes.subarray(0, 100));
    expect((await at.get()).bytes).toEqual(right.bytes);
  },
  oversized: async (at, right) => {
    const answer = await at.get();
    expect(answer.bytes).toHaveLength(300_000);
    expect(envelopeIn(answer)).toEqual(envelopeIn(right));
  },
  compressed: async (at, right) => {
    const answer = await at.get();
    expect(answer.headers['content-encoding']).toBe('br');
    expect(answer.bytes.length).toBeLessThan(10_000);
    const bytes = brotliDecompressSync(answer.bytes);
    expect(bytes).toHaveLength(3_000_000);
    expect(envelopeIn({ bytes })).toEqual(envelopeIn(right));
  },
  reorganise: async (at, right) => {
    expect((await at.get()).bytes).toEqual(right.bytes);
    const hashes = (options: Pick<Received, 'bytes'>) =>
      blocksIn(options).map((block) => block['hash']);
    const [before, after] = [hashes(right), hashes(await at.get())];
    expect(after.slice(3)).toEqual(before.slice(3));
    for (const [i, hash] of after.slice(0, 3).entries()) expect(hash).not.toBe(before[i]);
    expect(hashes(await at.get())).toEqual(after);
  },
};

describe('the example of the fault', () => {
  it.each(Object.entries(FAULT_EXAMPLES))('%s does what the page says', async (name, yaml) => {
    const { at, right } = await played(yaml);
    await SEEN[name as FaultName](at, right);
  });
});

/** Codes of requests at these times, in seconds, after the start. */
async function codesAt(yaml: string, seconds: readonly number[]): Promise<string[]> {
  const { get, clock } = faultyService(yaml);
  const codes: string[] = [];
  let passed = 0;
  for (const second of seconds) {
    await clock.pass((second - passed) * 1000);
    passed = second;
    const { status, body } = await get();
    const { code, data = [] } = JSON.parse(body) as { code: string; data?: unknown[] };
    codes.push(code === '0' && data.length === 0 ? 'silent' : code === '0' ? '' : `${status}`);
  }
  return codes;
}

const LIMITED: Readonly<Record<PlanLimit['rule'], () => Promise<void>>> = {
  'token-bucket': async () => {
    const burst = Array.from({ length: 10 }, () => '');
    const at = [...burst.map(() => 0), 0, 0.19, 0.2, 0.2];
    const codes = await codesAt(LIMIT_EXAMPLES['token-bucket'], at);
    expect(codes).toEqual([...burst, '429', '429', '', '429']);
  },
  'fixed-window': async () => {
    const at = [0, 4, 9, 9.5, 10, 10, 10, 10];
    const codes = await codesAt(LIMIT_EXAMPLES['fixed-window'], at);
    expect(codes).toEqual(['', '', '', '429', '', '', '', '429']);
    const { get } = faultyService(LIMIT_EXAMPLES['fixed-window']);
    for (let nth = 0; nth < 3; nth += 1) await get();
    const rejection = await get();
    expect(rejection.headers['retry-after']).toBe('10');
    expect(JSON.parse(rejection.body)).toEqual({ code: '50011', msg: 'Too Many Requests' });
  },
  'sliding-window': async () => {
    // The third rejection is the beginning of a ban, which the window alone would not explain.
    const at = [0, 0, 1, 1, 1.9, 2, 2, 2, 2, 4, 61, 62, 62.1];
    const codes = await codesAt(LIMIT_EXAMPLES['sliding-window'], at);
    const banned = ['429', '429', '429'];
    expect(codes).toEqual(['', '', '', '', '429', '', '', '429', ...banned, '', '']);
  },
  'per-minute': async () => {
    const at = [0, 30, 59, 59.5, 60, 60, 60, 60, 120, 121, 180, 181];
    const codes = await codesAt(LIMIT_EXAMPLES['per-minute'], at);
    const silent = ['', '', '', 'silent'];
    expect(codes).toEqual([...silent, ...silent, '', 'silent', '', 'silent']);
  },
};

describe('the example of the limit', () => {
  it.each(Object.keys(LIMIT_EXAMPLES))('%s does what the page says', async (rule) => {
    await LIMITED[rule as PlanLimit['rule']]();
  });
});

/** The examples share one chain, because it is slow to compute. */
const source = smallSource();

/** The answer of a list under an example: the heights of its records, or its code. */
async function heightsUnder(
  yaml: string,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<number[] | string> {
  const { get } = faultyService(yaml, { source });
  const request = new URLSearchParams({ chainShortName: 'MAINCHAIN', ...query });
  const { body } = await get(`/api/v5/mainchain/${path}?${request}`);
  const { code, data } = JSON.parse(body) as { code: string; data: Json[] };
  if (code !== '0') return code;
  const list = Object.values(data[0] ?? {}).find(Array.isArray) as readonly Json[] | undefined;
  return (list ?? []).map((record) => Number(record['height'] ?? record['blockHeight']));
}

const blocksUnder = (yaml: string, query: Readonly<Record<string, string>> = {}) =>
  heightsUnder(yaml, 'block/block-list', { limit: '3', ...query });

/** Somebody who pays somebody, and both of them. */
function payment(): { readonly height: number; readonly parties: string } {
  for (let height = HEAD; height > 0; height -= 1) {
    for (const record of source.chain.recordsAt(height).transactions) {
      const [from, to] = [String(record['from_address']), String(record['to_address'])];
      if (from !== to && to.startsWith('0x')) return { height, parties: `${from},${to}` };
    }
  }
  throw new Error('nobody pays anybody');
}

const NOTHING = '{}';

const LISTED: Readonly<Record<keyof FaultPlan['chain'], () => Promise<void>>> = {
  advancePerRequest: async () => {
    const { get } = faultyService(CHAIN_EXAMPLES.advancePerRequest);
    const newest: unknown[] = [];
    for (let nth = 0; nth < 4; nth += 1) {
      const { body } = await get();
      newest.push(blocksIn({ bytes: Buffer.from(body) })[0]?.['height']);
    }
    expect(newest).toEqual([HEAD, HEAD + 1, HEAD + 1, HEAD + 2].map(String));
  },
  delayInternal: async () => {
    const internal = async (yaml: string) => {
      faultyService(yaml, { source });
      const request = {
        interval: { from: 0, to: HEAD },
        filters: [],
        bounds: [],
        oncePerKey: false,
      };
      const find = { ...request, dataset: 'internal_transactions', offset: 0, count: 10_000 };
      const { records } = await source.find(find);
      return Math.max(...records.map((record) => Number(record['block_number'])));
    };
    expect(await internal(NOTHING)).toBeGreaterThan(HEAD - 20);
    expect(await internal(CHAIN_EXAMPLES.delayInternal)).toBeLessThanOrEqual(HEAD - 20);
  },
  recordCap: async () => {
    const { recordCap } = CHAIN_EXAMPLES;
    expect(await blocksUnder(NOTHING, { page: '2' })).toEqual([HEAD - 3, HEAD - 4, HEAD - 5]);
    expect(await blocksUnder(recordCap, { page: '2' })).toEqual([HEAD - 3]);
    expect(await blocksUnder(recordCap, { page: '3' })).toEqual([]);
  },
  capStyle: async () => {
    expect(await blocksUnder(CHAIN_EXAMPLES.capStyle, { page: '3' })).toBe('50037');
    const clamp = `chain: { recordCap: 4, capStyle: clamp }`;
    expect(await blocksUnder(clamp, { page: '3' })).toEqual([HEAD - 3]);
  },
  perMatchListing: async () => {
    const { height, parties: address } = payment();
    const bounds = { startBlockHeight: String(height), endBlockHeight: String(height + 1) };
    const listed = async (yaml: string) => {
      const path = 'address/normal-transaction-list-multi';
      const heights = await heightsUnder(yaml, path, { ...bounds, address, limit: '50' });
      return (heights as number[]).filter((entry) => entry === height).length;
    };
    expect(await listed(CHAIN_EXAMPLES.perMatchListing)).toBeGreaterThan(await listed(NOTHING));
  },
  endReading: async () => {
    const { height, parties: address } = payment();
    const bounds = { startBlockHeight: String(height - 1), endBlockHeight: String(height) };
    const listed = async (yaml: string) => {
      const path = 'address/normal-transaction-list-multi';
      return heightsUnder(yaml, path, { ...bounds, address, limit: '50' });
    };
    expect(await listed(NOTHING)).toContain(height);
    expect(await listed(CHAIN_EXAMPLES.endReading)).not.toContain(height);
  },
  maxPageSize: async () => {
    expect(await blocksUnder(CHAIN_EXAMPLES.maxPageSize)).toBe('50036');
    expect(await blocksUnder(CHAIN_EXAMPLES.maxPageSize, { limit: '2' })).toHaveLength(2);
    expect(LIST).toContain('block-list');
  },
};

describe('the example of the chain', () => {
  it.each(Object.keys(CHAIN_EXAMPLES))('%s does what the page says', async (name) => {
    await LISTED[name as keyof FaultPlan['chain']]();
  });
});
