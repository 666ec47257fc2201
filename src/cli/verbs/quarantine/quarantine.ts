import type { Argv } from 'yargs';
import { textTable, visibleText } from '../../../load/query/text-table.ts';
import { wholeNumber } from '../../../pipeline/syntax/fields.ts';
import {
  idsIn,
  type KeptRecord,
  keptIn,
  needIds,
  shortId,
} from '../../../run/lake/kept-records.ts';
import { needLake } from '../../../run/lake/lake-there.ts';
import { jsonDocument } from '../../../run/shell/json-document.ts';
import type { ExitCode } from '../../../run/shell/run-document.ts';
import { surroundingsOf } from '../../job/console-surroundings.ts';
import type { Console } from '../../terminal/console.ts';
import { heights, many } from '../../terminal/console.ts';
import { data, withExitCodes } from '../../terminal/options.ts';
import { dropVerb, replayVerb } from './quarantine-replay.ts';

const ACTIONS = ['list', 'show', 'replay', 'drop'] as const;

export function quarantineOptions(args: Argv) {
  return withExitCodes(args)
    .positional('action', {
      choices: ACTIONS,
      demandOption: true,
      describe: 'list or show records; replay decodes them again; drop removes them',
    })
    .positional('id', {
      type: 'string',
      array: true,
      default: [] as string[],
      describe: 'Ids of records, or beginnings of ids',
    })
    .options({
      data,
      all: { type: 'boolean', default: false, describe: 'Replay or drop every record' },
      limit: {
        type: 'string',
        default: '100',
        describe: 'Maximum number of records, newest first',
      },
    })
    .example('$0 quarantine list', 'records that broke their contract, with the reasons')
    .example('$0 quarantine show 1f2e3d4c', 'one record in full')
    .example('$0 quarantine replay --all', 'after an update of windrow that can decode them');
}

export interface QuarantineArguments {
  readonly action: (typeof ACTIONS)[number];
  readonly id: readonly string[];
  readonly data: string;
  readonly all: boolean;
  readonly limit: string;
}

/** `windrow quarantine`: lists, shows, replays and drops records that broke their contract. */
export async function quarantineVerb(
  given: QuarantineArguments,
  output: Console,
): Promise<ExitCode> {
  await needLake(given.data, surroundingsOf(output).effects);
  switch (given.action) {
    case 'list':
      return listVerb(given, output);
    case 'show':
      return showVerb(given, output);
    case 'replay':
      output.log?.work();
      return replayVerb(given, output);
    case 'drop':
      output.log?.work();
      return dropVerb(given, output);
  }
}

const COLUMNS = ['id', 'at', 'state', 'endpoint', 'blocks', 'reason'].map((name) => ({
  name,
  type: 'VARCHAR',
}));

async function listVerb(given: QuarantineArguments, output: Console): Promise<ExitCode> {
  const limit = wholeNumber('--limit', given.limit, 1, 1_000_000);
  const all = await keptIn(given.data, surroundingsOf(output).effects);
  const shown = all.toReversed().slice(0, limit);
  if (output.isJson) {
    const records = shown.map((kept) => document(kept));
    output.out(jsonDocument({ data: given.data, total: all.length, records }));
    return 0;
  }
  if (all.length === 0) {
    output.out(`${given.data} has no records in quarantine.`);
    return 0;
  }
  const rows = shown.map(({ record, isWaiting }) => ({
    id: shortId(record.id),
    at: new Date(record.atMs).toISOString(),
    state: isWaiting ? 'waiting' : 'outdated',
    endpoint: record.claim.endpoint,
    blocks: heights(record.claim.interval),
    reason: record.reason,
  }));
  output.out(textTable(COLUMNS, rows));
  if (all.length > limit) output.note(`There are ${many(all.length, 'record')}: see --limit.`);
  return 0;
}

async function showVerb(given: QuarantineArguments, output: Console): Promise<ExitCode> {
  needIds(given.id, 'show');
  const all = await keptIn(given.data, surroundingsOf(output).effects);
  const wanted = idsIn(all, given.id, given.data);
  const found = [...wanted].flatMap((id) => all.filter(({ record }) => record.id === id));
  if (output.isJson) {
    const records = found.map((kept) => ({ ...document(kept), raw: kept.record.raw }));
    output.out(jsonDocument({ data: given.data, records }));
  } else output.out(found.map(inFull).join('\n\n'));
  return 0;
}

function document({ chain, record, isWaiting }: KeptRecord) {
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
    walkStatus: claim.status,
    head: claim.head,
    readAt: new Date(claim.readAtMs).toISOString(),
  };
}

function inFull(kept: KeptRecord): string {
  const { reason, keys, from, to, ...rest } = document(kept);
  const said = { ...rest, keys: keys.join(', '), blocks: heights({ from, to }), reason };
  const lines = Object.entries(said).map(([name, value]) => `${name}: ${value}`);
  const pretty = JSON.stringify(JSON.parse(kept.record.raw), undefined, 2);
  return [...lines, ...pretty.split('\n')].map(visibleText).join('\n');
}
