import type { Certificate } from './export/certificate/format.ts';
import type { Exported } from './export/export.ts';
import { FORMAT_NAMES } from './export/formats/formats.ts';
import { Fault } from './fault.ts';
import { isAddress } from './land/places/address.ts';
import { mountRoot } from './land/places/mount-root.ts';
import { withAddresses } from './land/places/mounts.ts';
import { localDisk, machineDisk } from './land/storage/disk.ts';
import type { Layout } from './land/storage/layout.ts';
import { type LakeVerification, verifyLake } from './land/verify/verify-lake.ts';
import type { QueryResult } from './load/query/query.ts';
import { MAINTENANCE_RULES } from './pipeline/maintenance.ts';
import type { CertifyOptions } from './run/certificate/certify-lake.ts';
import type { VerifyOptions } from './run/certificate/verify-certificate.ts';
import type { Stops } from './run/interruption.ts';
import { intentOf } from './run/job/chosen-datasets.ts';
import {
  checkScriptOptions,
  EXPORT_TYPES,
  type ExportOptions,
  PIPELINE_TYPES,
  type QueryOptions,
  RECONCILE_TYPES,
  RUN_TYPES,
  VERIFY_TYPES,
  WITH_PIPELINE,
} from './run/job/option-types.ts';
import { loadPipeline, type Overrides } from './run/job/pipeline-file.ts';
import { type LakeStatus, lakeStatus } from './run/lake/lake-status.ts';
import { needLake } from './run/lake/lake-there.ts';
import { type MaintenanceResult, maintainLake } from './run/lake/maintain-lake.ts';
import type { Surroundings } from './run/lake/surroundings.ts';
import { withWarehouseOf } from './run/lake/with-warehouse.ts';
import { followRuns } from './run/shell/follow-runs.ts';
import { runOnce } from './run/shell/pipeline-run.ts';
import { ProgressQueue } from './run/shell/progress-queue.ts';
import { type Reconciliation, reconcileRun, type WitnessScope } from './run/shell/reconcile-run.ts';
import { planDocument, type RunDocument } from './run/shell/run-document.ts';
import { planRun } from './run/shell/work-on-source.ts';
import { systemEffects } from './system.ts';

export { Fault, type FaultKind } from './fault.ts';
export type { ExportOptions, QueryOptions } from './run/job/option-types.ts';

export interface WindrowOptions {
  /** The data root: a folder, which the first run makes, or an address such as `s3://b/p`. */
  readonly data: string;
  /** Variables with credentials, proxies and collectors; default: those of the process. */
  readonly env?: NodeJS.ProcessEnv;
  /** Receives messages for people; by default, they are dropped. */
  onNote?(text: string, level: 'debug' | 'info' | 'warn' | 'error'): void;
}

/** Settings that replace those of the pipeline file, in the forms of the command line. */
export interface PipelineOptions extends Overrides {
  /** Datasets to read; default: all of the pipeline. */
  readonly only?: readonly string[];
}

export interface RunOptions extends PipelineOptions {
  /** The first abort finishes open slices, for at most `limits.stopWithin` of the pipeline. */
  readonly signal?: AbortSignal;
}

export interface FollowerOptions extends Omit<RunOptions, 'only'> {
  /** Time from the start of one run to the next; default: 5,000. */
  readonly everyMs?: number;
}

/** Progress of a run; `rows` have landed. Of `progressed`, a slow reader gets only the newest. */
export type RunEvent =
  | { readonly kind: 'note'; readonly text: string; readonly level: string }
  | { readonly kind: 'planned'; readonly slices: number; readonly requests: number }
  | { readonly kind: 'progressed'; readonly slices: number; readonly rows: number }
  | { readonly kind: 'publishing' };

/** A run under way: its events in order, and its report. */
export interface Run extends AsyncIterable<RunEvent> {
  /**
   * The report of the run, as `windrow run --json` prints it. Rejects with a `Fault` when the run
   * cannot continue; the events end with the same error.
   */
  readonly report: Promise<RunDocument>;
}

/** Opens windrow as a library. Reads and writes nothing yet. */
export function openWindrow(options: WindrowOptions): Windrow {
  checkScriptOptions(options, { env: 'object', onNote: 'function' }, { data: 'text' });
  return new Windrow(options);
}

/** The work of the command line as functions; each has the name of its verb. */
export class Windrow {
  readonly #root: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #note: Surroundings['note'];
  readonly #open = new Map<AbortController, Promise<unknown>>();

  constructor({ data, env = process.env, onNote }: WindrowOptions) {
    this.#env = env;
    this.#note = (text, level = 'info') => onNote?.(withAddresses(text), level);
    const { effects } = this.#surroundings(this.#note);
    this.#root = isAddress(data) ? mountRoot(data, {}, env, machineDisk, effects) : data;
  }

  /** The price of a run. Requests heads and some block hashes; with a seed also first pages. */
  async plan(
    pipeline: string,
    { probeSeed, ...options }: PipelineOptions & { readonly probeSeed?: string } = {},
  ): Promise<Readonly<Record<string, unknown>>> {
    const types = { ...PIPELINE_TYPES, only: 'list', probeSeed: 'text' } as const;
    checkScriptOptions({ ...options, probeSeed, pipeline }, types, WITH_PIPELINE);
    const loaded = await loadPipeline(pipeline, options);
    const { priced } = await planRun({
      ...this.#shell(this.#note),
      ...intentOf(loaded, options.only),
      ...(probeSeed === undefined ? {} : { probeSeed }),
      loaded,
    });
    return planDocument(priced);
  }

  /** Starts a run: fetches missing blocks, lands their rows and publishes the warehouse. */
  run(pipeline: string, options: RunOptions = {}): Run {
    const { events, note, stops, opened } = this.#begin(options.signal);
    const report = opened(async () => {
      checkScriptOptions({ ...options, pipeline }, { ...RUN_TYPES, only: 'list' }, WITH_PIPELINE);
      const loaded = await loadPipeline(pipeline, options);
      return runOnce({
        ...this.#shell(note),
        ...intentOf(loaded, options.only),
        loaded,
        isLocked: true,
        stops: () => stops,
        listener: {
          watch: () => ({
            planned: ({ plan: { slices }, estimate: { total } }) =>
              events.push({ kind: 'planned', slices: slices.length, requests: total.requests }),
            progressed: (committer) => {
              const { slices, rows } = committer.counts();
              events.push({ kind: 'progressed', slices, rows });
            },
            loading: () => events.push({ kind: 'publishing' }),
          }),
        },
      });
    });
    return { report, [Symbol.asyncIterator]: () => events[Symbol.asyncIterator]() };
  }

  /**
   * Keeps the lake up with the head until the signal is aborted. Resolves to 3 where the last run
   * left something incomplete, else to 0.
   */
  follow(
    pipeline: string,
    options: FollowerOptions = {},
  ): AsyncIterable<RunEvent> & { readonly exitCode: Promise<0 | 3> } {
    const { events, note, stops, opened } = this.#begin(options.signal);
    const exitCode = opened(async () => {
      const types = { ...RUN_TYPES, everyMs: 'number' } as const;
      checkScriptOptions({ ...options, pipeline }, types, WITH_PIPELINE);
      const loaded = await loadPipeline(pipeline, options);
      return followRuns({
        ...this.#shell(note),
        loaded,
        stops,
        everyMs: options.everyMs ?? 5_000,
        listener: {
          caughtUp: (_, { slices, rows }) => events.push({ kind: 'progressed', slices, rows }),
          failed: (fault) => events.push({ kind: 'note', text: fault.paragraph(), level: 'warn' }),
        },
      });
    });
    return { exitCode, [Symbol.asyncIterator]: () => events[Symbol.asyncIterator]() };
  }

  /** The tables of the lake, the coverage of each list, and known damage. */
  status(): Promise<LakeStatus> {
    return lakeStatus(this.#root, this.#surroundings(this.#note).effects);
  }

  /** The answer of one SELECT over the warehouse, which is rebuilt where necessary. */
  async query(sql: string, options: QueryOptions = {}): Promise<QueryResult> {
    const types = { asOf: 'text', maxRows: 'number', timeoutMs: 'number' } as const;
    checkScriptOptions({ ...options, sql }, types, { sql: 'text' });
    const { asOf, maxRows = 10_000, timeoutMs = 60_000 } = options;
    return this.#warehouse(asOf, async ({ warehouse, root }) => {
      const { query } = await import('./load/query/query.ts');
      return query(warehouse, sql, { maxRows, timeoutMs, root });
    });
  }

  /** Writes a view or the answer of one SELECT as a file, whole or not at all. */
  async export(options: ExportOptions): Promise<Exported> {
    checkScriptOptions(options, EXPORT_TYPES, { from: 'object', file: 'text' });
    const { from, file, format = 'parquet', mayReplace = false, asOf, ...rest } = options;
    const { timeoutMs = 3_600_000, ...narrowing } = rest;
    if (!FORMAT_NAMES.includes(format)) {
      const advice = `Formats are ${FORMAT_NAMES.join(', ')}.`;
      throw new Fault('usage', `There is no format ${JSON.stringify(format)}.`, { advice });
    }
    const { effects } = this.#surroundings(this.#note);
    const exported = await this.#warehouse(asOf, async (layout) => {
      const { exportFiles } = await import('./export/export.ts');
      const wanted = [{ name: 'export', source: from, narrowing, file }];
      const limits = { mayReplace, isRaw: false, timeoutMs };
      return exportFiles({ ...limits, wanted, format, layout, effects, disk: localDisk });
    });
    const [first] = exported;
    if (first === undefined) throw new Error('An export of one file has one result.');
    return first;
  }

  /** A signed certificate of the lake. `key` is the file of the private key. */
  async certify(options: Omit<CertifyOptions, 'root'>): Promise<Certificate> {
    checkScriptOptions(options, { address: 'text' }, { key: 'text' });
    const { certifyLake } = await import('./run/certificate/certify-lake.ts');
    return certifyLake({ ...options, root: this.#root }, this.#surroundings(this.#note));
  }

  /** Checks the file of a certificate or a proof, alone or against a lake and a node. */
  async verifyCertificate(options: Omit<VerifyOptions, 'env'>) {
    checkScriptOptions(options, VERIFY_TYPES, { file: 'text' });
    const { verifyCertificate } = await import('./run/certificate/verify-certificate.ts');
    return verifyCertificate({ env: this.#env, ...options }, this.#surroundings(this.#note));
  }

  /** Compares balances and blocks with the nodes of a pipeline, and lands the verdicts. */
  async reconcile(pipeline: string, options: WitnessScope = {}): Promise<Reconciliation> {
    checkScriptOptions({ ...options, pipeline }, RECONCILE_TYPES, WITH_PIPELINE);
    const loaded = await loadPipeline(pipeline, {});
    return reconcileRun({ ...this.#shell(this.#note), ...options, loaded });
  }

  /** Compares every file of the lake with its log. */
  async verify(): Promise<LakeVerification> {
    await needLake(this.#root, this.#surroundings(this.#note).effects);
    return verifyLake(this.#root, localDisk);
  }

  /** Merges small files and deletes replaced ones; `chain` if the lake has several. */
  async maintain(options: { readonly chain?: string } = {}): Promise<MaintenanceResult> {
    checkScriptOptions(options, { chain: 'text' });
    const settings = { root: this.#root, rules: MAINTENANCE_RULES, chain: options.chain };
    return maintainLake(this.#surroundings(this.#note), settings);
  }

  /** Ends the runs under way, which finish open slices, and waits for them. */
  async close(): Promise<void> {
    const ends = [...this.#open.values()];
    for (const stop of this.#open.keys()) stop.abort(new Error('interrupted'));
    await Promise.allSettled(ends);
  }

  #surroundings(note: Surroundings['note']): Surroundings {
    return { effects: systemEffects('warn', this.#env, note), note };
  }

  #shell(note: Surroundings['note']) {
    return { ...this.#surroundings(note), root: this.#root, env: this.#env };
  }

  #warehouse<T>(asOf: string | undefined, use: (paths: Layout) => Promise<T>): Promise<T> {
    return withWarehouseOf({ root: this.#root, asOf }, this.#surroundings(this.#note), use);
  }

  /** The events and the stops of work that `close` ends. */
  #begin(signal: AbortSignal | undefined) {
    const events = new ProgressQueue<RunEvent>();
    const stop = new AbortController();
    const onAbort = (): void => stop.abort(signal?.reason);
    if (signal?.aborted === true) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    const stops: Stops = { softStop: stop.signal, hardStop: new AbortController().signal };
    const note: Surroundings['note'] = (text, level = 'info') => {
      this.#note(text, level);
      events.push({ kind: 'note', text, level });
    };
    const opened = <T>(work: () => Promise<T>): Promise<T> => {
      const result = work();
      const ended = result.then(
        () => events.end(),
        (error: unknown) => events.end(error),
      );
      const left = ended.finally(() => {
        signal?.removeEventListener('abort', onAbort);
        this.#open.delete(stop);
      });
      this.#open.set(stop, left);
      return result;
    };
    return { events, note, stops, opened };
  }
}
