import type { KeyObject } from 'node:crypto';
import { Fault } from '../../fault.ts';
import { literal } from '../../land/storage/sql-text.ts';
import type { OpenWarehouse } from '../../load/query/stream.ts';
import {
  addressColumns,
  answer,
  type CertifiedShape,
  certifiedRows,
  coverageIn,
  rowTexts,
  type Scope,
  treeOf,
} from './certified-rows.ts';
import {
  CERTIFICATE_FORMAT,
  type Certificate,
  type CertifiedTable,
  certificateSchema,
} from './format.ts';
import { publicKeyOf, signed } from './signature.ts';

/** A table that may be certified. */
export interface CertifiableTable extends Omit<CertifiedShape, 'columns'> {
  /** Whether the certificate holds its rows, up to MOST_CONTENT_ROWS. */
  readonly hasContent: boolean;
}

export interface CertificateRequest
  extends Pick<Certificate, 'windrow' | 'issuedAt' | 'address' | 'services' | 'chains'> {
  /** Tables that the warehouse lacks are left out. */
  readonly tables: readonly CertifiableTable[];
  /** Names of columns that may differ between two readings of a record, or name its lists. */
  readonly volatile: ReadonlySet<string>;
  readonly checkpoints: Certificate['checkpoints'];
  readonly key: KeyObject;
}

const MOST_CONTENT_ROWS = 10_000;

/**
 * Certifies the rows that a warehouse shows within the heights of its complete coverage. Look-ups
 * by hash and snapshots set no heights. Throws Fault('usage') where nothing is complete.
 */
export async function makeCertificate(
  warehouse: OpenWarehouse,
  request: CertificateRequest,
): Promise<Certificate> {
  const { tables, volatile, key, checkpoints, ...facts } = request;
  const ranges = await completeRanges(warehouse, facts.address);
  const scope: Scope = { address: facts.address, ranges };
  const views = await warehouse.views();
  const certified: CertifiedTable[] = [];
  for (const { hasContent, ...table } of tables) {
    const { name, axis } = table;
    if (!views.includes(name) || (axis !== null && ranges[axis] === undefined)) continue;
    const columns = (await columnsOf(warehouse, name)).filter(({ name: column, type }) => {
      return !volatile.has(column) && !column.startsWith('_') && type !== 'DOUBLE';
    });
    const hasAddress = axis === null || addressColumns(columns).length > 0;
    if (facts.address !== null && !hasAddress) continue;
    certified.push(await certifiedTable(warehouse, { ...table, columns }, scope, hasContent));
  }
  const certificate = {
    format: CERTIFICATE_FORMAT,
    ...facts,
    ranges,
    tables: certified,
    coverage: await coverageIn(warehouse, scope, certified),
    sources: await answer<Certificate['sources'][number]>(
      warehouse,
      'SELECT chain, dataset, version FROM lake.tables ORDER BY ALL',
    ),
    checkpoints: checkpoints.filter(({ axis, height }) => {
      const range = ranges[axis];
      return range !== undefined && height >= range.from && height <= range.to;
    }),
    publicKey: publicKeyOf(key),
  } as const;
  return certificateSchema.parse(signed(certificate, key));
}

/** The heights between the first and the last complete block of each axis. */
async function completeRanges(
  warehouse: OpenWarehouse,
  address: string | null,
): Promise<Scope['ranges']> {
  const isOfAddress = address === null ? '' : `AND key IN ('', ${literal(address)})`;
  const rows = await answer<{ axis: string; from: number; to: number }>(
    warehouse,
    `SELECT c.axis, min(from_block) AS "from", max(to_block) AS "to"
     FROM lake.coverage AS c JOIN (SELECT list, list_kind FROM lake.lists) USING (list)
     WHERE status = 'complete' AND key_kind <> 'transaction' AND list_kind <> 'snapshot'
       ${isOfAddress}
     GROUP BY c.axis`,
  );
  if (rows.length === 0) {
    throw new Fault('usage', 'No block is complete here, so there is nothing to certify.', {
      advice: { text: 'Look at the coverage of the lake.', command: 'windrow status' },
    });
  }
  return Object.fromEntries(rows.map(({ axis, ...range }) => [axis, range]));
}

async function columnsOf(
  warehouse: OpenWarehouse,
  view: string,
): Promise<CertifiedShape['columns']> {
  const { columns } = await warehouse.select({ view });
  return columns
    .map(({ name, type }) => ({ name, type: String(type) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function certifiedTable(
  warehouse: OpenWarehouse,
  shape: CertifiedShape,
  scope: Scope,
  hasContent: boolean,
): Promise<CertifiedTable> {
  const rows = await certifiedRows(warehouse, shape, scope);
  const tree = await treeOf(rows);
  const table = { ...shape, rows: tree.leaves, root: tree.root() };
  if (!hasContent || tree.leaves > MOST_CONTENT_ROWS) return table;
  const texts = await rowTexts(rows);
  return { ...table, content: texts.map((text) => JSON.parse(text) as (string | null)[]) };
}
