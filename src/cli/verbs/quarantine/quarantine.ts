import { Fault } from '../../../fault.ts';
import { markRoot } from '../../../land/data-root.ts';
import { chainsIn, withLake } from '../../../land/lake.ts';
import { locked } from '../../../land/lock/lock.ts';
import { localDisk } from '../../../land/storage/disk.ts';
import { layout } from '../../../land/storage/layout.ts';
import { recordTable, visibleText } from '../../../load/query/text-table.ts';
import { wholeNumber } from '../../../pipeline/syntax/fields.ts';
import { runName } from '../../../run/job/run-name.ts';
import { windrowVersion } from '../../../run/job/version.ts';
import {
  eachQuarantine,
  idsIn,
  type KeptRecord,
  keptIn,
  needIds,
  shortId,
} from '../../../run/lake/kept-records.ts';
import { needLake } from '../../../run/lake/lake-there.ts';
import { rebuild } from '../../../run/lake/rebuild-warehouse.ts';
import { type Console, heights, many } from '../../terminal/console.ts';
import {
  type Arguments,
  choice,
  data,
  needed,
  rest,
  textOption,
  toggle,
} from '../../terminal/options.ts';
import type { VerbOf, VerbResult } from '../../terminal/verb-result.ts';

const ACTIONS = ['list', 'show', 'drop'] as const;

export const quarantineOptions = {
  options: {
    action: needed(choice('list or show records; drop removes them', ACTIONS)),
    id: rest('Ids of records, or beginnings of ids'),
    data,
    all: toggle('Drop every record'),
    limit: textOption('Maximum number of records, newest first', '100'),
  },
  examples: {
    '$0 quarantine list': 'records that broke their contract, with the reasons',
    '$0 quarantine show 1f2e3d4c': 'one record in full',
  },
};

export type QuarantineArguments = Arguments<typeof quarantineOptions>;

/** `windrow quarantine`: lists, shows and drops records that broke their contract. */
export const quarantineVerb: VerbOf<typeof quarantineOptions> = async (input, output) => {
  await needLake(input.data, output.effects);
  switch (input.action) {
    case 'list':
      return listVerb(input, output);
    case 'show':
      return showVerb(input, output);
    case 'drop':
      output.log?.work();
      return dropVerb(input, output);
  }
};

async function listVerb(input: QuarantineArguments, output: Console): Promise<VerbResult> {
  const limit = wholeNumber('--limit', input.limit, 1, 1_000_000);
  const all = await keptIn(input.data, output.effects);
  const shown = all.toReversed().slice(0, limit);
  const records = shown.map(documentOf);
  const document = { data: input.data, total: all.length, records };
  if (all.length === 0) {
    return { document, lines: [`${input.data} has no records in quarantine.`], exitCode: 0 };
  }
  const rows = shown.map(({ record, isWaiting }) => ({
    id: shortId(record.id),
    at: new Date(record.atMs).toISOString(),
    state: isWaiting ? 'waiting' : 'outdated',
    endpoint: record.claim.endpoint,
    blocks: heights(record.claim.interval),
    reason: record.reason,
  }));
  const hint =
    all.length > limit ? `There are ${many(all.length, 'record')}: see --limit.` : undefined;
  return { document, lines: [recordTable(rows)], hint, exitCode: 0 };
}

async function showVerb(input: QuarantineArguments, output: Console): Promise<VerbResult> {
  needIds(input.id, 'show');
  const all = await keptIn(input.data, output.effects);
  const wanted = idsIn(all, input.id, input.data);
  const matches = [...wanted].flatMap((id) => all.filter(({ record }) => record.id === id));
  const records = matches.map((kept) => ({ ...documentOf(kept), raw: kept.record.raw }));
  const lines = [matches.map(inFull).join('\n\n')];
  return { document: { data: input.data, records }, lines, exitCode: 0 };
}

function documentOf({ chain, record, isWaiting }: KeptRecord) {
  const { id, atMs, run, slice, walk, dataset, axis, reason, occurrence, claim } = record;
  return {
    id,
    state: isWaiting ? 'waiting' : 'outdated',
    at: new Date(atMs).toISOString(),
    chain,
    dataset,
    axis,
    endpoint: claim.endpoint,
    variant: claim.variant,
    keys: claim.keys,
    from: claim.interval.from,
    to: claim.interval.to,
    reason,
    occurrence,
    run,
    slice,
    walk,
    readAt: new Date(claim.readAtMs).toISOString(),
  };
}

function inFull(kept: KeptRecord): string {
  const { reason, keys, from, to, ...rest } = documentOf(kept);
  const said = { ...rest, keys: keys.join(', '), blocks: heights({ from, to }), reason };
  const lines = Object.entries(said).map(([name, value]) => `${name}: ${value}`);
  const pretty = JSON.stringify(JSON.parse(kept.record.raw), undefined, 2);
  return [...lines, ...pretty.split('\n')].map(visibleText).join('\n');
}

/** `windrow quarantine drop`: removes records for good, without a confirmation. */
async function dropVerb(input: QuarantineArguments, output: Console): Promise<VerbResult> {
  if (!input.all) needIds(input.id, 'drop, or give --all');
  if (input.all && input.id.length > 0) {
    throw new Fault('usage', 'Ids and --all exclude each other.', {
      advice: 'Name the records to drop, or give --all.',
    });
  }
  await markRoot(input.data, windrowVersion(), localDisk);
  const dropped = await locked(layout(input.data).lock, output.effects, async () => {
    const count = await drop(input, output);
    if (count > 0) await rebuildWarehouse(input.data, output);
    return count;
  });
  const lines = [`${many(dropped, 'record')} dropped.`];
  return { document: { data: input.data, dropped }, lines, exitCode: 0 };
}

/** Finds and drops the records while the caller holds the lock. Returns their number. */
async function drop({ id, data, all }: QuarantineArguments, { effects }: Console): Promise<number> {
  const kept = await keptIn(data, effects);
  const chosen = all ? new Set(kept.map(({ record }) => record.id)) : idsIn(kept, id, data);
  let dropped = 0;
  await eachQuarantine(data, runName(effects), effects, async (lake) => {
    for (const quarantine of lake.quarantines()) {
      const records = (await quarantine.records()).filter((record) => chosen.has(record.id));
      dropped += await quarantine.drop(records.map((record) => record.id));
    }
  });
  return dropped;
}

/** Publishes the change in the warehouse, if the data root has one pair of chains. */
async function rebuildWarehouse(root: string, output: Console): Promise<void> {
  const { effects } = output;
  const [chains, ...others] = await chainsIn(root, localDisk);
  if (others.length > 0) {
    output.note('The lake has several chains: windrow load --chain NAME shows the change.');
  } else if (chains !== undefined) {
    const settings = { root, chains, run: 'load', effects };
    await withLake(settings, (lake) => rebuild(lake, effects, localDisk));
  }
}
