import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CoverageEntry } from '../../../../src/coverage/coverage.ts';
import { Fault } from '../../../../src/fault.ts';
import {
  addLine,
  commitInfoLine,
  type DataFile,
  metaDataLine,
  protocolLine,
  removeLine,
  txnLine,
} from '../../../../src/land/delta/actions.ts';
import { KeyNames } from '../../../../src/land/delta/claims.ts';
import { ledger, storedLedger } from '../../../../src/land/delta/ledger.ts';
import { DeltaLog } from '../../../../src/land/delta/log.ts';
import { tableColumns } from '../../../../src/land/rows/columns.ts';
import { localDisk } from '../../../../src/land/storage/disk.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';

const NOW_MS = 1_700_000_000_000;
const COLUMNS = tableColumns('blocks');
const HEIGHT = 'block_number';

let folder = '';
let log: DeltaLog;
let names: KeyNames;

beforeEach(async () => {
  folder = await freshFolder();
  log = openLog();
  names = new KeyNames();
  await mkdir(log.folder);
});

const openLog = (): DeltaLog => new DeltaLog(localDisk, folder, HEIGHT);

/** Writes an entry, as it would be found on disk. */
async function entry(version: number, ...lines: unknown[]): Promise<void> {
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  await writeFile(log.pathOf(version), `${texts.join('\n')}\n`);
}

const metaData = metaDataLine('id-1', 'blocks', 'Blocks', COLUMNS, NOW_MS);
const START = [protocolLine(), metaData];

function dataFile(path: string, from: number, to: number): DataFile {
  const source = { endpoint: 'mainchain/block/block-fills', variant: '' };
  return { path, sizeBytes: 10, rows: to - from + 1, heights: { from, to }, sha256: 'ab', source };
}

function covered(key: string, from: number, to: number): CoverageEntry {
  const options = { endpoint: 'mainchain/block/block-fills', variant: '', key };
  return { ...options, from, to, status: 'complete', reason: '', head: 99, readAtMs: NOW_MS };
}

/** The ledger as the next entry stores it. */
function stored(parts: Parameters<typeof ledger>[1]) {
  const next = storedLedger(ledger('run-1', parts), names);
  names.add(names.size, next.claims?.names?.keys ?? []);
  return next;
}

const commit = (...coverage: CoverageEntry[]): unknown =>
  commitInfoLine('WINDROW COMMIT', stored({ coverage }), NOW_MS);

describe('a folded log', () => {
  it('is empty, at version -1, before the first commit', async () => {
    await rm(log.folder, { recursive: true });
    const { version, files, columns, tableId } = await log.refresh();
    expect({ version, files: files.size, columns, tableId }).toEqual({
      version: -1,
      files: 0,
      columns: [],
      tableId: undefined,
    });
  });

  it('has the files that were added and not removed, with all the log says of them', async () => {
    const [one, two, three] = [dataFile('a', 0, 4), dataFile('b', 5, 9), dataFile('c', 0, 9)];
    await entry(0, ...START, addLine(one, HEIGHT, NOW_MS), addLine(two, HEIGHT, NOW_MS));
    await entry(1, removeLine(one, NOW_MS), addLine(three, HEIGHT, NOW_MS));
    const { version, files } = await log.refresh();
    expect(version).toBe(1);
    const added = { addedAtMs: NOW_MS };
    expect([...files.values()]).toEqual([
      { ...two, ...added },
      { ...three, ...added },
    ]);
  });

  it('has the newest columns, table id and transaction versions', async () => {
    const wider = metaDataLine('id-1', 'blocks', '', COLUMNS.slice(0, 2), NOW_MS);
    await entry(0, ...START, txnLine('app', 4, NOW_MS));
    await entry(1, wider, txnLine('app', 7, NOW_MS), txnLine('other', 1, NOW_MS));
    const { columns, tableId, transactions } = await log.refresh();
    expect(columns).toEqual(COLUMNS.slice(0, 2).map(({ name }) => name));
    expect(tableId).toBe('id-1');
    expect(Object.fromEntries(transactions)).toEqual({ app: 7, other: 1 });
  });

  it('has the coverage of all commits, the newest of each height, and forks', async () => {
    const partial = { ...covered('', 5, 12), status: 'truncated' as const, reason: 'cap' };
    await entry(0, ...START, commit(covered('', 0, 9)));
    await entry(
      1,
      commitInfoLine('', stored({ coverage: [partial], reorganisations: [{ height: 5 }] }), 0),
    );
    await entry(2, commitInfoLine('', stored({ reorganisations: [{ height: 3 }] }), 0));
    const { coverage, reorganisations } = await log.refresh();
    expect(coverage.entries()).toEqual([covered('', 0, 4), partial]);
    expect(reorganisations).toEqual([{ height: 5 }, { height: 3 }]);
  });

  it('takes no entry for whole that was cut between two of its lines', async () => {
    const told = { ...stored({ coverage: [covered('', 0, 9)] }), lines: 4 };
    const lines = [commitInfoLine('', told, 0), ...START];
    await entry(0, ...lines);
    await expect(openLog().refresh()).rejects.toThrow('the entry has 3 of 4 lines');
    await entry(0, ...lines, addLine(dataFile('a', 0, 4), HEIGHT, NOW_MS));
    expect((await openLog().refresh()).files.size).toBe(1);
  });

  it('leaves what was known as it was for an entry that was cut, until it is whole', async () => {
    await entry(0, ...START, commit(covered('', 0, 4)));
    const expected = await log.refresh();
    const told = stored({ coverage: [covered('', 5, 9)], reorganisations: [{ height: 3 }] });
    const lines = [
      commitInfoLine('', { ...told, lines: 2 }, 0),
      addLine(dataFile('a', 5, 9), HEIGHT, NOW_MS),
    ];
    for (const cut of [lines.slice(0, 1), [lines[0], '{"add":']]) {
      await entry(1, ...cut);
      await expect(log.refresh()).rejects.toThrow("The table's log is corrupt");
      expect(expected.coverage.entries()).toEqual([covered('', 0, 4)]);
      expect(expected.reorganisations).toEqual([]);
    }
    await entry(1, ...lines);
    const { reorganisations, files } = await log.refresh();
    expect(reorganisations).toEqual([{ height: 3 }]);
    expect(files.size).toBe(1);
  });

  it('applies no line twice of an entry that was broken and is whole again', async () => {
    await entry(0, ...START);
    await log.refresh();
    const walked = { endpoint: 'a', variant: '', slices: 1, requests: 1, keyBlocks: 1 };
    const info = commitInfoLine('', stored({ walked: [walked] }), 0);
    await entry(1, info, { remove: { path: '%' } });
    await expect(log.refresh()).rejects.toThrow("The table's log is corrupt");
    await entry(1, info);
    expect((await log.refresh()).walked.get('a?')?.slices).toBe(1);
  });

  it('goes on from where it stood, and folds no entry twice', async () => {
    await entry(0, ...START, addLine(dataFile('a', 0, 4), HEIGHT, NOW_MS));
    await log.refresh();
    await rm(log.pathOf(0));
    await entry(1, commitInfoLine('', stored({ reorganisations: [{ height: 3 }] }), 0));
    const { version, files, reorganisations } = await log.refresh();
    expect([version, files.size, reorganisations.length]).toEqual([1, 1, 1]);
    expect((await log.refresh()).reorganisations).toHaveLength(1);
  });

  it('is the same for two who look at once', async () => {
    await entry(0, ...START, commitInfoLine('', stored({ reorganisations: [{ height: 3 }] }), 0));
    const [one, other] = await Promise.all([log.refresh(), log.refresh()]);
    expect([one.version, other.version]).toEqual([0, 0]);
    expect(other.reorganisations).toHaveLength(1);
  });
});

describe('what other programs wrote', () => {
  it('is ignored where it means nothing to us', async () => {
    await entry(
      0,
      ...START,
      '',
      { commitInfo: { operation: 'OPTIMIZE', engineInfo: 'other', windrowed: 1 } },
      { domainMetadata: { domain: 'x', configuration: '', removed: false } },
      { cdc: { path: 'y', size: 1 }, unknown: null },
      { add: { path: 'z', size: 1, clusteringProvider: 'w', stats: null, tags: null } },
    );
    await writeFile(join(log.folder, '_last_checkpoint'), '{');
    await writeFile(join(log.folder, '00000000000000000000.checkpoint.parquet'), 'x');
    await writeFile(join(log.folder, '00000000000000000001.json.tmp'), 'x');
    await mkdir(join(log.folder, '_commits'));
    const { version, files } = await log.refresh();
    expect(version).toBe(0);
    expect(files.get('z')).toEqual({
      path: 'z',
      addedAtMs: 0,
      sizeBytes: 1,
      rows: undefined,
      heights: undefined,
      sha256: undefined,
      source: undefined,
    });
  });

  it('may name files with escaped characters, when adding and when removing', async () => {
    await entry(0, ...START, { add: { path: 'part%20one.parquet', size: 1 } });
    expect([...(await log.refresh()).files.keys()]).toEqual(['part one.parquet']);
    await entry(1, { remove: { path: 'part%20one.parquet' } });
    expect((await log.refresh()).files.size).toBe(0);
  });
});

describe('a log that cannot be read', () => {
  async function refusal(): Promise<Fault> {
    const error = await openLog()
      .refresh()
      .catch((reason: unknown) => reason);
    if (!(error instanceof Fault)) throw new Error(`no fault: ${String(error)}`);
    expect(error.kind).toBe('lake');
    expect(error.exitCode).toBe(1);
    expect(error.advice).toMatch(
      /verify PIPELINE --repair|run the pipeline again|Use the windrow version/,
    );
    return error;
  }

  it('misses a version: the fault names the file that is not there', async () => {
    await entry(0, ...START);
    await entry(2, commit());
    const fault = await refusal();
    expect(fault.where).toBe(log.pathOf(1));
    expect(fault.message).toBe("The table's log is corrupt: the entry is missing.");
  });

  it('misses its beginning', async () => {
    await entry(3, commit());
    expect((await refusal()).where).toBe(log.pathOf(0));
  });

  it('has an entry without content, as careless writers leave it in a power cut', async () => {
    await entry(0, ...START);
    for (const text of ['', '\n\n']) {
      await writeFile(log.pathOf(1), text);
      const fault = await refusal();
      expect(fault.where).toBe(log.pathOf(1));
      expect(fault.message).toContain('the entry is empty');
    }
  });

  it('has a line that is not JSON: the fault names file and line', async () => {
    await entry(0, ...START, commit());
    await entry(1, commit(), '', '{"add":{"path":"a",');
    const fault = await refusal();
    expect(fault.where).toBe(`${log.pathOf(1)}:3`);
    expect(fault.message).toContain('is not JSON');
  });

  const misshapen: [string, unknown][] = [
    ['an array', []],
    ['an add without a size', { add: { path: 'a' } }],
    ['an add whose statistics are no object', { add: { path: 'a', size: 1, stats: '[]' } }],
    ['an add with a malformed path', { add: { path: '%zz', size: 1 } }],
    ['a remove with a malformed path', { remove: { path: '%' } }],
    ['a schema without fields', withSchema('{}')],
    ['coverage with an unknown status', withOutcome('done')],
  ];

  it.each(misshapen)('has a line of the wrong shape: %s', async (_what, line) => {
    await entry(0, ...START, line);
    const fault = await refusal();
    expect(fault.where).toBe(`${log.pathOf(0)}:3`);
    expect(fault.message).toContain('is not a Delta log line');
  });

  it.each([
    '../other/a.parquet',
    'date=1/../../a.parquet',
    '%2e%2e%2Fa.parquet',
    '..\\a.parquet',
    '/etc/a.parquet',
    'file:///tmp/a.parquet',
    's3://bucket/a.parquet',
  ])('names a file outside the folder of its table: %s', async (path) => {
    for (const line of [{ add: { path, size: 1 } }, { remove: { path } }]) {
      await entry(0, ...START, line);
      const fault = await refusal();
      expect(fault.where).toBe(`${log.pathOf(0)}:3`);
      const named = decodeURIComponent(path);
      expect(fault.message).toContain(`names a file outside the folder of its table: ${named}`);
    }
  });

  it.each(['{"numRecords":', 'x'])('has statistics that are not JSON: %s', async (stats) => {
    await entry(0, ...START, { add: { path: 'a', size: 1, stats } });
    expect((await refusal()).where).toBe(`${log.pathOf(0)}:3`);
  });

  it('has another layout: the fault names both', async () => {
    const other = JSON.stringify(metaData).replace('"windrow.layout":"2"', '"windrow.layout":"3"');
    await entry(0, protocolLine(), other);
    const fault = await refusal();
    expect(fault.where).toBe(`${log.pathOf(0)}:2`);
    expect(fault.message).toBe('This table has layout 3, and this windrow reads layout 2.');
    expect(fault.advice).toMatch(/another data root/);
  });

  it('is not ours at all', async () => {
    await entry(0, { metaData: { id: 'x', schemaString: '{"fields":[]}' } });
    expect((await refusal()).message).toContain('layout unknown');
  });

  it.each([
    [3, 7],
    [2, 2],
    [1, 4],
  ])('asks for a newer protocol: reader %d, writer %d', async (reader, writer) => {
    await entry(0, ...START);
    const protocol = { minReaderVersion: reader, minWriterVersion: writer };
    await entry(1, commit(), { protocol: { ...protocol, readerFeatures: ['deletionVectors'] } });
    const fault = await refusal();
    expect(fault.where).toBe(`${log.pathOf(1)}:2`);
    expect(fault.message).toContain(`reader version ${reader} and writer version ${writer}`);
    expect(fault.advice).toMatch(/Another program has upgraded the table/);
  });

  it('says the same when it is read again', async () => {
    await entry(0, ...START);
    await entry(1, commitInfoLine('', stored({ reorganisations: [{ height: 1 }] }), 0), 'x');
    const first = await log.refresh().catch((error: unknown) => error);
    const again = await log.refresh().catch((error: unknown) => error);
    expect(first).toBeInstanceOf(Fault);
    expect(again).toEqual(first);
  });
});

function withSchema(schemaString: string): unknown {
  const configuration = { 'windrow.layout': '2' };
  return { metaData: { id: 'x', schemaString, configuration } };
}

function withOutcome(status: string): unknown {
  const windrow = { ...ledger('', {}), claims: { lists: [], outcomes: [[status, '']], rows: [] } };
  return { commitInfo: { windrow } };
}
