import { describe, expect, it } from 'vitest';
import { chainSource } from '../../../service/src/memory/chain-source.ts';
import type { Endpoint, Param, Role } from '../../../src/catalogue/entry.ts';
import { endpoints } from '../../../src/catalogue/index.ts';
import type { Answer } from '../../contract/asking.ts';
import { ask, askPost, askTarget, pageIn, serviceOver } from '../../contract/asking.ts';
import {
  chain,
  expectedList,
  HEADS,
  lists,
  plainRequest,
  submissions,
} from '../../contract/sample-requests.ts';
import type { Params } from '../../model/asked-truth.ts';

/** Every limit of every entry, at its edge and one beyond: nothing is silently cut down to size. */

const service = serviceOver(chainSource(chain));
const BAD = { status: 400, code: '50036' };
const MISSING = { status: 400, code: '50014' };
const TOO_MANY = { status: 200, code: '50025' };
const FINE = { status: 200, code: '0' };

const withRole = <R extends Role['role']>(role: R) =>
  endpoints.flatMap((of) =>
    of.params
      .filter((param): param is Param & Extract<Role, { role: R }> => param.role === role)
      .map((param) => ({ of, param, path: of.path, name: param.name })),
  );

/** The answer to a request with just these parameters, in the query or in the body. */
function exactly(of: Endpoint, params: Params): Promise<Answer> {
  if (of.method === 'GET') return ask(service, of.path, params);
  return askPost(service, `/api/v5/${of.path}`, params);
}

function asked(of: Endpoint, more: Params): Promise<Answer> {
  return exactly(of, { ...plainRequest(of), ...more });
}

function fakeKeys(count: number): string {
  return Array.from({ length: count }, (_, index) => `0x${String(index).padStart(40, 'a')}`).join();
}

function nameOf(of: Endpoint, role: Role['role']): string | undefined {
  return of.params.find((param) => param.role === role)?.name;
}

it('the catalogue has something to hold against every limit', () => {
  const roles = [
    ...(['keys', 'from-block', 'to-block', 'height', 'side', 'equals', 'limit', 'page'] as const),
    ...(['names', 'at-least', 'at-most', 'body'] as const),
  ];
  for (const role of roles) expect(withRole(role).length, role).toBeGreaterThan(0);
  for (const limit of ['pageSize', 'depthBlocks', 'blockSpan'] as const) {
    expect(endpoints.some((of) => of.limits[limit] !== undefined)).toBe(true);
  }
  expect(lists.length + submissions.length).toBe(endpoints.length);
  expect(submissions.length).toBeGreaterThan(0);
});

describe('page sizes', () => {
  it.each(withRole('limit'))('$path: 1, the default and the maximum are served', async (each) => {
    const { of, name } = each;
    const size = of.limits.pageSize ?? { max: 100, default: 20 };
    for (const limit of [undefined, 1, size.max]) {
      const answer = await asked(of, limit === undefined ? {} : { [name]: String(limit) });
      expect(answer).toMatchObject(FINE);
      const all = expectedList(of, plainRequest(of));
      const rows = of.reply.shape === 'paged' ? pageIn(answer).list : answer.data;
      expect(rows).toEqual(all.slice(0, limit ?? size.default));
      if (of.reply.shape !== 'paged') continue;
      const reached = of.axis === 'primary' ? Math.min(all.length, 10_000) : all.length;
      expect(pageIn(answer)).toMatchObject({
        page: 1,
        limit: limit ?? size.default,
        totalPage: Math.ceil(reached / (limit ?? size.default)),
      });
    }
  });

  it.each(withRole('limit'))('$path: one above the maximum is refused', async ({ of, name }) => {
    const max = of.limits.pageSize?.max ?? 100;
    expect(await asked(of, { [name]: String(max + 1) })).toMatchObject(BAD);
  });

  it.each([...withRole('limit'), ...withRole('page')])(
    '$path: a $name that is no number from 1 up is refused',
    async ({ of, name }) => {
      for (const value of ['0', '-1', '1.5', '01', '+1', '1e1', 'x', ' 1', '1'.repeat(16)]) {
        expect(await asked(of, { [name]: value }), value).toMatchObject(BAD);
      }
    },
  );
});

describe('names that the interface does not know', () => {
  it.each(lists)('$path: are ignored in a query, whatever they say', async (of) => {
    const plain = await asked(of, {});
    expect(plain).toMatchObject(FINE);
    const more = { colour: 'red', Limit: '0', 'page[]': 'x', startblockheight: '-1' };
    expect(await asked(of, more)).toEqual(plain);
  });
});

describe('whole numbers', () => {
  it.each([
    ...withRole('limit'),
    ...withRole('page'),
    ...withRole('from-block'),
    ...withRole('height'),
  ])('$path: a $name that is too large is refused with the largest', async ({ of, name }) => {
    for (const value of ['9'.repeat(16), '9'.repeat(20), '1'.repeat(80)]) {
      const { code, msg } = await asked(of, { [name]: value });
      expect(code, value).toBe('50036');
      expect(msg, value).toMatch(/ is too large: the largest is [1-9][0-9]*$/);
      const largest = /[0-9]+$/.exec(msg)?.[0] ?? '';
      const beyond = await asked(of, { [name]: String(Number(largest) + 1) });
      expect(beyond.code, largest).toBe('50036');
    }
  });
});

describe('pages', () => {
  it.each(withRole('page'))('$path: beyond the end the list is empty', async ({ of, name }) => {
    const records = expectedList(of, plainRequest(of)).length;
    const last = Math.ceil(Math.min(records, of.axis === 'zone' ? records : 10_000) / 20);
    const beyond = await asked(of, { [name]: String(last + 1) });
    expect(beyond).toMatchObject(FINE);
    if (of.reply.shape !== 'paged') {
      expect(beyond.data).toEqual([]);
      return;
    }
    const first = pageIn(await asked(of, {}));
    expect(first.totalPage).toBe(last);
    expect(pageIn(beyond)).toEqual({ ...first, page: last + 1, list: [] });
  });

  const emptied = withRole('page').flatMap(({ of, path }) => {
    const name = nameOf(of, 'keys') ?? nameOf(of, 'height');
    if (name === undefined || of.reply.shape !== 'paged') return [];
    const nothing = nameOf(of, 'keys') === name ? fakeKeys(1) : String(HEADS[of.axis] + 1);
    return [{ of, path, nowhere: { [name]: nothing } }];
  });

  it.each(emptied)('$path: an empty list says page 0 of 0', async ({ of, nowhere }) => {
    const answer = await asked(of, nowhere);
    expect(answer).toMatchObject(FINE);
    expect(pageIn(answer)).toEqual({ page: 0, limit: 20, totalPage: 0, list: [] });
  });
});

describe('blocks', () => {
  const spans = withRole('to-block').filter(({ of }) => of.limits.blockSpan !== undefined);

  it.each(spans)('$path: the widest span is served, one wider is not', async ({ of, name: to }) => {
    const from = nameOf(of, 'from-block') ?? '';
    const span = of.limits.blockSpan ?? 0;
    expect(await asked(of, { [from]: '5', [to]: String(5 + span) })).toMatchObject(FINE);
    expect(await asked(of, { [from]: '5', [to]: String(6 + span) })).toMatchObject(BAD);
    // The limit is on what is asked, wherever the head stands.
    const head = HEADS[of.axis];
    const far = { [from]: String(head), [to]: String(head + span + 1) };
    expect(await asked(of, far)).toMatchObject(BAD);
  });

  const free = withRole('to-block').filter(({ of }) => of.limits.blockSpan === undefined);

  it.each(free)('$path: any span is served', async ({ of, name: to }) => {
    const from = nameOf(of, 'from-block') ?? '';
    const all = await asked(of, { [from]: '0', [to]: String(10 ** 14) });
    expect(all).toMatchObject(FINE);
    expect(pageIn(all).list).toEqual(expectedList(of, plainRequest(of)).slice(0, 20));
  });

  it.each(withRole('from-block'))('$path: a start after the end is refused', async (each) => {
    const { of, name } = each;
    const end = nameOf(of, 'to-block') ?? '';
    expect(await asked(of, { [name]: '11', [end]: '10' })).toMatchObject(BAD);
    expect(await asked(of, { [name]: '10', [end]: '10' })).toMatchObject(FINE);
  });

  const heights = [...withRole('from-block'), ...withRole('to-block'), ...withRole('height')];

  it.each(heights)('$path: a $name that is no height is refused', async ({ of, name, param }) => {
    const tooLarge = param.type === 'Integer' ? [String(2 ** 31)] : [];
    for (const value of ['-1', '0x10', '1.5', 'latest', '007', '1'.repeat(16), ...tooLarge]) {
      expect(await asked(of, { [name]: value }), value).toMatchObject(BAD);
    }
  });

  const integers = heights.filter(({ param }) => param.type === 'Integer');

  it.each(integers)('$path: $name reaches to the largest Integer', async ({ of, name }) => {
    expect(await asked(of, { [name]: String(2 ** 31 - 1) })).toMatchObject(FINE);
  });

  it.each(withRole('height'))('$path: a height above the head has no records', async (each) => {
    const answer = await asked(each.of, { [each.name]: String(HEADS[each.of.axis] + 1) });
    expect(answer).toMatchObject(FINE);
    if (each.of.reply.shape === 'bare') expect(answer.data).toEqual([]);
    else expect(pageIn(answer).list).toEqual([]);
  });

  const deep = endpoints.filter((of) => of.limits.depthBlocks !== undefined);

  it.each(deep)('$path: reaches its depth and no block deeper', async (of) => {
    const name = nameOf(of, 'height') ?? '';
    const deepest = HEADS[of.axis] - (of.limits.depthBlocks ?? 0) + 1;
    expect(pageIn(await asked(of, { [name]: String(deepest) })).list).toHaveLength(1);
    expect(pageIn(await asked(of, { [name]: String(deepest - 1) })).list).toHaveLength(0);
    expect(pageIn(await asked(of, { limit: '1' })).totalPage).toBe(of.limits.depthBlocks);
  });
});

describe('keys', () => {
  it.each(withRole('keys'))('$path: takes its maximum of keys, and not one more', async (each) => {
    const { of, param, name } = each;
    expect(await asked(of, { [name]: fakeKeys(param.max) })).toMatchObject(FINE);
    expect(await asked(of, { [name]: fakeKeys(param.max + 1) })).toMatchObject(TOO_MANY);
  });

  it.each(withRole('keys'))('$path: malformed keys are refused', async ({ of, param, name }) => {
    const several = param.max > 1 ? [`${fakeKeys(1)},`, `${fakeKeys(1)},,${fakeKeys(1)}`] : [];
    for (const value of ['somebody', '0xzz', '0x', '1234', ...several]) {
      expect(await asked(of, { [name]: value }), value).toMatchObject(BAD);
    }
  });
});

describe('other parameters', () => {
  const required = endpoints.flatMap((of) =>
    of.params
      .filter((param) => param.name in plainRequest(of) && param.default === undefined)
      .map(({ name }) => ({ of, path: of.path, name })),
  );

  it.each(required)('$path: $name must be there, and not empty', async ({ of, name }) => {
    const { [name]: _, ...without } = plainRequest(of);
    expect(await exactly(of, without)).toMatchObject(MISSING);
    expect(await asked(of, { [name]: '' })).toMatchObject(MISSING);
  });

  const defaulted = lists.flatMap((of) =>
    of.params
      .filter((param) => param.default !== undefined)
      .map(({ name, default: value = '', values = ['2'] }) => ({
        of,
        path: of.path,
        name,
        value,
        other: values.find((each) => each !== value) ?? '',
      })),
  );

  it.each(defaulted)('$path: no $name means $value', async ({ of, name, value, other }) => {
    const { [name]: _, ...without } = plainRequest(of);
    const answer = await ask(service, of.path, without);
    expect(answer.text).toBe((await asked(of, { [name]: value })).text);
    expect(answer.text).not.toBe((await asked(of, { [name]: other })).text);
  });

  const listed = endpoints.flatMap((of) =>
    of.params
      .filter((param) => param.values !== undefined)
      .map(({ name, values = [] }) => ({ of, path: of.path, name, values })),
  );

  it.each(listed)('$path: $name takes the listed values only', async ({ of, name, values }) => {
    for (const value of values) expect(await asked(of, { [name]: value })).toMatchObject(FINE);
    for (const value of ['other', `${values[0]} `]) {
      expect(await asked(of, { [name]: value })).toMatchObject(BAD);
    }
  });

  it.each([...withRole('equals'), ...withRole('names')])(
    '$path: a malformed $name is refused',
    async ({ of, name }) => {
      for (const value of ['two words', '0xzz']) {
        expect(await asked(of, { [name]: value })).toMatchObject(BAD);
      }
    },
  );

  it.each([...withRole('at-least'), ...withRole('at-most')])(
    '$path: a $name that is no decimal number is refused',
    async ({ of, name }) => {
      for (const value of ['x', '1e5', '0x10', '1.', '.5', '+1', ' 1', '1,5', '--1', '1.2.3']) {
        expect(await asked(of, { [name]: value }), value).toMatchObject(BAD);
      }
    },
  );

  it.each(lists)('$path: a parameter given twice is refused, an unknown one is not', async (of) => {
    const target = `/api/v5/${of.path}?${new URLSearchParams(plainRequest(of))}`;
    const plain = await askTarget(service, target);
    expect(plain).toMatchObject(FINE);
    expect(await askTarget(service, `${target}&chainShortName=MAINCHAIN`)).toMatchObject(BAD);
    expect(await askTarget(service, `${target}&colour=red&colour=blue`)).toEqual(plain);
  });

  it.each(withRole('chain'))('$path: the chain has one name on its axis', async ({ of, name }) => {
    const short = plainRequest(of)[name] ?? '';
    // The interface accepts lower case for the primary chain, and says nothing of the zone chain.
    const lower = await asked(of, { [name]: short.toLowerCase() });
    expect(lower).toMatchObject(of.axis === 'primary' ? FINE : BAD);
    const other = of.axis === 'primary' ? 'ZONECHAIN' : 'MAINCHAIN';
    for (const value of ['OTHERCHAIN', 'Mainchain', other]) {
      expect(await asked(of, { [name]: value })).toMatchObject(BAD);
    }
  });
});

it('every error has an envelope with empty data', async () => {
  const answer = await askTarget(service, '/api/v5/mainchain/block/block-fills');
  expect(JSON.parse(answer.text)).toEqual({
    code: '50014',
    msg: 'chainShortName is required',
    data: [],
  });
});
