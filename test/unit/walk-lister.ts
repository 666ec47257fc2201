import type { Endpoint, Param } from '../../src/catalogue/entry.ts';
import { keyColumns } from '../../src/catalogue/index.ts';
import type { WireRecord } from '../../src/catalogue/record.ts';
import type { Caller, PageReply } from '../../src/fetch/caller.ts';
import { compareDecimals, decimalOf } from '../../src/fetch/decimal.ts';
import { heightOf, textOf } from '../../src/fetch/wire.ts';

export interface Asked {
  readonly endpoint: Endpoint;
  readonly query: Readonly<Record<string, string>>;
  readonly page: number;
  readonly limit: number;
  /** Counts all requests from 1. */
  readonly request: number;
}

export interface ListerOptions {
  readonly cap?: number;
  /** Largest page size the service allows, whatever was asked. */
  readonly clamp?: number;
  /** Ranges of blocks leave out their first block, or their last one. */
  readonly excludes?: { readonly from?: boolean; readonly to?: boolean };
  /** Called before every answer: where records come in front. */
  readonly before?: (lister: Lister) => void;
  /** Shows only so many of the newest heights. */
  readonly depthBlocks?: number;
  readonly tamper?: (reply: PageReply, asked: Asked) => PageReply;
  /** How many turns an answer takes, so that answers overtake each other. */
  readonly turns?: () => number;
}

/**
 * A service of one list, newest first, that reads the catalogue's roles and nothing else: bounds,
 * keys, heights and amounts. Written for tests of walks, with its own reading of every rule.
 */
export class Lister implements Caller {
  records: WireRecord[];
  readonly asked: Asked[] = [];
  readonly #options: ListerOptions;

  constructor(records: readonly WireRecord[], options: ListerOptions = {}) {
    this.records = [...records];
    this.#options = options;
  }

  get requests(): number {
    return this.asked.length;
  }

  async call(endpoint: Endpoint, query: Readonly<Record<string, string>>): Promise<PageReply> {
    const nameOf = (role: Param['role']) => endpoint.params.find((p) => p.role === role)?.name;
    const page = Number(query[nameOf('page') ?? ''] ?? 1);
    const limit = Number(query[nameOf('limit') ?? ''] ?? Number.MAX_SAFE_INTEGER);
    const asked = { endpoint, query, page, limit, request: this.requests + 1 };
    this.asked.push(asked);
    for (let turn = this.#options.turns?.() ?? 0; turn > 0; turn -= 1) await Promise.resolve();
    this.#options.before?.(this);
    const reply = this.#answer(asked);
    return this.#options.tamper?.(reply, asked) ?? reply;
  }

  #answer({ endpoint, query, page, limit: wanted }: Asked): PageReply {
    const { cap = Number.POSITIVE_INFINITY, clamp = wanted, excludes = {} } = this.#options;
    const filters = endpoint.params.filter((param) => FILTERS.has(param.role));
    const asked = filters.filter((param) => query[param.name] !== undefined);
    const visible = this.#visible(endpoint);
    const found =
      asked.length === 0
        ? visible
        : visible.filter((record) => {
            return asked.every((param) => fits(endpoint, param, query, record, excludes));
          });
    const limit = Math.min(wanted, clamp);
    const shown = found.slice((page - 1) * limit, Math.min(page * limit, cap));
    if (endpoint.reply.shape !== 'paged') return { records: shown };
    const hasTotal = endpoint.reply.total !== undefined;
    return {
      records: shown,
      page: found.length === 0 ? 0 : page,
      limit,
      totalPage: Math.ceil(Math.min(found.length, cap) / limit),
      ...(hasTotal ? { total: found.length } : {}),
    };
  }

  #visible(endpoint: Endpoint): readonly WireRecord[] {
    const { depthBlocks } = this.#options;
    const [newest] = this.records;
    if (depthBlocks === undefined || newest === undefined) return this.records;
    const oldest = (heightOf(endpoint, newest) ?? 0) - depthBlocks + 1;
    return this.records.filter((record) => (heightOf(endpoint, record) ?? 0) >= oldest);
  }
}

const FILTERS: ReadonlySet<Param['role']> = new Set([
  'height',
  'from-block',
  'to-block',
  'keys',
  'side',
  'at-least',
  'at-most',
]);

function fits(
  endpoint: Endpoint,
  param: Param,
  query: Readonly<Record<string, string>>,
  record: WireRecord,
  excludes: NonNullable<ListerOptions['excludes']>,
): boolean {
  const value = query[param.name] ?? '';
  switch (param.role) {
    case 'height':
      return heightOf(endpoint, record) === Number(value);
    case 'from-block':
      return (heightOf(endpoint, record) ?? 0) >= Number(value) + (excludes.from === true ? 1 : 0);
    case 'to-block':
      return (heightOf(endpoint, record) ?? 0) <= Number(value) - (excludes.to === true ? 1 : 0);
    case 'side':
      return (query['address'] ?? '').split(',').includes(String(record[value]));
    case 'keys': {
      const columns = keyColumns(endpoint, { [param.name]: '*' }) ?? [];
      const keys = value.split(',');
      return columns.some((column) => keys.includes(textOf(endpoint, record, column) ?? ''));
    }
    case 'at-least':
    case 'at-most': {
      const amount = decimalOf(textOf(endpoint, record, param.column.column) ?? '');
      const bound = decimalOf(value);
      if (amount === undefined || bound === undefined) return false;
      const compared = compareDecimals(amount, bound);
      return param.role === 'at-least' ? compared >= 0 : compared <= 0;
    }
    default:
      return true;
  }
}

/** All parts of a fetch. */
export async function gathered<T>(parts: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const part of parts) all.push(part);
  return all;
}
