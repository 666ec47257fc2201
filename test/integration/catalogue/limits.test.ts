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
  endpoints.flatMap((entry) =>
    entry.params
      .filter((param): param is Param & Extract<Role, { role: R }> => param.role === role)
      .map((param) => ({ entry, param, path: entry.path, name: param.name })),
  );

/** The answer to a request with just these parameters, in the query or in the body. */
function exactly(entry: Endpoint, params: Params): Promise<Answer> {
  if (entry.method === 'GET') return ask(service, entry.path, params);
  return askPost(service, `/api/v5/${entry.path}`, params);
}

function reply(entry: Endpoint, more: Params): Promise<Answer> {
  return exactly(entry, { ...plainRequest(entry), ...more });
}

function fakeKeys(count: number): string {
  return Array.from({ length: count }, (_, index) => `0x${String(index).padStart(40, 'a')}`).join();
}

function nameOf(entry: Endpoint, role: Role['role']): string | undefined {
  return entry.params.find((param) => param.role === role)?.name;
}

it('the catalogue has something to hold against every limit', () => {
  const roles = [
    ...(['keys', 'from-block', 'to-block', 'height', 'side', 'equals', 'limit', 'page'] as const),
    ...(['names', 'at-least', 'at-most', 'body'] as const),
  ];
  for (const role of roles) expect(withRole(role).length, role).toBeGreaterThan(0);
  for (const limit of ['pageSize', 'depthBlocks', 'blockSpan'] as const) {
    expect(endpoints.some((entry) => entry.limits[limit] !== undefined)).toBe(true);
  }
  expect(lists.length + submissions.length).toBe(endpoints.length);
  expect(submissions.length).toBeGreaterThan(0);
});

describe('page sizes', () => {
  it.each(withRole('limit'))('$path: 1, the default and the maximum are served', async (row) => {
    const { entry, name } = row;
    const size = entry.limits.pageSize ?? { max: 100, default: 20 };
    for (const limit of [undefined, 1, size.max]) {
      const answer = await reply(entry, limit === undefined ? {} : { [name]: String(limit) });
      expect(answer).toMatchObject(FINE);
      const all = expectedList(entry, plainRequest(entry));
      const rows = entry.reply.shape === 'paged' ? pageIn(answer).list : answer.data;
      expect(rows).toEqual(all.slice(0, limit ?? size.default));
      if (entry.reply.shape !== 'paged') continue;
      const reached = entry.axis === 'primary' ? Math.min(all.length, 10_000) : all.length;
      expect(pageIn(answer)).toMatchObject({
        page: 1,
        limit: limit ?? size.default,
        totalPage: Math.ceil(reached / (limit ?? size.default)),
      });
    }
  });

  it.each(withRole('limit'))('$path: one above the maximum is refused', async ({ entry, name }) => {
    const max = entry.limits.pageSize?.max ?? 100;
    expect(await reply(entry, { [name]: String(max + 1) })).toMatchObject(BAD);
  });

  it.each([...withRole('limit'), ...withRole('page')])(
    '$path: a $name that is no number from 1 up is refused',
    async ({ entry, name }) => {
      for (const value of ['0', '-1', '1.5', '01', '+1', '1e1', 'x', ' 1', '1'.repeat(16)]) {
        expect(await reply(entry, { [name]: value }), value).toMatchObject(BAD);
      }
    },
  );
});

describe('names that the interface does not know', () => {
  it.each(lists)('$path: are ignored in a query, whatever they say', async (entry) => {
    const plain = await reply(entry, {});
    expect(plain).toMatchObject(FINE);
    const more = { colour: 'red', Limit: '0', 'page[]': 'x', startblockheight: '-1' };
    expect(await reply(entry, more)).toEqual(plain);
  });
});

describe('whole numbers', () => {
  it.each([
    ...withRole('limit'),
    ...withRole('page'),
    ...withRole('from-block'),
    ...withRole('height'),
  ])('$path: a $name that is too large is refused with the largest', async ({ entry, name }) => {
    for (const value of ['9'.repeat(16), '9'.repeat(20), '1'.repeat(80)]) {
      const { code, msg } = await reply(entry, { [name]: value });
      expect(code, value).toBe('50036');
      expect(msg, value).toMatch(/ is too large: the largest is [1-9][0-9]*$/);
      const largest = /[0-9]+$/.exec(msg)?.[0] ?? '';
      const beyond = await reply(entry, { [name]: String(Number(largest) + 1) });
      expect(beyond.code, largest).toBe('50036');
    }
  });
});

describe('pages', () => {
  it.each(withRole('page'))('$path: beyond the end the list is empty', async ({ entry, name }) => {
    const records = expectedList(entry, plainRequest(entry)).length;
    const last = Math.ceil(Math.min(records, entry.axis === 'zone' ? records : 10_000) / 20);
    const beyond = await reply(entry, { [name]: String(last + 1) });
    expect(beyond).toMatchObject(FINE);
    if (entry.reply.shape !== 'paged') {
      expect(beyond.data).toEqual([]);
      return;
    }
    const first = pageIn(await reply(entry, {}));
    expect(first.totalPage).toBe(last);
    expect(pageIn(beyond)).toEqual({ ...first, page: last + 1, list: [] });
  });

  const emptied = withRole('page').flatMap(({ entry, path }) => {
    const name = nameOf(entry, 'keys') ?? nameOf(entry, 'height');
    if (name === undefined || entry.reply.shape !== 'paged') return [];
    const nothing = nameOf(entry, 'keys') === name ? fakeKeys(1) : String(HEADS[entry.axis] + 1);
    return [{ entry, path, nowhere: { [name]: nothing } }];
  });

  it.each(emptied)('$path: an empty list says page 0 of 0', async ({ entry, nowhere }) => {
    const answer = await reply(entry, nowhere);
    expect(answer).toMatchObject(FINE);
    expect(pageIn(answer)).toEqual({ page: 0, limit: 20, totalPage: 0, list: [] });
  });
});

describe('blocks', () => {
  const spans = withRole('to-block').filter(({ entry }) => entry.limits.blockSpan !== undefined);

  it.each(spans)('$path: the widest span is served, and no wider', async ({ entry, name: to }) => {
    const from = nameOf(entry, 'from-block') ?? '';
    const span = entry.limits.blockSpan ?? 0;
    expect(await reply(entry, { [from]: '5', [to]: String(5 + span) })).toMatchObject(FINE);
    expect(await reply(entry, { [from]: '5', [to]: String(6 + span) })).toMatchObject(BAD);
    // The limit is on what is asked, wherever the head stands.
    const head = HEADS[entry.axis];
    const far = { [from]: String(head), [to]: String(head + span + 1) };
    expect(await reply(entry, far)).toMatchObject(BAD);
  });

  const free = withRole('to-block').filter(({ entry }) => entry.limits.blockSpan === undefined);

  it.each(free)('$path: any span is served', async ({ entry, name: to }) => {
    const from = nameOf(entry, 'from-block') ?? '';
    const all = await reply(entry, { [from]: '0', [to]: String(10 ** 14) });
    expect(all).toMatchObject(FINE);
    expect(pageIn(all).list).toEqual(expectedList(entry, plainRequest(entry)).slice(0, 20));
  });

  it.each(withRole('from-block'))('$path: a start after the end is refused', async (row) => {
    const { entry, name } = row;
    const end = nameOf(entry, 'to-block') ?? '';
    expect(await reply(entry, { [name]: '11', [end]: '10' })).toMatchObject(BAD);
    expect(await reply(entry, { [name]: '10', [end]: '10' })).toMatchObject(FINE);
  });

  const heights = [...withRole('from-block'), ...withRole('to-block'), ...withRole('height')];

  it.each(heights)('$path: a $name has to be a height', async ({ entry, name, param }) => {
    const tooLarge = param.type === 'Integer' ? [String(2 ** 31)] : [];
    for (const value of ['-1', '0x10', '1.5', 'latest', '007', '1'.repeat(16), ...tooLarge]) {
      expect(await reply(entry, { [name]: value }), value).toMatchObject(BAD);
    }
  });

  const integers = heights.filter(({ param }) => param.type === 'Integer');

  it.each(integers)('$path: $name reaches to the largest Integer', async ({ entry, name }) => {
    expect(await reply(entry, { [name]: String(2 ** 31 - 1) })).toMatchObject(FINE);
  });

  it.each(withRole('height'))('$path: a height above the head has no records', async (row) => {
    const answer = await reply(row.entry, { [row.name]: String(HEADS[row.entry.axis] + 1) });
    expect(answer).toMatchObject(FINE);
    if (row.entry.reply.shape === 'bare') expect(answer.data).toEqual([]);
    else expect(pageIn(answer).list).toEqual([]);
  });

  const deep = endpoints.filter((entry) => entry.limits.depthBlocks !== undefined);

  it.each(deep)('$path: reaches its depth and no block deeper', async (entry) => {
    const name = nameOf(entry, 'height') ?? '';
    const deepest = HEADS[entry.axis] - (entry.limits.depthBlocks ?? 0) + 1;
    expect(pageIn(await reply(entry, { [name]: String(deepest) })).list).toHaveLength(1);
    expect(pageIn(await reply(entry, { [name]: String(deepest - 1) })).list).toHaveLength(0);
    expect(pageIn(await reply(entry, { limit: '1' })).totalPage).toBe(entry.limits.depthBlocks);
  });
});

describe('keys', () => {
  it.each(withRole('keys'))('$path: takes its maximum, no more', async ({ entry, param, name }) => {
    expect(await reply(entry, { [name]: fakeKeys(param.max) })).toMatchObject(FINE);
    expect(await reply(entry, { [name]: fakeKeys(param.max + 1) })).toMatchObject(TOO_MANY);
  });

  it.each(withRole('keys'))('$path: malformed keys are refused', async ({ entry, param, name }) => {
    const several = param.max > 1 ? [`${fakeKeys(1)},`, `${fakeKeys(1)},,${fakeKeys(1)}`] : [];
    for (const value of ['somebody', '0xzz', '0x', '1234', ...several]) {
      expect(await reply(entry, { [name]: value }), value).toMatchObject(BAD);
    }
  });
});

describe('other parameters', () => {
  const required = endpoints.flatMap((entry) =>
    entry.params
      .filter((param) => param.name in plainRequest(entry) && param.default === undefined)
      .map(({ name }) => ({ entry, path: entry.path, name })),
  );

  it.each(required)('$path: $name must be there, and not empty', async ({ entry, name }) => {
    const { [name]: _, ...without } = plainRequest(entry);
    expect(await exactly(entry, without)).toMatchObject(MISSING);
    expect(await reply(entry, { [name]: '' })).toMatchObject(MISSING);
  });

  const defaulted = lists.flatMap((entry) =>
    entry.params
      .filter((param) => param.default !== undefined)
      .map(({ name, default: value = '', values = ['2'] }) => ({
        entry,
        path: entry.path,
        name,
        value,
        other: values.find((other) => other !== value) ?? '',
      })),
  );

  it.each(defaulted)('$path: no $name means $value', async ({ entry, name, value, other }) => {
    const { [name]: _, ...without } = plainRequest(entry);
    const answer = await ask(service, entry.path, without);
    expect(answer.text).toBe((await reply(entry, { [name]: value })).text);
    expect(answer.text).not.toBe((await reply(entry, { [name]: other })).text);
  });

  const listed = endpoints.flatMap((entry) =>
    entry.params
      .filter((param) => param.values !== undefined)
      .map(({ name, values = [] }) => ({ entry, path: entry.path, name, values })),
  );

  it.each(listed)('$path: $name takes the listed values only', async ({ entry, name, values }) => {
    for (const value of values) expect(await reply(entry, { [name]: value })).toMatchObject(FINE);
    for (const value of ['other', `${values[0]} `]) {
      expect(await reply(entry, { [name]: value })).toMatchObject(BAD);
    }
  });

  it.each([...withRole('equals'), ...withRole('names')])(
    '$path: a malformed $name is refused',
    async ({ entry, name }) => {
      for (const value of ['two words', '0xzz']) {
        expect(await reply(entry, { [name]: value })).toMatchObject(BAD);
      }
    },
  );

  it.each([...withRole('at-least'), ...withRole('at-most')])(
    '$path: a $name that is no decimal number is refused',
    async ({ entry, name }) => {
      for (const value of ['x', '1e5', '0x10', '1.', '.5', '+1', ' 1', '1,5', '--1', '1.2.3']) {
        expect(await reply(entry, { [name]: value }), value).toMatchObject(BAD);
      }
    },
  );

  it.each(lists)('$path: a name given twice is refused, an unknown one is not', async (entry) => {
    const target = `/api/v5/${entry.path}?${new URLSearchParams(plainRequest(entry))}`;
    const plain = await askTarget(service, target);
    expect(plain).toMatchObject(FINE);
    expect(await askTarget(service, `${target}&chainShortName=MAINCHAIN`)).toMatchObject(BAD);
    expect(await askTarget(service, `${target}&colour=red&colour=blue`)).toEqual(plain);
  });

  it.each(withRole('chain'))('$path: a chain has one name on its axis', async ({ entry, name }) => {
    const short = plainRequest(entry)[name] ?? '';
    // The interface accepts lower case for the primary chain, and says nothing of the zone chain.
    const lower = await reply(entry, { [name]: short.toLowerCase() });
    expect(lower).toMatchObject(entry.axis === 'primary' ? FINE : BAD);
    const other = entry.axis === 'primary' ? 'ZONECHAIN' : 'MAINCHAIN';
    for (const value of ['OTHERCHAIN', 'Mainchain', other]) {
      expect(await reply(entry, { [name]: value })).toMatchObject(BAD);
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
