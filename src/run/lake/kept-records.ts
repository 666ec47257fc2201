import type { Effects } from '../../effects.ts';
import { Fault } from '../../fault.ts';
import { chainsWithQuarantine, type Lake, withLake } from '../../land/lake.ts';
import { isWaiting, type QuarantineRecord } from '../../land/quarantine/quarantine-record.ts';
import { localDisk } from '../../land/storage/disk.ts';

/** A record in quarantine, and where it lies. */
export interface KeptRecord {
  readonly chain: string;
  readonly record: QuarantineRecord;
  /** The next run fetches its slice again. If false, it was fetched since, or never landed. */
  readonly isWaiting: boolean;
}

/** Characters of an id that lists show. */
const SHORT = 12;

export function shortId(id: string): string {
  return id.slice(0, SHORT);
}

/**
 * Opens the tables of each chain that has a quarantine, one chain at a time. Quarantined records
 * belong to datasets of the same chain, so the lake has this chain on both axes.
 */
export async function eachQuarantine(
  root: string,
  run: string,
  effects: Effects,
  use: (lake: Lake, chain: string) => Promise<void>,
): Promise<void> {
  for (const chain of await chainsWithQuarantine(root, localDisk)) {
    const chains = { primary: chain, zone: chain };
    await withLake({ root, chains, run, effects }, async (lake) => {
      await use(lake, chain);
    });
  }
}

/** All records in quarantine under the data root, oldest first. */
export async function keptIn(root: string, effects: Effects): Promise<KeptRecord[]> {
  const kept: KeptRecord[] = [];
  await eachQuarantine(root, 'quarantine', effects, async (lake, chain) => {
    for (const quarantine of lake.quarantines()) {
      for (const record of await quarantine.records()) {
        const { coverage } = await lake.table(record.dataset).snapshot();
        kept.push({ chain, record, isWaiting: isWaiting(record, coverage) });
      }
    }
  });
  return kept.sort((a, b) => a.record.atMs - b.record.atMs);
}

/** Throws a usage fault if no id is given. */
export function needIds(ids: readonly string[], action: string): void {
  if (ids.length > 0) return;
  throw new Fault('usage', `Name the records to ${action}.`, {
    advice: { text: 'The beginning of each id is enough.', command: 'windrow quarantine list' },
  });
}

/** The id that each prefix begins; a usage fault if one begins none of them, or several. */
export function idsIn(
  kept: readonly KeptRecord[],
  prefixes: readonly string[],
  root: string,
): Set<string> {
  return new Set(
    prefixes.map((start) => {
      const matches = kept.filter(({ record }) => record.id.startsWith(start.toLowerCase()));
      const [first, second] = matches;
      if (first !== undefined && second === undefined) return first.record.id;
      const several = matches.slice(0, 5).map(({ record }) => shortId(record.id));
      throw new Fault(
        'usage',
        first === undefined
          ? `No record in quarantine has an id that begins with ${JSON.stringify(start)}.`
          : `${matches.length} records have ids that begin with ${JSON.stringify(start)}.`,
        {
          where: root,
          advice:
            first === undefined
              ? { text: 'List the ids.', command: 'windrow quarantine list' }
              : `Give more characters: ${several.join(', ')} ...`,
        },
      );
    }),
  );
}
