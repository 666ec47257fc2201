import type { Snapshot } from './delta-log.ts';
import type { QuarantineRecord } from './quarantine-record.ts';
import { standingOf } from './replay.ts';

/**
 * Whether what the lake holds is still what the record's walk read, so that a replay could land it.
 * Else its slice was fetched again since, or never landed, and runs fetch what is missing.
 */
export function isWaiting(
  { id, walk, claim }: QuarantineRecord,
  { withheld, coverage }: Pick<Snapshot, 'withheld' | 'coverage'>,
): boolean {
  const own = withheld.get(walk);
  if (own === undefined || own.replayed.includes(id)) return false;
  return standingOf(claim, own, coverage) === 'own';
}
