import { resolve } from 'node:path';
import type { ChunkEngine } from '../../curate/chunk-job.ts';
import { Fault } from '../../fault.ts';
import { idOfRoot } from '../../land/data-root.ts';
import { type Lake, withLake } from '../../land/lake.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { damageBehind } from '../../land/verify/damage-fault.ts';
import { recordTable } from '../../load/query/text-table.ts';
import { windrowVersion } from '../../run/job/version.ts';
import { pythonEngine } from '../../run/lake/python-engine.ts';
import { chainsToShow, rebuild } from '../../run/lake/rebuild-warehouse.ts';
import type { Surroundings } from '../../run/lake/surroundings.ts';
import { withQueue } from '../../run/queue/open-queue.ts';
import { queueEngine } from '../../run/workers/queue-engine.ts';
import { stoppedBySignals } from '../job/stop-signals.ts';
import { many } from '../terminal/console.ts';
import { type Arguments, data, queue, textOption, toggle } from '../terminal/options.ts';
import type { VerbOf, VerbResult } from '../terminal/verb-result.ts';

export const loadOptions = {
  options: {
    data,
    chain: textOption('Chain to show, if the lake has several'),
    full: toggle('Compute the curated tables again from all raw rows'),
    engine: textOption('Compute them with this: spark, or a Python program; see docs/scaling.md'),
    queue,
    master: textOption('Master of Spark, with --engine spark; by default local[*]'),
  },
  examples: {
    '$0 load': 'after moving the data root, or to see rows of a run under way',
  },
};

/**
 * `windrow load`: brings the curated tables up to date and rebuilds the warehouse, from the lake
 * alone. It takes no lock, so it can also show
 * the rows that a long run has landed so far, and it publishes the warehouse whole. A run may
 * publish a newer warehouse in the meantime. The verb therefore compares the lake after publishing,
 * and builds again if the lake has changed.
 */
export const loadVerb: VerbOf<typeof loadOptions> = async (input, output) => {
  if (input.master !== undefined && input.engine === undefined) {
    throw new Fault('usage', '--master is that of an engine.', { advice: 'Add --engine spark.' });
  }
  if (input.queue !== undefined && input.engine !== undefined) {
    throw new Fault('usage', 'Either workers compute the tables, or an engine does.', {
      advice: 'Leave out --queue or --engine.',
    });
  }
  const { effects, note } = output;
  const chains = await chainsToShow(input.data, input.chain, effects);
  const startedMs = effects.now();
  const load = async (lake: Lake): Promise<VerbResult> => {
    const build = (engine?: ChunkEngine) => rebuild(lake, effects, localDisk, input.full, engine);
    const { path, tables, isNewest } =
      input.queue === undefined
        ? await build(engineOf(input, lake, { effects, note }))
        : await withWorkers(input.queue, lake, { effects, note }, build);
    if (!isNewest) output.note('A run is still landing rows: load again after it ends.');
    const seconds = (effects.now() - startedMs) / 1000;
    const rows = tables.reduce((sum, table) => sum + Number(table['rows'] ?? 0), 0);
    const summary = `${path}: ${many(rows, 'row')}, built in ${seconds.toFixed(1)} s.`;
    return {
      document: { data: input.data, warehouse: path, tables, rows, seconds },
      lines: [recordTable(tables), summary],
      exitCode: 0,
    };
  };
  // Jobs name files for processes in other folders.
  const isHere = input.engine === undefined && input.queue === undefined;
  const root = isHere ? input.data : resolve(input.data);
  return withLake({ root, chains, run: 'load', effects }, load).catch(async (error: unknown) => {
    throw (await damageBehind(error, input.data, localDisk)) ?? error;
  });
};

function engineOf(
  { engine, master = 'local[*]' }: Arguments<typeof loadOptions>,
  { layout, run }: Lake,
  surroundings: Surroundings,
): ChunkEngine | undefined {
  if (engine === undefined) return undefined;
  return pythonEngine({
    engine,
    master,
    python: process.env['WINDROW_PYTHON'] ?? 'python3',
    env: process.env,
    staging: layout.stagingOf(run),
    disk: localDisk,
    ...surroundings,
    stoppable: stoppedBySignals,
  });
}

/** Builds the warehouse with curated tables that workers compute. */
async function withWorkers<T>(
  url: string,
  lake: Lake,
  { effects, note }: Surroundings,
  build: (engine: ChunkEngine) => Promise<T>,
): Promise<T> {
  const options = { url, worker: 'load', effects, env: process.env };
  return withQueue(options, async (opened) => {
    await opened.join(await idOfRoot(lake.layout.root, windrowVersion(), localDisk));
    note(`Workers compute the chunks. Start them with: windrow worker --queue ${url}`);
    return stoppedBySignals((stop) => {
      return build(queueEngine({ queue: opened, lake, effects, note, stop }));
    });
  });
}
