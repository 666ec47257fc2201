import type { Endpoint } from '../../src/catalogue/entry.ts';
import { datasetNamed, paramOf } from '../../src/catalogue/index.ts';
import type { CanonicalRecord } from '../../src/catalogue/record.ts';
import { type List, listOf } from '../../src/coverage/list.ts';
import { contains, type Interval } from '../../src/coverage/ranges.ts';
import type { PipelineRequest } from '../../src/pipeline/requests.ts';
import { ChainTruth } from './chain-truth.ts';
import type { Specification } from './specification.ts';

/**
 * What an export of a specification should have landed, by plain loops over the chain's records:
 * the filters and the hashes that rows name, on top of what `ChainTruth` says of whole lists.
 */
export class SpecifiedTruth {
  readonly #of: Specification;
  readonly #requests: readonly PipelineRequest[];
  readonly #chain: ChainTruth;

  constructor(of: Specification, requests: readonly PipelineRequest[]) {
    const { chain, blocks, zoneBlocks, addresses, tokens } = of;
    this.#of = of;
    this.#requests = requests;
    this.#chain = new ChainTruth({
      chain,
      blocks,
      zoneBlocks,
      wholeBlocks: blocks,
      addresses: new Set(addresses),
      tokens: new Set(tokens),
      head: chain.head,
    });
  }

  /** The records that one list of a request should have landed, with every copy. */
  of(request: PipelineRequest, asked: List): readonly CanonicalRecord[] {
    const interval = this.#intervalOf(request);
    const records =
      request.foundIn === undefined
        ? this.#given(request.entry, asked)
        : this.#found(request, asked);
    const height = heightIn(request.dataset);
    return records.filter((record) => contains(interval, height(record)));
  }

  #intervalOf({ entry: { axis }, blocks }: PipelineRequest): Interval {
    const whole = axis === 'primary' ? this.#of.blocks : this.#of.zoneBlocks;
    if (blocks === undefined || typeof blocks.to !== 'number') return whole;
    return { from: Math.max(whole.from, blocks.from), to: Math.min(whole.to, blocks.to) };
  }

  /** Lists of given keys or of all, with their filters. */
  #given(endpoint: Endpoint, { filters }: List): readonly CanonicalRecord[] {
    const keys = paramOf(endpoint, 'keys');
    // The truth of a list knows protocolType, and keys that may be left out.
    const known = Object.entries(filters).filter(
      ([name]) => name === 'protocolType' || name === keys?.name,
    );
    const records = this.#chain.of(
      endpoint.path,
      listOf(endpoint, Object.fromEntries(known)).variant,
    );
    return records.filter((record) =>
      endpoint.params.every((param) => {
        const value = filters[param.name];
        if (value === undefined) return true;
        if (param.role === 'side')
          return this.#isOurs(record[value === 'from' ? param.from : param.to]);
        if (param.role !== 'equals' || param.name === 'protocolType') return true;
        return record[param.column.column] === value;
      }),
    );
  }

  #isOurs(party: CanonicalRecord[string] | undefined): boolean {
    const { addresses } = this.#of;
    return String(party ?? '')
      .split(',')
      .some((each) => addresses.includes(each.trim()));
  }

  /** Everything that has one of the hashes that the rows of other requests name. */
  #found(request: PipelineRequest, asked: List): readonly CanonicalRecord[] {
    const { foundIn, entry, dataset } = request;
    const [column] = paramOf(entry, 'keys')?.columns ?? [];
    if (foundIn === undefined || column === undefined) return [];
    const hashes = new Set<unknown>();
    for (const finder of this.#requests) {
      const isFinder = finder.foundIn === undefined && foundIn.datasets.includes(finder.dataset);
      if (!isFinder || foundIn.by?.includes(finder.entry.path) === false) continue;
      const tells = finder.entry.fields.some((field) => field.column === foundIn.without);
      for (const each of finder.lists) {
        for (const record of this.of(finder, each)) {
          const hash = record[column] ?? '';
          const isAsked = !tells || (record[foundIn.without ?? ''] ?? '') === '';
          if (isAsked && hash !== '') hashes.add(hash);
        }
      }
    }
    const standard = asked.filters['protocolType'];
    return this.#everyRecord(dataset).filter(
      (record) =>
        hashes.has(record[column]) &&
        (standard === undefined || record['token_standard'] === standard),
    );
  }

  #everyRecord(dataset: string): readonly CanonicalRecord[] {
    const { chain, blocks, zoneBlocks } = this.#of;
    const { axis } = datasetNamed(dataset);
    const records: CanonicalRecord[] = [];
    const { from, to } = axis === 'primary' ? blocks : zoneBlocks;
    for (let height = from; height <= to; height += 1) {
      const at: Readonly<Record<string, readonly CanonicalRecord[]>> =
        axis === 'primary' ? chain.recordsAt(height) : chain.zone.recordsAt(height);
      records.push(...(at[dataset] ?? []));
    }
    return records;
  }
}

function heightIn(dataset: string): (record: CanonicalRecord) => number {
  const { heightColumn } = datasetNamed(dataset);
  return (record) => Number(record[heightColumn]);
}
