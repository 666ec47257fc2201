import type { OpenWarehouse } from '../../load/query/stream.ts';
import { canonicalJson, parsedCanonical } from './canonical-json.ts';
import { CERTIFIED_COVERAGE, certifiedRows, treeOf } from './certified-rows.ts';
import { coverageIn } from './coverage-summary.ts';
import {
  type Certificate,
  type CertifiedTable,
  certificateSchema,
  type InclusionProof,
  proofSchema,
} from './format.ts';
import { leafOf, MerkleTree, rootOf } from './merkle-tree.ts';
import { rowText } from './row-text.ts';
import { isSigned } from './signature.ts';

/** The result of one check of a certificate. */
export interface CertificateCheck {
  readonly check: string;
  /** `open`: it could not be made, so it proves nothing. */
  readonly outcome: 'verified' | 'refused' | 'open';
  /** A sentence without its full stop. */
  readonly detail: string;
}

export interface CheckedFile {
  /** Undefined for a file of another format. */
  readonly certificate: Certificate | undefined;
  /** Present in the file of a proof. */
  readonly proof?: InclusionProof;
  readonly checks: readonly CertificateCheck[];
}

/** Checks a file of a certificate or a proof by itself: form, signature, rows that it holds. */
export function checkFile(bytes: Buffer, publicKey: string | undefined): CheckedFile {
  const value = parsedCanonical(bytes);
  const proof = proofSchema.safeParse(value).data;
  const certificate = proof?.certificate ?? certificateSchema.safeParse(value).data;
  if (certificate === undefined) {
    const detail = 'The file is not a certificate or a proof in canonical JSON';
    return { certificate, checks: [{ check: 'format', outcome: 'refused', detail }] };
  }
  const checks = [signatureCheck(certificate, publicKey)];
  for (const table of certificate.tables) {
    if (table.content !== undefined) checks.push(contentCheck(table, table.content));
  }
  if (proof === undefined) return { certificate, checks };
  return { certificate, proof, checks: [...checks, proofCheck(proof)] };
}

function signatureCheck(certificate: Certificate, expected: string | undefined): CertificateCheck {
  const check = 'signature';
  const { publicKey } = certificate;
  if (!isSigned(certificate)) {
    const detail = `It is not the signature of the key ${publicKey}`;
    return { check, outcome: 'refused', detail };
  }
  if (expected !== undefined && expected !== publicKey) {
    const detail = `The key is ${publicKey} instead of ${expected}`;
    return { check, outcome: 'refused', detail };
  }
  return { check, outcome: 'verified', detail: `The key ${publicKey} has signed the certificate` };
}

function contentCheck(table: CertifiedTable, content: InclusionProof['row'][]): CertificateCheck {
  const tree = new MerkleTree();
  for (const row of content) tree.add(leafOf(rowText(row)));
  return rootCheck(`content of ${table.name}`, table, tree);
}

function proofCheck({ certificate, table: name, row, ...place }: InclusionProof): CertificateCheck {
  const check = 'row';
  const table = certificate.tables.find((each) => each.name === name);
  const root = table && rootOf(leafOf(rowText(row)), { ...place, leaves: table.rows });
  return root !== undefined && root === table?.root
    ? { check, outcome: 'verified', detail: `It is row ${place.index} of ${name}` }
    : { check, outcome: 'refused', detail: `It is not row ${place.index} of ${name}` };
}

/** Compares the rows and the coverage that a warehouse shows with the certificate. */
export async function checkRows(
  warehouse: OpenWarehouse,
  certificate: Certificate,
): Promise<CertificateCheck[]> {
  const checks: CertificateCheck[] = [];
  for (const table of certificate.tables) {
    const tree = await treeOf(await certifiedRows(warehouse, table, certificate));
    checks.push(rootCheck(`rows of ${table.name}`, table, tree));
  }
  const shape = certificate.tables.find(({ name }) => name === CERTIFIED_COVERAGE);
  const hasEvidence = shape?.columns.some(({ name }) => name === 'evidence') === true;
  const coverage = await coverageIn(warehouse, certificate, hasEvidence);
  const check = 'statuses of coverage';
  const isEqual = canonicalJson(coverage) === canonicalJson(certificate.coverage);
  checks.push(
    isEqual
      ? { check, outcome: 'verified', detail: 'They are as certified' }
      : { check, outcome: 'refused', detail: 'They are not as certified' },
  );
  return checks;
}

function rootCheck(check: string, table: CertifiedTable, tree: MerkleTree): CertificateCheck {
  const { rows, root } = table;
  if (tree.leaves === rows && tree.root() === root) {
    return { check, outcome: 'verified', detail: `${rows} rows have the certified root` };
  }
  const detail =
    tree.leaves === rows
      ? `${rows} rows have another root`
      : `There are ${tree.leaves} rows instead of ${rows}`;
  return { check, outcome: 'refused', detail };
}
