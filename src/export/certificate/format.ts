import { z } from 'zod';

/** The files of certificates, as docs/certificate.md defines them. */

export const CERTIFICATE_FORMAT = 'windrow-certificate/1';
export const PROOF_FORMAT = 'windrow-proof/1';

/** The view of coverage, whose rows are cut at the certified heights. */
export const CERTIFIED_COVERAGE = 'coverage';

const whole = z.number().int().min(0);
const digest = z.string().regex(/^[0-9a-f]{64}$/);
const text = z.string();
const name = z.string().regex(/^[a-z0-9_]+(\.[a-z0-9_]+)?$/);
const axis = z.enum(['primary', 'zone']);
const blocks = z.strictObject({ from: whole, to: whole });
const row = z.array(z.string().nullable());

const table = z.strictObject({
  /** The view of the warehouse that shows it. */
  name,
  /** Null for coverage, which has rows of both axes. */
  axis: axis.nullable(),
  heightColumn: name.nullable(),
  /** In the order of their values in a row. */
  columns: z.array(z.strictObject({ name, type: text })).min(1),
  rows: whole,
  root: digest,
  /** All rows, of tables that an auditor reads in the certificate. */
  content: z.array(row).optional(),
});

const coverage = z.strictObject({
  axis,
  dataset: text,
  endpoint: text,
  variant: text,
  side: text.nullable(),
  keyKind: text,
  status: text,
  evidence: text.nullable().optional(),
  keys: whole,
  fromBlock: whole,
  toBlock: whole,
});

const unsigned = z.strictObject({
  format: z.literal(CERTIFICATE_FORMAT),
  /** Version of the program. */
  windrow: text,
  issuedAt: z.iso.datetime(),
  /** The one address that the rows are about; null for all rows. */
  address: z.string().nullable(),
  /** Addresses of the services that the lake was read from. */
  services: z.array(text),
  /** Short names by axis. */
  chains: z.partialRecord(axis, text),
  /** The certified heights by axis. */
  ranges: z.partialRecord(axis, blocks),
  tables: z.array(table),
  coverage: z.array(coverage),
  /** Versions of the raw tables that the rows were made from. */
  sources: z.array(z.strictObject({ chain: text, dataset: text, version: whole })),
  checkpoints: z.array(z.strictObject({ axis, height: whole, hash: text })),
  publicKey: digest,
});

export const certificateSchema = unsigned
  .extend({ signature: z.string().regex(/^[0-9a-f]{128}$/) })
  .refine(({ ranges, tables }) => {
    const names = new Set(tables.map(({ name }) => name));
    const isPlaced = tables.every((table) =>
      table.axis === null
        ? table.name === CERTIFIED_COVERAGE
        : ranges[table.axis] !== undefined && table.heightColumn !== null,
    );
    return isPlaced && names.size === tables.length && Object.keys(ranges).length > 0;
  });

/** The proof that a row is one of a certificate. */
export const proofSchema = z.strictObject({
  format: z.literal(PROOF_FORMAT),
  certificate: certificateSchema,
  table: name,
  row,
  /** Place of the row among the leaves of its table, from 0. */
  index: whole,
  /** Roots of the subtrees beside it, from the leaf upwards. */
  path: z.array(digest),
});

export type UnsignedCertificate = z.infer<typeof unsigned>;
export type Certificate = z.infer<typeof certificateSchema>;
export type CertifiedTable = Certificate['tables'][number];
export type InclusionProof = z.infer<typeof proofSchema>;
