import { ANSWER_GUARDS } from './answer-guards.mjs';
import { CHECK_GUARDS } from './check-guards.mjs';
import { CURATE_GUARDS } from './curate-guards.mjs';
import { LOG_GUARDS } from './log-guards.mjs';
import { MESSAGE_GUARDS } from './message-guards.mjs';
import { PAGE_GUARDS } from './page-guards.mjs';
import { PENDING_GUARDS } from './pending-guards.mjs';
import { SERVICE_GUARDS } from './service-guards.mjs';
import { VIEW_GUARDS } from './view-guards.mjs';
import { WALK_GUARDS } from './walk-guards.mjs';

/**
 * Every guard on which "complete" rests, as the change that takes it away: a text of one file, what
 * takes its place, and the tests that have to notice. A text that is not found exactly once ends the
 * run: then a guard has moved, and this list has to move with it.
 *
 * @typedef {object} Guard
 * @property {string} name
 * @property {string} file
 * @property {string} text
 * @property {string} without
 * @property {readonly string[]} tests
 */

const MERGE = ['test/property/merge.test.ts'];
const SHARED = ['test/unit/land/rule/shared-records.test.ts'];
const SHARED_ROWS = ['test/unit/land/rows/shared-rows.test.ts'];
const CUT = ['test/e2e/cut-logs.test.ts'];
const LOST = ['test/unit/land/verify/lost-coverage.test.ts'];
const VERIFY = ['test/unit/land/verify/verify.test.ts', 'test/property/verify.test.ts'];

/** @type {readonly Guard[]} */
export const GUARDS = [
  ...CHECK_GUARDS,
  ...CURATE_GUARDS,
  ...LOG_GUARDS,
  ...VIEW_GUARDS,
  ...SERVICE_GUARDS,
  ...MESSAGE_GUARDS,
  {
    name: 'whole hashes behind equal marks',
    file: 'src/service/memory/chunk-matching.ts',
    text: 'return isExact ? 1 : UNSURE;',
    without: 'return 1;',
    tests: ['test/unit/service/memory/chunks.test.ts'],
  },
  {
    name: 'exact amounts behind equal doubles',
    file: 'src/service/memory/chunk-matching.ts',
    text: 'return isExact && exact[position] === 1 ? 1 : UNSURE;',
    without: 'return 1;',
    tests: ['test/unit/service/memory/chunks.test.ts'],
  },
  {
    name: 'exact balances behind equal doubles',
    file: 'src/simulated/holders.ts',
    text: 'rounded >= least',
    without: 'rounded > least',
    tests: ['test/unit/simulated/balances.test.ts'],
  },
  {
    name: 'place in the answer',
    file: 'src/land/rows/decode.ts',
    text: "return list === 'by-key' && reply.shape === 'paged';",
    without: 'return list === undefined && reply === undefined;',
    tests: ['test/unit/land/rows/list-position.test.ts'],
  },
  ...WALK_GUARDS,
  ...PAGE_GUARDS,
  ...ANSWER_GUARDS,
  {
    name: 'silent-empty retry',
    file: 'src/fetch/http/envelope.ts',
    text: "return { refusal: ['throttle', SILENT_EMPTY, 'data is empty and has no page object'] };",
    without: 'return { records: [], extras: {}, page: 0, totalPage: 0 };',
    tests: ['test/unit/fetch/http/envelope.test.ts'],
  },
  {
    name: 'touches-covered-key rule',
    file: 'src/land/rule/merge.ts',
    text: 'inserts: isFirst ? records.filter((record) => !isProtected(record, false)) : records,',
    without: 'inserts: records,',
    tests: MERGE,
  },
  {
    name: 'replace by content',
    file: 'src/land/rule/merge.ts',
    text: 'removal: isFirst ? undefined : removalOf(claim, []),',
    without: 'removal: undefined,',
    tests: MERGE,
  },
  {
    name: 'a walk that lacks records of another key',
    file: 'src/land/rule/shared-records.ts',
    text: 'if (count < 0 && !wasComplete(height)) lacking.set(height, key);',
    without: 'if (count < 0) continue;',
    tests: SHARED,
  },
  {
    name: 'another key that lacks records of the walk',
    file: 'src/land/rule/shared-records.ts',
    text: 'else if (count < 0 || (count > 0 && !wasComplete(height)))',
    without: 'else if (count < 0)',
    tests: SHARED,
  },
  {
    name: 'a complete list that has fewer records than before',
    file: 'src/land/rule/shared-records.ts',
    text: 'claim.keys.every((key) => coverage.isComplete(claim, key, height));',
    without: 'claim.keys.length < 0 && height < 0;',
    tests: SHARED,
  },
  {
    name: 'a complete list that has more records than before',
    file: 'src/land/rule/shared-records.ts',
    text: '(count > 0 && !wasComplete(height))',
    without: 'count > 0',
    tests: SHARED,
  },
  {
    name: 'first walk of a key in the same commit',
    file: 'src/land/rule/inserts.ts',
    text: 'walked.has(key) || covered.has(key)',
    without: 'walked.has(key)',
    tests: SHARED,
  },
  {
    name: 'rows that share a name with one other row',
    file: 'src/land/rows/occurrences.ts',
    text: '      this.#count(before);',
    without: '',
    tests: ['test/property/decode.test.ts'],
  },
  {
    name: 'contradictions that a later commit mended',
    file: 'src/land/committer.ts',
    text: 'if (coverage.missing(entry, entry.key, entry).length > 0) open.push(entry);',
    without: 'if (coverage !== undefined) open.push(entry);',
    tests: ['test/unit/land/committer.test.ts'],
  },
  {
    name: 'shared records of the same commit',
    file: 'src/land/rule/merge.ts',
    text: 'const rows = [...landed, ...inserts.touching(walk.claim)];',
    without: 'const rows = landed;',
    tests: SHARED,
  },
  {
    name: 'shared rows that the commit removes',
    file: 'src/land/rule/merge.ts',
    text: '(row) => !removals.some((removal) => removes(removal, walk.claim, row)),',
    without: '() => true,',
    tests: SHARED,
  },
  {
    name: 'shared rows of keys that were added later',
    file: 'src/land/rows/shared-rows.ts',
    text: 'if (rows.followed.size > before) rows.byFile.clear();',
    without: 'if (rows.followed.size < before) rows.byFile.clear();',
    tests: SHARED_ROWS,
  },
  {
    name: 'shared rows of earlier keys',
    file: 'src/land/rows/shared-rows.ts',
    text: 'this.follow(first, [...coverage.keysOf(first).keys(), ...keys]);',
    without: 'this.follow(first, coverage === undefined ? [] : keys);',
    tests: SHARED_ROWS,
  },
  {
    name: 'shared rows of the table',
    file: 'src/land/rows/table.ts',
    text: 'merge(snapshot, walks, shared);',
    without: 'merge(snapshot, walks, () => (shared === undefined ? [] : []));',
    tests: SHARED_ROWS,
  },
  {
    name: 'exit of a run with contradicted coverage',
    file: 'src/run/execute.ts',
    text: 'ends.short += contradicted.filter((entry) => isShort(plan, entry)).length;',
    without: 'if (contradicted.some((entry) => isShort(plan, entry))) ends.short += 0;',
    tests: ['test/hostile/limits.test.ts'],
  },
  {
    name: 'durable names of new folders',
    file: 'src/land/storage/disk.ts',
    text: 'await this.syncFolder(dirname(folder));',
    without: 'await this.list(dirname(folder));',
    tests: ['test/unit/land/storage/make-folder.test.ts'],
  },
  {
    name: 'newest coverage wins',
    file: 'src/coverage/coverage.ts',
    text: 'const middle = [...trimmed, added]',
    without: 'const middle = [...(trimmed.length > 0 ? trimmed : [added])]',
    tests: ['test/property/coverage.test.ts'],
  },
  {
    name: 'safe-height cut',
    file: 'src/plan/slices.ts',
    text: 'const final = { from: interval.from, to: Math.min(interval.to, heads.safe - 1) };',
    without: 'const final = { from: interval.from, to: interval.to };',
    tests: ['test/property/plan-slices.test.ts', 'test/unit/plan/slices.test.ts'],
  },
  {
    name: 'block hash checkpoints',
    file: 'src/fetch/chain/checkpoints.ts',
    text: 'if (now === undefined || now === top.hash) return undefined;',
    without: 'if (now === undefined || now !== undefined) return undefined;',
    tests: ['test/unit/fetch/chain/checkpoints.test.ts'],
  },
  {
    name: 'depth detection',
    file: 'src/fetch/walk/positions/fetch-positions.ts',
    text: 'if (!found.isEnd || depthBlocks === undefined || found.lowest <= interval.from) {',
    without: 'if (depthBlocks === undefined || depthBlocks > 0) {',
    tests: ['test/unit/fetch/walk/positions/walk-positions.test.ts'],
  },
  {
    name: 'generation check',
    file: 'src/land/rule/merge.ts',
    text: 'if (hit === undefined) return claim;',
    without: 'if (hit === undefined || hit.height >= 0) return claim;',
    tests: ['test/unit/land/rule/merge-reorganised.test.ts'],
  },
  {
    name: 'quarantine first',
    file: 'src/land/committer.ts',
    text: 'await this.#lake.quarantineOf(dataset).add(batch.broken);',
    without: 'void batch.broken;',
    tests: ['test/unit/land/committer.test.ts', 'test/unit/land/quarantine/quarantine.test.ts'],
  },
  {
    name: 'edge seen from both sides',
    file: 'src/fetch/walk/positions/walk-positions.ts',
    text: 'const isSeenFromBothSides = at > 0 || start === 0;',
    without: 'const isSeenFromBothSides = at >= 0;',
    tests: ['test/property/repeated-pages.test.ts'],
  },
  {
    name: 'search for the depth limit by block times',
    file: 'src/fetch/chain/depth-limit.ts',
    text: 'step % 2 === 0 ?',
    without: 'step < 0 ?',
    tests: ['test/unit/fetch/chain/heads.test.ts'],
  },
  {
    name: 'no data file without rows',
    file: 'src/land/delta/stored-table.ts',
    text: '(await writer.take(columns, rows)) === 0',
    without: '(await writer.take(columns, rows)) < 0',
    tests: ['test/unit/land/quarantine/quarantine.test.ts'],
  },
  {
    name: 'folders are made one level at a time',
    file: 'src/land/storage/disk.ts',
    text: 'await mkdir(folder);',
    without: 'await mkdir(folder, { recursive: true });',
    tests: ['test/unit/land/storage/make-folder.test.ts'],
  },
  {
    name: 'equal pages of one record',
    file: 'src/fetch/walk/positions/repeated-pages.ts',
    text: 'if (size === 1)',
    without: 'if (size === 0)',
    tests: ['test/unit/fetch/walk/positions/walk-positions.test.ts'],
  },
  {
    name: 'first of two equal pages doubted',
    file: 'src/fetch/walk/positions/repeated-pages.ts',
    text: 'return isDoubted ? [rank] : [first, rank];',
    without: 'return [rank];',
    tests: ['test/unit/fetch/walk/positions/walk-positions.test.ts'],
  },
  {
    name: 'refused pages of moving lists',
    file: 'src/fetch/walk/positions/positions.ts',
    text: 'const mayBeCut = this.#isCounted && page > 1;',
    without: 'const mayBeCut = false;',
    tests: ['test/unit/fetch/walk/positions/walk-positions.test.ts'],
  },
  {
    name: 'essential fields',
    file: 'src/land/rows/decode.ts',
    text: 'if (vital !== undefined) throw',
    without: 'if (false) throw',
    tests: ['test/unit/land/rows/decode.test.ts'],
  },
  ...PENDING_GUARDS,
  {
    name: 'sha256 of data files',
    file: 'src/land/verify/data-files.ts',
    text: '(await sha256Of(path)) !== sha256',
    without: "sha256 === ''",
    tests: VERIFY,
  },
  {
    name: 'size of data files',
    file: 'src/land/verify/data-files.ts',
    text: 'if (found.size !== sizeBytes)',
    without: 'if (false)',
    tests: ['test/unit/cli/verbs/damage.test.ts'],
  },
  {
    name: "log entry's digest of itself",
    file: 'src/land/delta/log-entry.ts',
    text: 'DIGEST.test(own) && ownDigest(entry) === own',
    without: 'DIGEST.test(own)',
    tests: VERIFY,
  },
  {
    name: 'second mark of a sealed entry',
    file: 'src/land/delta/log-entry.ts',
    text: 'if (!head.startsWith(BEFORE) && !entry.includes(MARK)) return undefined;',
    without: 'if (!head.startsWith(BEFORE)) return undefined;',
    tests: VERIFY,
  },
  {
    name: 'seal compared when a log is folded',
    file: 'src/land/delta/log.ts',
    text: 'checkSeal(entry, this.#digest);',
    without: '',
    tests: VERIFY,
  },
  {
    name: 'digest of the entries before, when a log is folded',
    file: 'src/land/delta/log-entry.ts',
    text: 'if (seal.before === before) return;',
    without: 'if (seal.before !== undefined) return;',
    tests: VERIFY,
  },
  {
    name: 'digest of the entries before, when a log is verified',
    file: 'src/land/verify/walk-log.ts',
    text: 'if (seal.before !== digest && !isExplained) {',
    without: 'if (seal.before === undefined && !isExplained) {',
    tests: VERIFY,
  },
  {
    name: 'newest entries that are gone',
    file: 'src/land/verify/verify-lake.ts',
    text: 'if (newest >= version) continue;',
    without: 'if (newest >= -1) continue;',
    tests: VERIFY,
  },
  {
    name: 'rows of replaced landings',
    file: 'src/land/verify/origins.ts',
    text: '.filter((each) => each.version > version)',
    without: '.filter((each) => each.version > version + 1e9)',
    tests: VERIFY,
  },
  {
    name: 'rows that a rewritten file took over',
    file: 'src/land/verify/origins.ts',
    text: 'clipped([...own, ...taken], file)',
    without: 'clipped(own, file)',
    tests: VERIFY,
  },
  {
    name: 'coverage that a cut log does not have any more',
    file: 'src/run/repair-logs.ts',
    text: '...lostByCut(kept, before)]',
    without: '...lostByCut(kept, before).slice(0, 0)]',
    tests: CUT,
  },
  {
    name: 'keys of other tables where nothing tells what a cut log held',
    file: 'src/run/repair-logs.ts',
    text: 'markLost([...others, ',
    without: 'markLost([...others.slice(0, 0), ',
    tests: CUT,
  },
  {
    name: 'logs of unknown lists stay uncut',
    file: 'src/run/repair-logs.ts',
    text: 'if (before === undefined || before.isWhole) return;',
    without: 'if (before === undefined || before.isWhole !== undefined) return;',
    tests: CUT,
  },
  {
    name: 'coverage that a lost entry took back or read again',
    file: 'src/land/verify/lost-coverage.ts',
    text: 'old.status === status && old.reason === reason && old.readAtMs <= readAtMs',
    without: 'true',
    tests: LOST,
  },
  {
    name: 'ranges that a cut-off entry read again',
    file: 'src/land/verify/lost-coverage.ts',
    text: 'subtract(part, readAgain)',
    without: 'part',
    tests: LOST,
  },
  {
    name: 'everything is lost with an entry of which nothing tells',
    file: 'src/land/verify/lost-coverage.ts',
    text: 'before.isWhole ? unchanged(entry, kept, before) : []',
    without: 'unchanged(entry, kept, before)',
    tests: LOST,
  },
  {
    name: 'one line per list of a repair',
    file: 'src/cli/terminal/verify-text.ts',
    text: 'lists.set(list, [...(lists.get(list) ?? []), region]);',
    without: 'lists.set(list + lists.size, [region]);',
    tests: ['test/unit/cli/terminal/repair-text.test.ts'],
  },
  {
    name: 'addresses of the command line in a repair',
    file: 'src/cli/verbs/verify.ts',
    text: 'const loaded = await loadPipeline(given.pipeline, given);',
    without: 'const loaded = await loadPipeline(given.pipeline, { sourceUrl: given.sourceUrl });',
    tests: CUT,
  },
  {
    name: 'damage beside failing checks',
    file: 'src/cli/verbs/check.ts',
    text: 'if (isDamaged) return 1;',
    without: '',
    tests: ['test/unit/cli/verbs/damage.test.ts'],
  },
  {
    name: 'findings beside damage',
    file: 'src/cli/verbs/check.ts',
    text: 'for (const line of results.flatMap(checkLines)) output.out(line);',
    without: 'if (!isDamaged) for (const line of results.flatMap(checkLines)) output.out(line);',
    tests: ['test/unit/cli/verbs/damage.test.ts'],
  },
  {
    name: 'checks that damage has stopped',
    file: 'src/cli/verbs/check.ts',
    text: 'if (isDamaged && error instanceof Fault) return error;',
    without: '',
    tests: ['test/unit/cli/verbs/damage.test.ts'],
  },
  {
    name: 'a closed stdout',
    file: 'src/cli/main.ts',
    text: "if (!isCode(error, 'EPIPE')) throw error;",
    without: "if (isCode(error, 'EPIPE')) process.exit(0);\n    throw error;",
    tests: ['test/e2e/closed-pipes.test.ts'],
  },
  {
    name: 'a closed stderr',
    file: 'src/cli/main.ts',
    text: 'for (const stream of [process.stdout, process.stderr]) {',
    without: 'for (const stream of [process.stdout]) {',
    tests: ['test/e2e/closed-pipes.test.ts'],
  },
  {
    name: 'keys that share rows with a lost file',
    file: 'src/land/rule/withdrawn.ts',
    text: 'if (!region.keys.includes(entry.key)) inDoubt',
    without: 'if (!region.keys.includes(entry.key)) return;\n    if (false) inDoubt',
    tests: VERIFY,
  },
  {
    name: 'regions read again before coverage is said again',
    file: 'src/land/rule/withdrawn.ts',
    text: "return status === 'complete' || status === 'provisional';",
    without: 'return status !== undefined;',
    tests: VERIFY,
  },
  {
    name: 'warehouse that names files elsewhere',
    file: 'src/load/stale-warehouse.ts',
    text: 'if (files.every((file) => file.startsWith(root))) return undefined;',
    without: 'if (files.every((file) => file.startsWith(sep))) return undefined;',
    tests: ['test/unit/cli/verbs/damage.test.ts'],
  },
];
