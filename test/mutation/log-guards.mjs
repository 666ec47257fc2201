/** @typedef {import('./guards.d.mts').Guard} Guard */

const SAVED = ['test/unit/land/delta/saved-fold.test.ts'];
const CHECKPOINT = ['test/unit/land/delta/checkpoint.test.ts'];
const PACKED = ['test/property/packed-keys.test.ts'];
const CLAIMS = ['test/unit/land/delta/claims.test.ts'];
const AS_OF = ['test/unit/load/as-of.test.ts'];
const COVERAGE = ['test/property/coverage.test.ts'];
const ALWAYS = ['test/property/saved-folds.test.ts'];

/**
 * Guards of logs that are opened with a saved fold, of their checkpoints, and of coverage with many
 * keys.
 *
 * @type {readonly Guard[]}
 */
export const LOG_GUARDS = [
  {
    name: 'sha256 of a saved fold',
    file: 'src/land/delta/saved-fold.ts',
    text: "if (createHash('sha256').update(body).digest('hex') !== sha256) return undefined;",
    without: "if (sha256 === '') return undefined;",
    tests: SAVED,
  },
  {
    name: 'a saved fold of another log',
    file: 'src/land/delta/saved-fold.ts',
    text: 'return sealOf(entry)?.before === before && logDigest(before, entry) === fold.digest;',
    without: 'return sealOf(entry)?.before !== fold.digest && before.length > 0;',
    tests: ALWAYS,
  },
  {
    name: 'the log before the entry of a saved fold',
    file: 'src/land/delta/saved-fold.ts',
    text: 'sealOf(entry)?.before === before &&',
    without: 'sealOf(entry)?.before !== fold.digest &&',
    tests: SAVED,
  },
  {
    name: 'height column of a saved fold',
    file: 'src/land/delta/saved-fold.ts',
    text: 'if (head.heightColumn !== heightColumn) return undefined;',
    without: "if (head.heightColumn === '') return undefined;",
    tests: SAVED,
  },
  {
    name: 'entries that are missing before a saved fold',
    file: 'src/land/delta/log.ts',
    text: 'if (versions[version] !== version) return;',
    without: 'if (!versions.includes(version)) return;',
    tests: SAVED,
  },
  {
    name: 'a log that was cut while it was open',
    file: 'src/land/delta/log.ts',
    text: 'if ((versions.at(-1) ?? -1) < this.#fold.version) this.#startFrom(new Fold());',
    without: 'if (versions.length < 0) this.#startFrom(new Fold());',
    tests: ALWAYS,
  },
  {
    name: 'lines of a broken entry that were applied before the broken one',
    file: 'src/land/delta/log.ts',
    text: `      this.#startFrom(new Fold());
      if (!(error instanceof BrokenEntry)) throw error;`,
    without: '      if (!(error instanceof BrokenEntry)) throw error;',
    tests: ['test/unit/land/delta/log.test.ts'],
  },
  {
    name: 'folds of logs that end with a sealed entry alone',
    file: 'src/land/delta/log.ts',
    text: 'this.#sealedAfter = sealOf(entry) === undefined ? undefined : fold.digest;',
    without: 'this.#sealedAfter = fold.digest;',
    tests: SAVED,
  },
  {
    name: 'no entry is folded while a fold is saved',
    file: 'src/land/delta/log.ts',
    text: 'const done = this.#lastFold.then(run);',
    without: 'const done = run();',
    tests: SAVED,
  },
  {
    name: 'a saved fold is renamed after its bytes are durable',
    file: 'src/land/delta/put-fold.ts',
    text: 'await disk.sync(staged);',
    without: '',
    tests: ['test/faults/power-cut.test.ts'],
  },
  {
    name: 'a checkpoint is renamed after its bytes are durable',
    file: 'src/land/delta/put-checkpoint.ts',
    text: 'await disk.sync(parquet);',
    without: '',
    tests: ['test/faults/power-cut.test.ts'],
  },
  {
    name: 'the newest checkpoint is named after its own name is durable',
    file: 'src/land/delta/put-checkpoint.ts',
    text: `await disk.syncFolder(log);
    effects.reached('checkpoint renamed');`,
    without: '',
    tests: ['test/faults/power-cut.test.ts'],
  },
  {
    name: 'the name of the newest checkpoint is renamed after its bytes are durable',
    file: 'src/land/delta/put-checkpoint.ts',
    text: 'await disk.sync(last);',
    without: '',
    tests: ['test/faults/power-cut.test.ts'],
  },
  {
    name: 'files that were removed long ago, in checkpoints',
    file: 'src/land/delta/checkpoint.ts',
    text: 'if (nowMs - deletionTimestamp > REMOVED_MS) continue;',
    without: '',
    tests: CHECKPOINT,
  },
  {
    name: 'files that came back, in checkpoints',
    file: 'src/land/delta/fold.ts',
    text: 'this.removedAt.delete(file.path);',
    without: '',
    tests: CHECKPOINT,
  },
  {
    name: 'checkpoints of other processes',
    file: 'src/land/delta/log.ts',
    text: 'Math.max(this.#checkpointed, checkpointVersions(names)[0] ?? -1);',
    without: 'names.length === 0 ? -1 : this.#checkpointed;',
    tests: CHECKPOINT,
  },
  {
    name: 'sha256 of a checkpoint',
    file: 'src/land/verify/checkpoint-damage.ts',
    text: 'else if (actual !== sha256) found',
    without: "else if (actual === '') found",
    tests: ['test/unit/land/verify/verify.test.ts'],
  },
  {
    name: 'entries that are newer than the time of a query',
    file: 'src/land/delta/log.ts',
    text: 'if (committedAt(lines) > this.#asOfMs) return false;',
    without: '',
    tests: AS_OF,
  },
  {
    name: 'saved folds that are newer than the time of a query',
    file: 'src/land/delta/stored-table.ts',
    text: 'settings.asOfMs === undefined ? settings.savedFold : undefined,',
    without: 'settings.savedFold,',
    tests: AS_OF,
  },
  {
    name: 'views of older versions whose files were removed',
    file: 'src/load/as-of.ts',
    text: 'await refuse(path, gone);',
    without: '',
    tests: AS_OF,
  },
  {
    name: 'views of curated tables that have no version of an earlier time',
    file: 'src/load/as-of.ts',
    text: 'for (const { name } of missing) {',
    without: 'for (const { name } of missing.slice(0, 0)) {',
    tests: AS_OF,
  },
  {
    name: 'columns that the catalogue gained, for readers of the log',
    file: 'src/load/warehouse.ts',
    text: 'for (const table of await lake.storedTables()) await table.addColumns();',
    without: '',
    tests: ['test/unit/load/older-catalogue.test.ts'],
  },
  {
    name: 'columns that curated files of an older windrow lack',
    file: 'src/load/warehouse.ts',
    text: 'if (columns.every(([name]) => present.has(name))) return',
    without: 'if (columns.length > 0) return',
    tests: AS_OF,
  },
  {
    name: 'a full disk while a fold is saved',
    file: 'src/land/delta/log.ts',
    text: 'if (!isDiskError(error)) throw error;',
    without: "if (!isDiskError(error) || error.message !== '') throw error;",
    tests: ['test/faults/full-disk.test.ts'],
  },
  {
    name: 'an overlay of coverage that changes its base',
    file: 'src/coverage/coverage.ts',
    text: 'over.#lists.set(id, { ...list, all: new KeysOfList(all) });',
    without: 'over.#lists.set(id, { ...list, all });',
    tests: COVERAGE,
  },
  {
    name: 'keys that an overlay changed',
    file: 'src/coverage/keys-of-list.ts',
    text: 'if (!this.#own.has(key)) yield [key, parts];',
    without: 'yield [key, parts];',
    tests: COVERAGE,
  },
  {
    name: 'keys of a claim that had other coverage before',
    file: 'src/coverage/coverage.ts',
    text: 'if (known !== before) {',
    without: 'if (before === undefined) {',
    tests: COVERAGE,
  },
  {
    name: 'coverage of other hashes',
    file: 'src/land/rule/merge.ts',
    text: 'return findList(claim) !== undefined && isAskedByHash(claim);',
    without: 'return findList(claim) === undefined && isAskedByHash(claim);',
    tests: ['test/unit/land/rule/merge-look-ups.test.ts'],
  },
  {
    name: 'changed entries before a saved fold',
    file: 'src/land/delta/log.ts',
    text: `        checkSeal(entry, digest);
        digest = logDigest(digest, entry);`,
    without: '        digest = logDigest(digest, entry);',
    tests: SAVED,
  },
  {
    name: 'changed entries without a seal at the end of a log',
    file: 'src/land/delta/log.ts',
    text: 'if (at === newest) checkWhole(digest, whole);',
    without: 'if (at > newest) checkWhole(digest, whole);',
    tests: SAVED,
  },
  {
    name: 'keys of a damaged entry, for later entries',
    file: 'src/land/verify/walk-log.ts',
    text: 'if (stored.names !== undefined && isTrue)',
    without: 'if (stored.names !== undefined)',
    tests: CLAIMS,
  },
  {
    name: 'readings of unknown keys that a repair cuts off',
    file: 'src/land/verify/lost-coverage.ts',
    text: 'if (version >= cutAt) unknown.push(...ofEntry);',
    without: '',
    tests: CLAIMS,
  },
  {
    name: 'coverage of unknown keys that is newer than the index',
    file: 'src/land/verify/lost-coverage.ts',
    text: 'if (version > indexed && ofEntry.length > 0) isWhole = false;',
    without: '',
    tests: CLAIMS,
  },
  {
    name: 'keys of an entry that are numbered from elsewhere',
    file: 'src/land/delta/fold.ts',
    text: "if (first !== this.names.size) throw new BrokenEntry(0, 'numbers its keys from elsewhere');",
    without: '',
    tests: CLAIMS,
  },
  {
    name: 'coverage of keys that no entry names',
    file: 'src/land/delta/fold.ts',
    text: "if (unknown.length > 0) throw new BrokenEntry(0, 'has coverage of keys that no entry names');",
    without: '',
    tests: CLAIMS,
  },
  {
    name: 'hashes that no claim counts',
    file: 'src/land/delta/claims.ts',
    text: 'if (end !== hashes.length) throw',
    without: 'if (end < 0) throw',
    tests: CLAIMS,
  },
  {
    name: 'tables of an older layout, which an older windrow must not read any more',
    file: 'src/land/delta/actions.ts',
    text: 'if (metaData === undefined || layoutOf(metaData) === LAYOUT) return [];',
    without: 'if (metaData === undefined || LAYOUT !== undefined) return [];',
    tests: CLAIMS,
  },
  {
    name: 'packed hashes with other coverage in a newer run',
    file: 'src/coverage/keys-of-list.ts',
    text: 'for (let run = this.#runs.length - 1; run >= 0; run -= 1) {',
    without: 'for (let run = 0; run < this.#runs.length; run += 1) {',
    tests: PACKED,
  },
  {
    name: 'packed hashes that have changed since, in lists of keys',
    file: 'src/coverage/keys-of-list.ts',
    text: 'if (parts.length > 0 && !this.#own.has(key)) yield',
    without: 'if (parts.length > 0) yield',
    tests: PACKED,
  },
  {
    name: 'packed hashes that were removed',
    file: 'src/coverage/keys-of-list.ts',
    text: 'if (parts.length > 0 || this.#base !== undefined || this.#runs.length > 0) {',
    without: 'if (parts.length > 0 || this.#base !== undefined) {',
    tests: PACKED,
  },
  {
    name: 'hashes that two packed runs have',
    file: 'src/coverage/packed-keys.ts',
    text: 'if (i < older.size && older.#compare(i, newer, j) === 0) i += 1;',
    without: '',
    tests: PACKED,
  },
  {
    name: 'hashes that begin with the same bytes',
    file: 'src/coverage/packed-keys.ts',
    text: 'for (; to > 0 && this.#compare(',
    without: 'for (; to > at && this.#compare(',
    tests: PACKED,
  },
  {
    name: 'look-ups by hash, which are committed with more slices',
    file: 'src/land/committer.ts',
    text: 'batch.slices += isAskedByHash(slice.list) ? LOOK_UP_SHARE : 1;',
    without: 'batch.slices += 1;',
    tests: ['test/unit/land/committer.test.ts'],
  },
];
