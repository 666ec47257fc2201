import {
  type CertificateCheck,
  type CheckedFile,
  checkFile,
  checkRows,
} from '../../export/certificate/checks.ts';
import type { Certificate } from '../../export/certificate/format.ts';
import { Fault } from '../../fault.ts';
import { Admission } from '../../fetch/limits/admission.ts';
import { Pacer } from '../../fetch/rate/pacer.ts';
import { localDisk } from '../../land/storage/disk.ts';
import type { OpenWarehouse } from '../../load/query/stream.ts';
import { parseSourceUrl, urlProblem, withoutSlash } from '../../pipeline/syntax/source-url.ts';
import { nodeClient, PATIENCE_MS } from '../job/witness-nodes.ts';
import type { Surroundings } from '../lake/surroundings.ts';
import { withRows } from './certify-lake.ts';
import { type AskWitness, checkWitness } from './witness-checks.ts';

export interface VerifyOptions {
  /** The file of a certificate or a proof. */
  readonly file: string;
  /** The key that must have signed it, in hex. */
  readonly publicKey?: string | undefined;
  /** A data root whose rows are compared. */
  readonly data?: string | undefined;
  /** The address of a JSON-RPC node, or the name of a variable that holds it. */
  readonly witness?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
}

/** The results of all checks of a certificate or a proof. */
export interface CertificateVerification {
  /** Undefined for a file of another format. */
  readonly certificate: Certificate | undefined;
  readonly checks: readonly CertificateCheck[];
  /** The worst outcome. */
  readonly outcome: CertificateCheck['outcome'];
}

const [connectMs, headersMs, bodyMs, totalMs] = [10_000, PATIENCE_MS, PATIENCE_MS, PATIENCE_MS];
const NODE_LIMITS = { concurrency: 1, timeouts: { connectMs, headersMs, bodyMs, totalMs } };

/**
 * Checks a certificate or a proof by itself; its rows against a lake; its block hashes and balances
 * against a node. Throws Fault('usage') for a file that cannot be read, and for the address of a
 * node that is not one.
 */
export async function verifyCertificate(
  { file, publicKey, data, witness, env }: VerifyOptions,
  caller: Surroundings,
): Promise<CertificateVerification> {
  const { certificate, checks: first } = await readCertificate(file, publicKey);
  const checks = [...first];
  if (certificate !== undefined && data !== undefined) {
    checks.push(...(await lakeChecks(data, certificate, caller)));
  }
  if (certificate !== undefined && witness !== undefined) {
    checks.push(...(await nodeChecks(witness, certificate, env, caller)));
  }
  const outcomes = new Set(checks.map(({ outcome }) => outcome));
  const outcome = outcomes.has('refused') ? 'refused' : outcomes.has('open') ? 'open' : 'verified';
  return { certificate, checks, outcome };
}

/** Reads the file of a certificate or a proof, and checks it by itself. */
export async function readCertificate(file: string, publicKey?: string): Promise<CheckedFile> {
  const bytes = await localDisk.readBytes(file).catch((cause: unknown) => {
    throw new Fault('usage', `The certificate cannot be read: ${String(cause)}.`, {
      where: file,
      advice: 'Give the path of a certificate or of a proof.',
      cause,
    });
  });
  return checkFile(bytes, publicKey);
}

/** A lake that lacks a table or a file of the certificate is refused, too. */
async function lakeChecks(
  root: string,
  certificate: Certificate,
  caller: Surroundings,
): Promise<readonly CertificateCheck[]> {
  try {
    const check = (warehouse: OpenWarehouse) => checkRows(warehouse, certificate);
    return await withRows(root, caller, check, true);
  } catch (error) {
    if (!(error instanceof Fault) || error.cause === undefined) throw error;
    return [{ check: 'rows of the lake', outcome: 'refused', detail: error.message }];
  }
}

async function nodeChecks(
  witness: string,
  certificate: Certificate,
  env: NodeJS.ProcessEnv,
  { effects }: Surroundings,
): Promise<CertificateCheck[]> {
  const url = nodeUrl(witness, env);
  const around = {
    pacer: new Pacer({ effects }),
    admission: new Admission({ effects }),
    effects,
  };
  const { client, transport } = nodeClient({ ...NODE_LIMITS, url }, env, around);
  const never = new AbortController().signal;
  const ask: AskWitness = async (calls) => {
    const replies = await client.call(calls, never);
    return replies.map((reply) => ('result' in reply ? reply.result : undefined));
  };
  try {
    return await checkWitness(certificate, ask);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const detail = error.message.replace(/\.$/, '');
    return [{ check: 'answers of the node', outcome: 'open', detail }];
  } finally {
    await transport.close();
  }
}

/** The address of a node. A message shows none that a variable holds, because it may have a key. */
function nodeUrl(witness: string, env: NodeJS.ProcessEnv): string {
  const url = env[witness];
  if (url === undefined) return parseSourceUrl(witness, '--witness');
  const problem = urlProblem(url);
  if (problem === undefined) return withoutSlash(url);
  const { message, advice } = problem;
  throw new Fault('usage', `The address in the variable ${witness} ${message}.`, { advice });
}
