import { createHash } from 'node:crypto';
import { z } from 'zod';
import { STATUSES } from '../../coverage/coverage.ts';
import { Fault } from '../../fault.ts';
import { isInTable, LAYOUT, metaDataSchema, READER_VERSION, WRITER_VERSION } from './actions.ts';
import { Fold } from './fold.ts';
import { DIGEST, logDigest, sealOf } from './log-entry.ts';

/**
 * The part of a checkpoint that only windrow reads: the fold of the log up to one entry, as a file
 * of JSON lines, which ends with its own sha256. Opening a table starts
 * from the newest one that is whole and was made from this log.
 */

/**
 * Another number for every change of these lines, or of the way in which entries are folded.
 * Entries before a checkpoint may have expired, so no other release can do without it.
 */
const FORMAT = 6;
/** Bounds the memory for writing and reading: items of one line, and characters of one chunk. */
const LINE_ITEMS = 1000;
const CHUNK_CHARS = 64 * 1024;

const headSchema = z.object({
  format: z.literal(FORMAT),
  /** Another windrow may read tables that this one refuses. */
  layout: z.literal(LAYOUT),
  protocol: z.tuple([z.literal(READER_VERSION), z.literal(WRITER_VERSION)]),
  version: z.number().int().nonnegative(),
  /** Digests of the log before and after the entry of this version. */
  before: z.string().regex(DIGEST),
  digest: z.string().regex(DIGEST),
  latestMs: z.number(),
  columns: z.array(z.string()),
  metaData: metaDataSchema.nullable(),
});

const pair = z.tuple([z.string(), z.number()]);
const list = z.object({ endpoint: z.string(), variant: z.string() });

const fileSchema = z.object({
  path: z.string().refine(isInTable),
  sizeBytes: z.number(),
  addedAtMs: z.number(),
  rows: z.number().optional(),
  heights: z.object({ from: z.number(), to: z.number() }).optional(),
  sha256: z.string().optional(),
  source: list.optional(),
});

const totalsSchema = z.object({ slices: z.number(), requests: z.number(), keyBlocks: z.number() });

const partsSchema = z.array(
  z.object({
    from: z.number(),
    to: z.number(),
    status: z.enum(STATUSES),
    reason: z.string(),
    head: z.number(),
    readAtMs: z.number(),
  }),
);

const coverageSchema = list.extend({ keys: z.array(z.string()), parts: partsSchema });

const lineSchema = z.object({
  names: z.array(z.string()).optional(),
  files: z.array(fileSchema).optional(),
  removedAt: z.array(pair).optional(),
  transactions: z.array(pair).optional(),
  walked: z.array(z.tuple([z.string(), totalsSchema])).optional(),
  reorganisations: z.array(z.object({ height: z.number() })).optional(),
  blockCheckpoints: z.array(z.object({ height: z.number(), hash: z.string() })).optional(),
  coverage: coverageSchema.optional(),
});

type StoredLine = z.infer<typeof lineSchema>;

/** The last line: the sha256 of all others. */
function endOf(sha256: string): string {
  return `${JSON.stringify({ sha256 })}\n`;
}

/** The content of the file, in chunks. */
export function* stateContent(fold: Fold): Generator<string, void, undefined> {
  const hash = createHash('sha256');
  const { version, before, digest, latestMs, columns, metaData = null } = fold;
  const head: z.infer<typeof headSchema> = {
    format: FORMAT,
    layout: LAYOUT,
    protocol: [READER_VERSION, WRITER_VERSION],
    version,
    before,
    digest,
    latestMs,
    columns: [...columns],
    metaData,
  };
  let chunk = `${JSON.stringify(head)}\n`;
  for (const line of linesOfFold(fold)) {
    chunk += `${JSON.stringify(line)}\n`;
    if (chunk.length < CHUNK_CHARS) continue;
    hash.update(chunk);
    yield chunk;
    chunk = '';
  }
  hash.update(chunk);
  yield `${chunk}${endOf(hash.digest('hex'))}`;
}

function* linesOfFold(fold: Fold): Generator<StoredLine, void, undefined> {
  const { names, files, removedAt, transactions, walked } = fold;
  const { reorganisations, blockCheckpoints, coverage } = fold;
  for (const part of inLines(names.all())) yield { names: part };
  for (const part of inLines([...files.values()])) yield { files: part };
  for (const part of inLines([...removedAt])) yield { removedAt: part };
  for (const part of inLines([...transactions])) yield { transactions: part };
  for (const part of inLines([...walked])) yield { walked: part };
  for (const part of inLines(reorganisations)) yield { reorganisations: part };
  for (const part of inLines(blockCheckpoints)) yield { blockCheckpoints: part };
  for (const { keys, parts, ...list } of coverage.groups(LINE_ITEMS)) {
    yield { coverage: { ...list, keys: [...keys], parts: [...parts] } };
  }
}

function* inLines<T>(items: readonly T[]): Generator<T[], void, undefined> {
  for (let at = 0; at < items.length; at += LINE_ITEMS) yield items.slice(at, at + LINE_ITEMS);
}

/** The state in a file; undefined if it is damaged. Throws Fault('lake') for another format. */
export function stateIn(bytes: Buffer, path: string): Fold | undefined {
  try {
    const endAt = bytes.lastIndexOf('\n', -2) + 1;
    const body = bytes.subarray(0, endAt);
    const sha256 = createHash('sha256').update(body).digest('hex');
    if (bytes.toString('utf8', endAt) !== endOf(sha256)) return undefined;
    const lines = linesIn(body);
    const { value: line } = lines.next();
    checkFormat(line, path);
    const head = headSchema.parse(line);
    const fold = new Fold();
    fold.version = head.version;
    fold.before = head.before;
    fold.digest = head.digest;
    fold.latestMs = head.latestMs;
    fold.columns = head.columns;
    fold.metaData = head.metaData ?? undefined;
    fold.tableId = fold.metaData?.id;
    for (const more of lines) restore(fold, lineSchema.parse(more));
    return fold;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
    throw error;
  }
}

function checkFormat(line: unknown, path: string): void {
  const { format } = z.object({ format: z.number() }).parse(line);
  if (format === FORMAT) return;
  throw new Fault(
    'lake',
    `This checkpoint has format ${format}, and this windrow reads format ${FORMAT}.`,
    {
      where: path,
      advice: 'Use the windrow version that wrote it, or another data root (--data DIR).',
    },
  );
}

function* linesIn(body: Buffer): Generator<unknown, void, undefined> {
  for (let at = 0; at < body.length; ) {
    const end = body.indexOf('\n', at);
    yield JSON.parse(body.toString('utf8', at, end));
    at = end + 1;
  }
}

/** The facts of a file that other engines leave out. */
const UNKNOWN = { rows: undefined, heights: undefined, sha256: undefined, source: undefined };

/** Adds what a line holds to the fold. */
function restore(fold: Fold, line: StoredLine): void {
  fold.names.add(fold.names.size, line.names ?? []);
  for (const file of line.files ?? []) fold.files.set(file.path, { ...UNKNOWN, ...file });
  for (const [path, atMs] of line.removedAt ?? []) fold.removedAt.set(path, atMs);
  for (const [name, version] of line.transactions ?? []) fold.transactions.set(name, version);
  for (const [name, totals] of line.walked ?? []) fold.walked.set(name, totals);
  fold.reorganisations.push(...(line.reorganisations ?? []));
  fold.blockCheckpoints = [...fold.blockCheckpoints, ...(line.blockCheckpoints ?? [])];
  if (line.coverage !== undefined) fold.coverage.addGroup(line.coverage);
}

/**
 * Whether the fold was made from the log that has this entry at the fold's version. A sealed entry
 * also names the digest of all entries before it, so another log has another entry there.
 */
export function isStateOf({ before, digest }: Fold, entry: Buffer): boolean {
  return (sealOf(entry)?.before ?? before) === before && logDigest(before, entry) === digest;
}
