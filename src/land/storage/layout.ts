import { join } from 'node:path';

/** Paths below one data root. They are built only here. */
export interface Layout {
  readonly root: string;
  /** Folder of the files that readers make: the root, or a cache if it cannot be written. */
  readonly made: string;
  readonly warehouse: string;
  readonly runs: string;
  readonly state: string;
  readonly lock: string;
  readonly staging: string;
  readonly lake: string;
  /** `lake/<chain>/<table>`. Both names are validated by the catalogue or the pipeline. */
  table(chain: string, table: string): string;
  readonly curated: string;
  /** `curated/<chain>/<table>`. */
  curatedTable(chain: string, table: string): string;
  /** Unfinished files of one run, outside every folder that readers scan. */
  stagingOf(run: string): string;
  /** Temporary files of DuckDB for data that exceeds the memory of one run; see `openDatabase`. */
  spilledOf(run: string): string;
  /** Damaged files that one repair has moved, in the same folders as below the data root. */
  damagedOf(run: string): string;
  /** Report of one run. */
  reportOf(run: string): string;
  /** Page of one run, made from its report. */
  pageOf(run: string): string;
  readonly lastReport: string;
  /** Limits and deviations of sources, learned over runs, by URL. */
  readonly learned: string;
  /** The state of alerts by pipeline. */
  readonly alerts: string;
  /** The journal of the stream of a network. */
  journalOf(network: string): string;
}

export function layout(root: string, made = root): Layout {
  const lake = join(root, 'lake');
  const curated = join(root, 'curated');
  const state = join(root, 'state');
  const staging = join(made, 'staging');
  return {
    root,
    made,
    warehouse: join(made, 'warehouse.duckdb'),
    runs: join(root, 'runs'),
    state,
    lock: join(state, 'lock'),
    staging,
    lake,
    table: (chain, table) => join(lake, chain, table),
    curated,
    curatedTable: (chain, table) => join(curated, chain, table),
    stagingOf: (run) => join(staging, run),
    spilledOf: (run) => join(staging, run, 'spilled'),
    damagedOf: (run) => join(root, 'damaged', run),
    reportOf: (run) => join(root, 'runs', `${run}.json`),
    pageOf: (run) => join(root, 'runs', `${run}.html`),
    lastReport: join(root, 'runs', 'last_run.json'),
    learned: join(state, 'learned.json'),
    alerts: join(state, 'alerts.json'),
    journalOf: (network) => join(state, 'stream', network),
  };
}
