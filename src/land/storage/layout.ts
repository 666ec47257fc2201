import { join } from 'node:path';

/** One data root. Paths are values: this is the only place that builds them. */
export interface Layout {
  readonly root: string;
  readonly warehouse: string;
  readonly runs: string;
  readonly state: string;
  readonly lock: string;
  readonly staging: string;
  readonly lake: string;
  /** `lake/<chain>/<table>`; both come from the catalogue's and the pipeline's checked names. */
  table(chain: string, table: string): string;
  /** Files in the making of one run, outside every folder that readers look into. */
  stagingOf(run: string): string;
  /** What does not fit into the memory of one run. */
  spilledOf(run: string): string;
  /** Damaged files that one repair has set aside; below it lie the same folders as here. */
  damagedOf(run: string): string;
  /** What one run did. */
  reportOf(run: string): string;
  readonly lastReport: string;
  /** Limits and quirks of the source, learned over runs. */
  readonly learned: string;
  /** Labels of addresses, from the files that runs took their keys from. */
  readonly labels: string;
}

export function layout(root: string): Layout {
  const lake = join(root, 'lake');
  const state = join(root, 'state');
  const staging = join(root, 'staging');
  return {
    root,
    warehouse: join(root, 'warehouse.duckdb'),
    runs: join(root, 'runs'),
    state,
    lock: join(state, 'lock'),
    staging,
    lake,
    table: (chain, table) => join(lake, chain, table),
    stagingOf: (run) => join(staging, run),
    spilledOf: (run) => join(staging, run, 'spilled'),
    damagedOf: (run) => join(root, 'damaged', run),
    reportOf: (run) => join(root, 'runs', `${run}.json`),
    lastReport: join(root, 'runs', 'last_run.json'),
    learned: join(state, 'learned.json'),
    labels: join(state, 'labels.json'),
  };
}
