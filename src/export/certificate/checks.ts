import type { OpenWarehouse } from '../../load/query/stream.ts';
import { canonicalJson, parsedCanonical } from './canonical-json.ts';
import { certifiedRows, coverageIn, treeOf } from './certified-rows.ts';
import {
  type Certificate,
  type CertifiedTable,
  certificateSchema,
  type InclusionProof,
  proofSchema,
} from './format.ts';
import { leafOf, MerkleTree, rootOf } from './merkle-tree.ts';
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
  // A schema may pass over the member `__proto__`.
  const isWhole = canonicalJson(proof ?? certificate) === canonicalJson(value);
  if (certificate === undefined || !isWhole) {
    const detail = 'The file is not a certificate or a proof in canonical JSON';
    return { certificate: undefined, checks: [{ check: 'format', outcome: 'refused', detail }] };
  }
  const checks = [signatureCheck(certificate, publicKey)];
  for (const table of certificate.tables) {
    if (table.content !== undefined) checks.push(contentCheck(table, table.content));
  }
  if (proof === undefined) return { certificate, checks };
  return { certificate, proof, checks: [...checks, proofCheck(proof)] };
}

function judged(check: string, isVerified: boolean, detail: string): CertificateCheck {
  return { check, outcome: isVerified ? 'verified' : 'refused', detail };
}

function signatureCheck(certificate: Certificate, expected: string | undefined): CertificateCheck {
  const { publicKey } = certificate;
  if (!isSigned(certificate)) return judged('signature', false, `It is not that of ${publicKey}`);
  const isExpected = expected === undefined || expected.toLowerCase() === publicKey;
  const instead = isExpected ? '' : ` instead of ${expected}`;
  return judged('signature', isExpected, `The key ${publicKey} has signed${instead}`);
}

function contentCheck(table: CertifiedTable, content: InclusionProof['row'][]): CertificateCheck {
  const tree = new MerkleTree();
  for (const row of content) tree.add(leafOf(rowText(row)));
  return rootCheck(`content of ${table.name}`, table, tree);
}

function proofCheck({ certificate, table: name, row, ...place }: InclusionProof): CertificateCheck {
  const table = certificate.tables.find((table) => table.name === name);
  const root = table && rootOf(leafOf(rowText(row)), { ...place, leaves: table.rows });
  const isProven = root !== undefined && root === table?.root;
  return judged('row', isProven, `It is${isProven ? '' : ' not'} row ${place.index} of ${name}`);
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
  const coverage = await coverageIn(warehouse, certificate, certificate.tables);
  const isEqual = canonicalJson(coverage) === canonicalJson(certificate.coverage);
  const detail = `They are${isEqual ? '' : ' not'} as certified`;
  return [...checks, judged('statuses of coverage', isEqual, detail)];
}

function rootCheck(check: string, { rows, root }: CertifiedTable, tree: MerkleTree) {
  if (tree.leaves !== rows) {
    return judged(check, false, `There are ${tree.leaves} rows instead of ${rows}`);
  }
  const isEqual = tree.root() === root;
  return judged(check, isEqual, `${rows} rows have ${isEqual ? 'the certified' : 'another'} root`);
}

/** A `\` in JSON and the characters that it escapes, of `\u001f` all. */
const ESCAPE = /\\(?:u([0-9a-f]{4})|.)/g;

/** The text of a row, as DuckDB writes JSON: the hex digits of escapes are upper-case. */
function rowText(values: InclusionProof['row']): string {
  return JSON.stringify(values).replace(ESCAPE, (part, digits: string | undefined) => {
    return digits === undefined ? part : `\\u${digits.toUpperCase()}`;
  });
}
