import { rowsOf } from './lake.ts';
import { type ListKind, type Lists, listAt, type Params } from './lists.ts';

/**
 * What a lake says against what is true, as multisets: only rows at heights and of keys that its
 * coverage calls complete are compared.
 */

export interface Verdict {
  /** Rows that the chain has where the coverage says complete. */
  readonly complete: number;
  /** Of them, rows that the lake does not have. */
  readonly missing: number;
  /** Rows of the lake there that the chain does not have. */
  readonly extra: number;
  /** Entries of the coverage, by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Reasons that the coverage gives, each once. */
  readonly reasons: readonly string[];
  /** The first wrong rows, for a person. */
  readonly examples: readonly string[];
}

interface Interval {
  readonly from: number;
  readonly to: number;
}

/** One list of the coverage: where it is complete, by key. */
interface Covered {
  readonly dataset: string;
  readonly endpoint: string;
  readonly variant: string;
  readonly complete: Map<string, Interval[]>;
  /** Keys with an entry that is not complete. */
  readonly open: Set<string>;
}

const CHAINS = ['MAINCHAIN', 'ZONECHAIN'] as const;
const SHOWN = 3;

export async function verdictOf(root: string, lists: Lists): Promise<Verdict> {
  const statuses: Record<string, number> = {};
  const reasons = new Set<string>();
  let [complete, missing, extra] = [0, 0, 0];
  const examples: string[] = [];
  for (const chain of CHAINS) {
    const columns = 'dataset endpoint variant key from_block to_block status reason'.split(' ');
    const covered = new Map<string, Covered>();
    for (const row of await rowsOf(root, chain, 'coverage', columns)) {
      const [dataset, endpoint, variant, key, from, to, status, reason] = row.map((v) => v ?? '');
      statuses[status ?? ''] = (statuses[status ?? ''] ?? 0) + 1;
      if (reason !== undefined && reason !== '') reasons.add(`${status}: ${reason}`);
      const id = `${endpoint}?${variant}`;
      const list = covered.get(id) ?? {
        dataset: dataset ?? '',
        endpoint: endpoint ?? '',
        variant: variant ?? '',
        complete: new Map(),
        open: new Set<string>(),
      };
      covered.set(id, list);
      if (status !== 'complete') {
        list.open.add(key ?? '');
        continue;
      }
      const intervals = list.complete.get(key ?? '') ?? [];
      intervals.push({ from: Number(from), to: Number(to) });
      list.complete.set(key ?? '', intervals);
    }
    for (const list of covered.values()) {
      const params = paramsOf(list.variant);
      const kind = listAt(list.endpoint);
      if (keyColumnsOf(kind)[0] === 'tx_hash') await completeLookUps(root, chain, list);
      const truth = trueLines(lists, kind, params, list);
      const landed = await landedLines(root, chain, kind, params, list);
      complete += truth.length;
      const left = new Map<string, number>();
      for (const line of truth) left.set(line, (left.get(line) ?? 0) + 1);
      for (const line of landed) left.set(line, (left.get(line) ?? 0) - 1);
      for (const [line, count] of left) {
        if (count > 0) missing += count;
        else extra -= count;
        if (count === 0 || examples.length >= SHOWN) continue;
        examples.push(`${count > 0 ? 'missing' : 'extra'} in ${list.endpoint}: ${line}`);
      }
    }
  }
  return { complete, missing, extra, statuses, reasons: [...reasons], examples };
}

function paramsOf(variant: string): Params {
  const pairs = variant.split('&').filter((pair) => pair !== '');
  return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]));
}

function trueLines(lists: Lists, kind: ListKind, params: Params, list: Covered): string[] {
  return lists
    .entries(kind, params)
    .filter(({ keys, height }) => isComplete(list, keys, height))
    .map(({ cells }) => cells.join(' '));
}

async function landedLines(
  root: string,
  chain: string,
  kind: ListKind,
  params: Params,
  list: Covered,
): Promise<string[]> {
  const columns = kind.columns(params);
  const keyed = keyColumnsOf(kind);
  const selected = ['_endpoint', '_variant', 'block_number', ...keyed, ...columns];
  const rows = await rowsOf(root, chain, list.dataset, selected);
  return rows
    .filter(([endpoint, variant]) => endpoint === list.endpoint && variant === list.variant)
    .filter(([, , height, ...rest]) => {
      const keys = keyed.length === 0 ? [''] : rest.slice(0, keyed.length).map((key) => key ?? '');
      return isComplete(list, keys, Number(height ?? -1));
    })
    .map((row) => row.slice(3 + keyed.length).map((cell) => cell ?? ''))
    .map((cells) => cells.join(' '));
}

/** A look-up has no entry of a complete hash: that is one with a row, unless it is open. */
async function completeLookUps(root: string, chain: string, list: Covered): Promise<void> {
  const whole = list.complete.get('') ?? [];
  const selected = ['_endpoint', '_variant', 'tx_hash'];
  for (const [endpoint, variant, hash] of await rowsOf(root, chain, list.dataset, selected)) {
    const isOwn = endpoint === list.endpoint && variant === list.variant;
    if (isOwn && hash != null && !list.open.has(hash)) list.complete.set(hash, whole);
  }
}

function keyColumnsOf({ keyParam, chain }: ListKind): string[] {
  if (keyParam === undefined) return [];
  if (keyParam === 'tokenContractAddress') return ['token_address'];
  if (keyParam !== 'address') return ['tx_hash'];
  return chain === 'MAINCHAIN' ? ['from_address', 'to_address'] : ['from_address'];
}

function isComplete({ complete }: Covered, keys: readonly string[], height: number): boolean {
  return keys.some((key) =>
    (complete.get(key) ?? []).some(({ from, to }) => from <= height && height <= to),
  );
}
