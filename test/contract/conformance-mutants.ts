import { flag, text } from '../../src/catalogue/column-kind.ts';
import type {
  Endpoint,
  Field,
  Limits,
  ListKind,
  Param,
  ParamType,
  ReplyShape,
} from '../../src/catalogue/entry.ts';

/** An entry with one mistake in it, as somebody could make while typing. */
export interface Mutant {
  readonly what: string;
  readonly entry: Endpoint;
}

/** Every mistake of every sort this module knows, one at a time. */
export function mutantsOf(entry: Endpoint, datasetNames: readonly string[]): Mutant[] {
  const { params, fields } = entry;
  const { servesHead, ...headless } = entry;
  return [
    ...listMutants(params, 'parameter', unlisted).map((mutant) => withChange('params', mutant)),
    ...params.flatMap((param, i) =>
      paramMutants(param).map(([what, changed]) =>
        withChange('params', [`${what} of ${param.name}`, replaced(params, i, changed)]),
      ),
    ),
    ...listMutants(fields, 'field', unknown).map((mutant) => withChange('fields', mutant)),
    ...fields.flatMap((field, i) =>
      fieldMutants(field).map(([what, changed]) =>
        withChange('fields', [`${what} of ${field.wire}`, replaced(fields, i, changed)]),
      ),
    ),
    ...replyMutants(entry.reply).map((mutant) => withChange('reply', mutant)),
    ...limitMutants(entry.limits).map((mutant) => withChange('limits', mutant)),
    ...(servesHead === true ? [{ what: 'lost head', entry: headless }] : []),
    ...placeMutants(entry, datasetNames).map(([what, changed]) => {
      return { what, entry: { ...entry, ...changed } };
    }),
  ];

  function withChange<K extends keyof Endpoint>(
    key: K,
    [what, value]: Change<Endpoint[K]>,
  ): Mutant {
    return { what, entry: { ...entry, [key]: value } };
  }
}

type Change<T> = readonly [what: string, value: T];

const unlisted: Param = {
  name: 'unlisted',
  type: 'String',
  required: false,
  meaning: 'nothing',
  role: 'body',
};
const unknown: Field = { wire: 'unknown', aliases: [], column: 'unknown', kind: text, meaning: '' };

function replaced<T>(list: readonly T[], at: number, value: T): T[] {
  return list.map((each, i) => (i === at ? value : each));
}

/** Something is left out, doubled, added, or has changed places with its neighbour. */
function listMutants<T>(list: readonly T[], what: string, added: T): Change<T[]>[] {
  const mutants: Change<T[]>[] = [[`a ${what} is added`, [...list, added]]];
  list.forEach((each, i) => {
    mutants.push([`${what} ${i} is left out`, list.filter((_, place) => place !== i)]);
    mutants.push([`${what} ${i} stands twice`, [...list, each]]);
    const next = list[i + 1];
    if (next === undefined) return;
    mutants.push([`${what} ${i} changes places`, replaced(replaced(list, i, next), i + 1, each)]);
  });
  return mutants;
}

const TYPES: readonly ParamType[] = ['String', 'Integer', 'Long', 'Array', 'Boolean'];

function paramMutants(param: Param): Change<Param>[] {
  const { name, type, required, values, default: assumed, requiredUnless, ...rest } = param;
  const { default: _assumed, ...plain } = param;
  const { values: _values, ...free } = param;
  const mutants: Change<Param>[] = [
    ['name', { ...param, name: `${name}s` }],
    ['case', { ...param, name: name.toUpperCase() }],
    ['need', { ...param, required: !required }],
    ['default', { ...param, default: `${assumed ?? ''}1` }],
    ['added value', { ...param, values: [...(values ?? []), 'more'] }],
    ['role', { ...param, role: param.role === 'page' ? 'limit' : 'page' } as Param],
    ...TYPES.filter((each) => each !== type).map((each): Change<Param> => {
      return [`type ${each}`, { ...param, type: each }];
    }),
    ...roleMutants(param),
  ];
  if (assumed !== undefined) mutants.push(['lost default', plain as Param]);
  if (values !== undefined) mutants.push(['lost values', free as Param]);
  values?.forEach((value) => {
    const others = values.filter((each) => each !== value);
    mutants.push([`lost value ${value}`, { ...param, values: others }]);
  });
  if (requiredUnless !== undefined) {
    const bare = { name, type, required, ...(values === undefined ? {} : { values }), ...rest };
    mutants.push(['lost condition', bare as Param]);
    mutants.push([
      'other condition',
      { ...param, requiredUnless: { ...requiredUnless, is: 'vyper' } },
    ]);
  }
  return mutants;
}

function roleMutants(param: Param): Change<Param>[] {
  switch (param.role) {
    case 'keys':
      return [
        ['one key more', { ...param, max: param.max + 1 }],
        ['one key less', { ...param, max: param.max - 1 }],
        ['fewer columns', { ...param, columns: param.columns.slice(1) }],
        ['more columns', { ...param, columns: [...param.columns, 'block_hash'] }],
      ];
    case 'body':
      return [['items', { ...param, max: (param.max ?? 10) + 1 }]];
    case 'side':
      return [['sides', { ...param, from: param.to, to: param.from }]];
    case 'names':
      return [['fewer columns', { ...param, columns: param.columns.slice(1) }]];
    case 'at-least':
    case 'at-most': {
      const role = param.role === 'at-least' ? 'at-most' : 'at-least';
      return [['bound', { ...param, role }]];
    }
    case 'equals': {
      const { fills, datasets, ...rest } = param;
      const mutants: Change<Param>[] = [
        [
          'filling',
          fills === undefined ? { ...param, fills: true } : { ...rest, ...param, fills: [] },
        ],
      ];
      if (datasets === undefined) return mutants;
      mutants.push(['lost datasets', { ...rest, ...(fills === undefined ? {} : { fills }) }]);
      const others = Object.keys(datasets).map((value): Change<Param> => {
        return [`dataset of ${value}`, { ...param, datasets: { ...datasets, [value]: 'blocks' } }];
      });
      return [...mutants, ...others];
    }
    default:
      return [];
  }
}

function fieldMutants(field: Field): Change<Field>[] {
  const { wire, aliases, kind } = field;
  const mutants: Change<Field>[] = [
    ['name', { ...field, wire: `${wire}s` }],
    ['case', { ...field, wire: wire.toUpperCase() }],
    ['type', { ...field, kind: kind.wire === 'boolean' ? text : flag }],
    ['added spelling', { ...field, aliases: [...aliases, `${wire}x`] }],
  ];
  if (aliases.length > 0) mutants.push(['lost spelling', { ...field, aliases: [] }]);
  return mutants;
}

function replyMutants(reply: ReplyShape): Change<ReplyShape>[] {
  if (reply.shape !== 'paged') {
    const paged: ReplyShape = { shape: 'paged', list: 'data' };
    return [['reply', paged], ...(reply.shape === 'bare' ? [] : [bareReply])];
  }
  const { list, listAliases = [], extras = [], total } = reply;
  const { total: _total, ...uncounted } = reply;
  return [
    bareReply,
    ['name of the list', { ...reply, list: `${list}s` }],
    ['other names of the list', { ...reply, listAliases: [...listAliases, 'list'] }],
    ...(listAliases.length === 0 ? [] : [['lost names', { ...reply, listAliases: [] }] as const]),
    ...listMutants(extras, 'extra', 'surplus').map(([what, changed]): Change<ReplyShape> => {
      return [what, { ...reply, extras: changed }];
    }),
    ['total', total === undefined ? { ...reply, total: 'page' } : uncounted],
  ];
}

const bareReply: Change<ReplyShape> = ['reply', { shape: 'bare' }];

function limitMutants(limits: Limits): Change<Limits>[] {
  const { pageSize, ...others } = limits;
  const mutants: Change<Limits>[] = [];
  if (pageSize === undefined) {
    mutants.push(['page size', { ...limits, pageSize: { max: 100, default: 20 } }]);
  } else {
    const { max, default: assumed } = pageSize;
    mutants.push(['lost page size', others]);
    for (const [more, size] of [
      [max + 1, assumed],
      [max - 1, assumed],
      [max, assumed + 1],
    ] as const) {
      mutants.push(['page size', { ...limits, pageSize: { max: more, default: size } }]);
    }
  }
  for (const name of ['blockSpan', 'depthBlocks', 'depthRecords', 'depthYears'] as const) {
    const { [name]: value, ...rest } = limits;
    mutants.push([name, { ...limits, [name]: (value ?? 9_999) + 1 }]);
    if (value === undefined) continue;
    mutants.push([name, { ...limits, [name]: value - 1 }], [`lost ${name}`, rest]);
  }
  return mutants;
}

const KINDS: readonly ListKind[] = ['ranged', 'positional', 'by-key', 'snapshot', 'submission'];

function placeMutants(
  entry: Endpoint,
  datasetNames: readonly string[],
): Change<Partial<Endpoint>>[] {
  const { path, method, axis, dataset, list, servesHead } = entry;
  return [
    ['path', { path: `${path}s` }],
    ['method', { method: method === 'GET' ? 'POST' : 'GET' }],
    ['axis', { axis: axis === 'primary' ? 'zone' : 'primary' }],
    ...(servesHead === true ? [] : [['head', { servesHead: true }] as const]),
    ...KINDS.filter((each) => each !== list).map((each): Change<Partial<Endpoint>> => {
      return [`list ${each}`, { list: each }];
    }),
    ...datasetNames
      .filter((name) => name !== dataset)
      .map((name): Change<Partial<Endpoint>> => [`dataset ${name}`, { dataset: name }]),
  ];
}
