import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../src/catalogue/entry.ts';
import { endpoints } from '../../src/catalogue/index.ts';
import { chainSource } from '../../src/service/chain-source.ts';
import type { Service } from '../../src/service/service.ts';
import { seededRandom } from '../virtual-clock.ts';
import type { WireObject } from './asking.ts';
import { ask, pageIn, serviceOver } from './asking.ts';
import type { Params } from './sample-requests.ts';
import {
  chain,
  expectedList,
  HEAD,
  knownKeys,
  plainRequest,
  records,
  tables,
} from './sample-requests.ts';

const MAX_PAGES = 10_000;
const REQUESTS_AN_ENDPOINT = 25;

const settings = { recordCap: 1_000_000 };
const services: readonly [string, Service][] = [
  ['the chain', serviceOver(chainSource(chain), settings)],
  ['the same records in memory', serviceOver(tables(), settings)],
];

/** All pages of a request, one after another. */
async function walk(service: Service, of: Endpoint, params: Params): Promise<WireObject[]> {
  if (of.reply.shape === 'bare') {
    return [...(await ask(service, of.path, params)).data] as WireObject[];
  }
  const found: WireObject[] = [];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const answer = pageIn(await ask(service, of.path, { ...params, page: String(page) }));
    found.push(...answer.list);
    if (page >= answer.totalPage) return found;
  }
  throw new Error('the walk does not end');
}

/** A request that uses some of what the endpoint offers, chosen by chance. */
function anyRequest(of: Endpoint, random: () => number): Params {
  const below = (bound: number): number => Math.floor(random() * bound);
  const params = plainRequest(of);
  const span = below(3) === 0 ? 0 : Math.min(of.limits.blockSpan ?? HEAD, below(HEAD));
  const from = below(HEAD - span + 200);
  for (const param of of.params) {
    const chosen = param.required || random() < 0.5;
    if (!chosen) continue;
    const { name } = param;
    if (param.role === 'limit') params[name] = String(1 + below(of.limits.pageSize?.max ?? 20));
    if (param.role === 'from-block') params[name] = String(from);
    if (param.role === 'to-block') params[name] = String(from + span);
    if (param.role === 'height') params[name] = String(below(HEAD + 50));
    if (param.role === 'side') params[name] = random() < 0.5 ? 'from' : 'to';
    if (param.role === 'equals') {
      const values = param.values ?? knownKeys(of, [param.column.column]);
      params[name] = values[below(values.length)] ?? '';
    }
    if (param.role === 'keys') {
      const known = knownKeys(of, param.columns);
      const keys = Array.from({ length: 1 + below(param.max) }, () => {
        const common = random() < 0.5;
        return known[below(common ? Math.min(30, known.length) : known.length)] ?? '';
      });
      params[name] = keys.map((key) => (below(4) === 0 ? shouted(key) : key)).join(',');
    }
  }
  return params;
}

/** The hex digits in upper case; the service must not care. */
function shouted(key: string): string {
  return `0x${key.slice(2).toUpperCase()}`;
}

describe.each(services)('a service over %s', (_, service) => {
  it.each(endpoints)('$path lists exactly the records that agree with the request', async (of) => {
    const random = seededRandom(of.path.length);
    let listed = 0;
    for (let nth = 0; nth < REQUESTS_AN_ENDPOINT; nth += 1) {
      const params = nth === 0 ? plainRequest(of) : anyRequest(of, random);
      const expected = expectedList(of, params);
      expect(await walk(service, of, params), JSON.stringify(params)).toEqual(expected);
      listed += expected.length;
    }
    expect(listed).toBeGreaterThan(5);
  });
});

it('the sample has records in every dataset of the catalogue that endpoints feed on', () => {
  for (const { dataset } of endpoints) expect(records.get(dataset)?.length).toBeGreaterThan(1000);
});
