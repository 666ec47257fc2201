import { grouped } from '../../../coverage/grouped.ts';
import { isAskedByHash } from '../../../coverage/list.ts';
import type { Effects } from '../../../effects.ts';
import type { Advice } from '../../../fault.ts';
import { jsonIn } from '../../../json-in.ts';
import { processesAt } from '../../../land/lock/lock-queue.ts';
import { readReportsByPipeline } from '../../../land/reports/run-history.ts';
import { REPAIR_ADVICE } from '../../../land/storage/damage.ts';
import { localDisk } from '../../../land/storage/disk.ts';
import { layout } from '../../../land/storage/layout.ts';
import type { QueryRow } from '../../../load/query/query.ts';
import { momentText, parseDuration } from '../../../pipeline/syntax/duration.ts';
import type { CapturedSource } from '../../../run/lake/captured-sources.ts';
import { keptIn } from '../../../run/lake/kept-records.ts';
import { lakeStatus, type TableStatus } from '../../../run/lake/lake-status.ts';
import { needLake, outdatedText, runHolding, runText } from '../../../run/lake/lake-there.ts';
import { stateFolder } from '../../../run/shared-key/key-folder.ts';
import { counted, heights, many } from '../../terminal/console.ts';
import { data, queue, textOption } from '../../terminal/options.ts';
import { quotaText, quotaUseDocument, quotaUses } from '../../terminal/quota-text.ts';
import type { VerbOf } from '../../terminal/verb-result.ts';
import { firstOf } from '../../terminal/verify-text.ts';
import { nextStep } from './next-step.ts';
import {
  ago,
  headDocument,
  headLines,
  incompleteIn,
  pipelineStatus,
  staleLines,
  toneOf,
} from './status-head.ts';

export const statusOptions = {
  options: {
    data,
    maxAge: textOption(
      'End with exit code 1 where the last success of a pipeline is older, e.g. 26h',
    ),
    queue,
  },
  examples: {
    '$0 status --data data/demo': 'tables and coverage',
    '$0 status --max-age 26h': 'a health check of a daily run',
  },
};

/** `windrow status`: tables of the lake, and the coverage of each list. */
export const statusVerb: VerbOf<typeof statusOptions> = async (input, output) => {
  if (input.queue !== undefined) {
    const { queueStatus } = await import('../queue/queue-status.ts');
    return queueStatus(input.queue, output);
  }
  const maxAgeMs =
    input.maxAge === undefined ? undefined : parseDuration(input.maxAge, '--max-age', YEAR_MS);
  const { effects } = output;
  const { tables, damaged, behind, captured, evidence } = await lakeStatus(input.data, effects);
  const quarantine = damaged.length > 0 ? [] : await waitingIn(input.data, effects);
  const lastRun =
    jsonIn(await localDisk.read(layout(input.data).lastReport).catch(() => '')) ?? null;
  const [run, processes] = await Promise.all([
    runHolding(input.data, effects),
    processesAt(layout(input.data).lock, effects),
  ]);
  const nowMs = effects.now();
  const reports = await readReportsByPipeline(layout(input.data), localDisk, nowMs);
  const uses = quotaUses([...reports.values()].flat(), stateFolder(process.env), nowMs);
  // A data root may have a run that landed no rows.
  if (tables.length === 0 && lastRun === null && run === undefined)
    await needLake(input.data, effects);
  const facts = {
    root: input.data,
    isUnderWay: run !== undefined,
    isDamaged: damaged.length > 0,
    isBehind: behind.length > 0,
    isWaiting: quarantine.length > 0,
  };
  const pipelines = [...reports.values()].flatMap((newestFirst) => {
    const nextOf: Parameters<typeof pipelineStatus>[1] = (status) => {
      const { newest: last, state, history, quota } = status;
      const isPartOnly = history.lastSuccessMs === undefined && history.laterPartMs !== undefined;
      const { usedUpUntilMs } = quota ?? {};
      return nextStep({ ...facts, last, state, isPartOnly, usedUpUntilMs });
    };
    return pipelineStatus(newestFirst, nextOf, uses, processes) ?? [];
  });
  const incomplete = incompleteIn(tables.flatMap(({ coverage }) => coverage));
  const stale = maxAgeMs === undefined ? [] : staleLines(pipelines, nowMs, maxAgeMs);
  const exitCode = damaged.length > 0 || stale.length > 0 ? 1 : 0;
  const { pid, host, since } = run ?? {};
  const runUnderWay = run === undefined ? null : { pid, host, since };
  const quotas = [...uses.values()];
  const document = {
    data: input.data,
    tables,
    captured,
    evidence,
    damaged,
    behind,
    quarantine,
    quotas: quotas.map(quotaUseDocument),
    lastRun,
    runUnderWay,
    stale,
    ...headDocument(pipelines, incomplete),
  };
  const lines: Advice[] = [
    ...headLines(pipelines, incomplete, nowMs),
    ...capturedLines(captured, nowMs),
    ...statusText(input.data, tables, quarantine),
    ...evidence.map(evidenceLine),
    ...quotas.map(quotaText),
    ...(run === undefined ? [] : [runText(run)]),
    ...(behind.length > 0 ? [outdatedText(behind)] : []),
    ...damaged.map(({ path, finding }) => `DAMAGED ${path}: ${finding}`),
    ...(damaged.length > 0 ? [REPAIR_ADVICE] : []),
    ...stale,
  ];
  return { document, lines, tone: toneOf, exitCode };
};

const YEAR_MS = 366 * 86_400_000;

function evidenceLine({ dataset, complete, complete_and_reconciled: both }: QueryRow): string {
  const blocks = `${counted(Number(complete))} blocks times addresses`;
  return `${dataset}: complete in ${blocks}, complete and reconciled in ${counted(Number(both))}.`;
}

/** Look-ups of many keys may have a reason for each. */
const SHOWN_REASONS = 3;

function statusText(
  root: string,
  tables: readonly TableStatus[],
  quarantine: readonly WaitingRecords[],
): Advice[] {
  if (tables.length === 0) return [`${root} holds no tables yet.`];
  const lines: Advice[] = [];
  for (const table of tables) {
    const size = `${many(table.files, 'file')}, ${counted(table.bytes / 1024)} KiB`;
    lines.push(
      `${table.chain} ${table.dataset}: ${many(table.rows, 'row')} in ${size}, ` +
        `version ${table.version}`,
    );
    let endpoint = '';
    for (const list of table.coverage) {
      if (list.endpoint !== endpoint) lines.push(`  ${list.endpoint}`);
      endpoint = list.endpoint;
      const filter = list.variant === '' ? '' : ` (${list.variant})`;
      const reasons = firstOf(list.reason.split('; '), SHOWN_REASONS, '; ');
      const reason = reasons === '' ? '' : `: ${reasons}`;
      const [first] = list.intervals;
      const others = list.intervals.length - 1;
      const more = others > 0 ? ` and ${many(others, 'more range')}` : '';
      const whole = isAskedByHash(list) ? 'all looked-up hashes' : 'the whole chain';
      const keys = list.isWholeChain ? whole : many(list.keys, 'key');
      lines.push(
        `    ${list.status} for ${keys}${filter}, blocks ` +
          `${first === undefined ? 'none' : heights(first)}${more}${reason}`,
      );
    }
  }
  if (quarantine.length > 0) {
    const sum = quarantine.reduce((all, { records }) => all + records, 0);
    const verb = sum === 1 ? 'waits' : 'wait';
    const text = `${many(sum, 'record')} ${verb} in quarantine.`;
    lines.push({ text, command: 'windrow quarantine list' });
    for (const { chain, endpoint, records } of quarantine) {
      lines.push(`  ${chain} ${endpoint}: ${many(records, 'record')}`);
    }
  }
  return lines;
}

/** Quarantined records of one list whose slices the next run fetches again. */
interface WaitingRecords {
  readonly chain: string;
  readonly endpoint: string;
  readonly records: number;
}

/** The quarantined records of a data root that wait for the next run, by chain and list. */
async function waitingIn(root: string, effects: Effects): Promise<WaitingRecords[]> {
  const waiting = (await keptIn(root, effects)).filter(({ isWaiting }) => isWaiting);
  const lists = grouped(waiting, ({ chain, record }) => `${chain} ${record.claim.endpoint}`);
  return [...lists.values()].flatMap((records) =>
    records.slice(0, 1).map(({ chain, record: { claim } }) => {
      return { chain, endpoint: claim.endpoint, records: records.length };
    }),
  );
}

/** The age, gaps and waiting bytes of each source. */
function capturedLines(sources: readonly CapturedSource[], nowMs: number): string[] {
  const timeText = (at: string): string => {
    const atMs = Date.parse(at);
    return `${momentText(atMs)}, ${ago(atMs, nowMs)}`;
  };
  return sources.map(({ name, newestAt, block, gaps, newestGapAt, newestGapReason, ...source }) => {
    const row = name === 'pending' ? 'reading' : 'message';
    const height = block === null ? '' : ` (block ${counted(block)})`;
    const gap =
      newestGapAt === null ? '' : `, the last one ${timeText(newestGapAt)} (${newestGapReason})`;
    const gapText = name === 'pending' ? '' : `; ${many(gaps, 'gap')}${gap}`;
    const kib = counted(Math.ceil(source.waitingBytes / 1024));
    const wait = source.waitingBytes === 0 ? '' : `; ${kib} KiB of its journal have not landed`;
    return `${name}: last ${row} ${timeText(newestAt)}${height}${gapText}${wait}.`;
  });
}
