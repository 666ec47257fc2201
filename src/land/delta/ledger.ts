import { z } from 'zod';
import type { BlockCheckpoint } from '../../coverage/checkpoints.ts';
import type { CoverageEntry } from '../../coverage/coverage.ts';
import { type ForgottenKeys, forgottenKeysSchema } from '../rule/forgotten-keys.ts';
import type { Reorganisation } from '../rule/merge.ts';
import {
  type CoverageClaim,
  isHash,
  type KeyNames,
  storedClaims,
  storedClaimsSchema,
} from './claims.ts';
import { type WalkedList, walkedSchema } from './walked-lists.ts';

const height = z.number().int().nonnegative();

/** Data of windrow in the commitInfo of a log entry. Its keys are stored on disk. */
export const storedLedgerSchema = z.object({
  run: z.string(),
  claims: storedClaimsSchema.optional(),
  walked: z.array(walkedSchema),
  reorganisations: z.array(z.object({ height })),
  /** Block hash checkpoints. */
  anchors: z.array(z.object({ height, hash: z.string() })),
  /** Keys whose coverage and rows the commit removes. */
  forgotten: z.array(forgottenKeysSchema),
  /** Number of lines of the entry; detects an entry that was cut between two lines. */
  lines: z.number().int().optional(),
  /** The entry begins with a seal (`log-entry.ts`). */
  sealed: z.literal(true).optional(),
});
export type StoredLedger = z.infer<typeof storedLedgerSchema>;

/** A stored ledger with its claims read. */
export interface Ledger extends Omit<StoredLedger, 'claims' | 'lines' | 'sealed'> {
  readonly coverage: readonly CoverageClaim[];
}

/** The ledger as an entry stores it, behind the entries that `names` has the keys of. */
export function storedLedger({ coverage, ...rest }: Ledger, names: KeyNames): StoredLedger {
  return coverage.length === 0 ? rest : { ...rest, claims: storedClaims(coverage, names) };
}

/**
 * Groups entries that differ only in their key into one claim of the log; hashes also where they
 * differ in the time of reading, of which the claim has the earliest. Keeps the order of entries of
 * one key, because a later entry trims an earlier one.
 */
export function claimsOf(entries: readonly CoverageEntry[]): CoverageClaim[] {
  const claims: (CoverageClaim & { keys: string[]; readAtMs: number })[] = [];
  const claimAt = new Map<string, number>();
  const lastOf = new Map<string, number>();
  for (const { key, ...rest } of entries) {
    const content = JSON.stringify(isHash(key) ? { ...rest, readAtMs: 0 } : rest);
    let at = claimAt.get(content) ?? -1;
    if (at <= (lastOf.get(key) ?? -1)) at = claims.push({ ...rest, keys: [] }) - 1;
    const claim = claims[at];
    claim?.keys.push(key);
    if (claim !== undefined) claim.readAtMs = Math.min(claim.readAtMs, rest.readAtMs);
    claimAt.set(content, at);
    lastOf.set(key, at);
  }
  return claims;
}

export function entriesOf(ledger: Ledger): CoverageEntry[] {
  return ledger.coverage.flatMap(({ keys, ...rest }) => keys.map((key) => ({ ...rest, key })));
}

/** The ledger of a commit. Omitted parts are empty. */
export function ledger(
  run: string,
  parts: {
    readonly coverage?: readonly CoverageEntry[];
    readonly reorganisations?: readonly Reorganisation[];
    readonly walked?: readonly WalkedList[];
    readonly checkpoints?: readonly BlockCheckpoint[];
    readonly forgotten?: readonly ForgottenKeys[];
  },
): Ledger {
  const {
    coverage = [],
    reorganisations = [],
    walked = [],
    checkpoints = [],
    forgotten = [],
  } = parts;
  return {
    run,
    coverage: claimsOf(coverage),
    reorganisations: [...reorganisations],
    walked: [...walked],
    anchors: [...checkpoints],
    forgotten: [...forgotten],
  };
}
