import { describe, expect, it } from 'vitest';
import { chainSource } from '../../../service/src/memory/chain-source.ts';
import type { Service } from '../../../service/src/server/service.ts';
import type { Endpoint, Param } from '../../../src/catalogue/entry.ts';
import { datasetNamed } from '../../../src/catalogue/index.ts';
import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import type { WireObject } from '../../contract/asking.ts';
import { ask, pageIn, serviceOver } from '../../contract/asking.ts';
import type { Params } from '../../contract/sample-requests.ts';
import {
  chain,
  datasetAsked,
  expectedList,
  HEADS,
  keysOfCell,
  knownKeys,
  lists,
  plainRequest,
  records,
  tables,
} from '../../contract/sample-requests.ts';
import { IS_EXHAUSTIVE, IS_THOROUGH } from '../../fixtures/thorough.ts';
import { seededRandom } from '../../fixtures/virtual-clock.ts';

const MAX_PAGES = 10_000;
const REQUESTS_AN_ENDPOINT = IS_EXHAUSTIVE ? 25 : IS_THOROUGH ? 8 : 2;

const settings = { recordCap: 1_000_000 };
const services: readonly [string, Service][] = [
  ['the chain', serviceOver(chainSource(chain), settings)],
  ['the same records in memory', serviceOver(tables(), settings)],
];

/** All pages of a request, one after another. */
async function walk(service: Service, of: Endpoint, params: Params): Promise<WireObject[]> {
  const found: WireObject[] = [];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const answer = await ask(service, of.path, { ...params, page: String(page) });
    if (of.reply.shape === 'paged') {
      const { list, totalPage } = pageIn(answer);
      found.push(...list);
      if (page >= totalPage) return found;
    } else {
      found.push(...(answer.data as WireObject[]));
      const hasPages = of.params.some((param) => param.role === 'page');
      if (!hasPages || answer.data.length === 0) return found;
    }
  }
  throw new Error('the walk does not end');
}

/**
 * A request that uses some of what the endpoint offers, chosen by chance around one of its records:
 * else filters that must all agree would rarely find anything.
 */
function anyRequest(of: Endpoint, random: () => number): Params {
  const below = (bound: number): number => Math.floor(random() * bound);
  const oneOf = (values: readonly string[]): string => values[below(values.length)] ?? '';
  const params = plainRequest(of);
  for (const { role, name, values } of of.params) {
    if (role === 'equals' && values !== undefined && random() < 0.8) params[name] = oneOf(values);
  }
  const dataset = datasetAsked(of, params);
  const { heightColumn } = datasetNamed(dataset);
  const known = records.get(dataset) ?? [];
  const target: CanonicalRecord = known[below(known.length)] ?? {};
  const height = Number(target[heightColumn]);
  const head = HEADS[of.axis];
  const span = below(3) === 0 ? 0 : Math.min(of.limits.blockSpan ?? head, below(head));
  const from = Math.max(0, below(4) === 0 ? below(head) : height - below(span + 1));
  const inColumns = (columns: readonly string[]): string => {
    const own = columns.flatMap((column) => keysOfCell(target[column]));
    return own.length > 0 && random() < 0.8 ? oneOf(own) : oneOf(knownKeys(dataset, columns));
  };

  const someValue = (param: Param): string | undefined => {
    switch (param.role) {
      case 'limit': {
        const { max } = of.limits.pageSize ?? { max: 20 };
        return String(max - below(max / 2));
      }
      case 'from-block':
        return String(from);
      case 'to-block':
        return String(from + span);
      case 'height':
        return String(below(4) === 0 ? below(head + 50) : height);
      case 'side':
        return random() < 0.5 ? 'from' : 'to';
      case 'equals':
        return param.values === undefined ? inColumns([param.column.column]) : undefined;
      case 'names':
        return inColumns(param.columns.map(({ column }) => column));
      case 'at-least':
      case 'at-most':
        return zerosAround(inColumns([param.column.column]), below(3) === 0);
      case 'keys': {
        const keys = Array.from({ length: 1 + below(param.max) }, () => inColumns(param.columns));
        return keys.map((key) => (below(4) === 0 ? shouted(key) : key)).join(',');
      }
      default:
        return undefined;
    }
  };
  for (const param of of.params) {
    const value = param.required || random() < 0.5 ? someValue(param) : undefined;
    if (value !== undefined && value !== '') params[param.name] = value;
  }
  return params;
}

/** The same number in another spelling. */
function zerosAround(text: string, wanted: boolean): string {
  if (!wanted) return text;
  return `00${text}${text.includes('.') ? '00' : '.000'}`;
}

/** The hex digits in upper case; the service must not care. */
function shouted(key: string): string {
  return `0x${key.slice(2).toUpperCase()}`;
}

describe.each(services)('a service over %s', (_, service) => {
  it.each(lists)('$path lists exactly the records that agree with the request', async (of) => {
    const random = seededRandom(of.path.length);
    let listed = 0;
    for (let nth = 0; nth < REQUESTS_AN_ENDPOINT; nth += 1) {
      const params = nth === 0 ? plainRequest(of) : anyRequest(of, random);
      const expected = expectedList(of, params);
      expect(await walk(service, of, params), JSON.stringify(params)).toEqual(expected);
      listed += expected.length;
    }
    expect(listed).toBeGreaterThan(0.6 * REQUESTS_AN_ENDPOINT);
  });

  const paged = lists.filter((of) => of.reply.shape === 'paged');

  it.each(paged)('$path wraps its list in the documented fields, in order', async (of) => {
    if (of.reply.shape !== 'paged') return;
    const { extras = [], list, total } = of.reply;
    const [page] = (await ask(service, of.path, plainRequest(of))).data;
    expect(Object.keys(page ?? {})).toEqual(['page', 'limit', 'totalPage', ...extras, list]);
    if (total !== undefined) {
      expect(page?.[total]).toBe(String(expectedList(of, plainRequest(of)).length));
    }
  });
});

it('the sample has records in every dataset that lists feed on', () => {
  for (const { dataset } of lists) expect(records.get(dataset)?.length).toBeGreaterThan(50);
});
