import type { CertificateCheck } from './checks.ts';
import type { Certificate, CertifiedTable } from './format.ts';

/** A call of a JSON-RPC method, and the text that the node must answer. */
interface Question {
  readonly call: WitnessCall;
  readonly expected: string;
  /** The subject of a message. */
  readonly subject: string;
}

export interface WitnessCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Answers of a node in the order of the calls; undefined where it has none. */
export type AskWitness = (calls: readonly WitnessCall[]) => Promise<readonly unknown[]>;

export const RECONCILIATIONS = 'lake.reconciliations';

/** Differences that are named. */
const SHOWN = 3;

/**
 * Compares the block hashes and the closing balances of a certificate with a node. A question that
 * the node does not answer leaves its check open: only an archive node has old balances.
 */
export async function checkWitness(
  certificate: Certificate,
  ask: AskWitness,
): Promise<CertificateCheck[]> {
  const hashes = certificate.checkpoints.flatMap(({ axis, height, hash }) => {
    if (axis !== 'primary') return [];
    const call = { method: 'eth_getBlockByNumber', params: [hexOf(height), false] };
    return [{ call, expected: hash, subject: `the hash of block ${height}` }];
  });
  const table = certificate.tables.find(({ name }) => name === RECONCILIATIONS);
  const balances = table === undefined ? [] : balancesIn(table);
  const checks = [await compared('block hashes of the node', hashes, ask)];
  if (balances.length > 0) checks.push(await compared('balances of the node', balances, ask));
  return checks;
}

async function compared(
  check: string,
  questions: readonly Question[],
  ask: AskWitness,
): Promise<CertificateCheck> {
  const answers = (await ask(questions.map(({ call }) => call))).map(textOf);
  const differences = questions.flatMap(({ subject, expected }, i) => {
    const answer = answers[i];
    if (answer === undefined || answer === expected) return [];
    return [`${subject} is ${answer} instead of ${expected}`];
  });
  if (differences.length > 0) {
    const shown = differences.slice(0, SHOWN).join('; ');
    const detail = `${differences.length} of ${questions.length} differ: ${shown}`;
    return { check, outcome: 'refused', detail };
  }
  const count = answers.filter((answer) => answer !== undefined).length;
  const detail = `${count} of ${questions.length} agree`;
  const isWhole = count > 0 && count === questions.length;
  return { check, outcome: isWhole ? 'verified' : 'open', detail };
}

/** The hash of a block, or a quantity in decimal digits. */
function textOf(result: unknown): string | undefined {
  if (typeof result === 'object' && result !== null && 'hash' in result) {
    return typeof result.hash === 'string' ? result.hash.toLowerCase() : undefined;
  }
  const isQuantity = typeof result === 'string' && /^0x[0-9a-f]+$/i.test(result);
  return isQuantity ? String(BigInt(result)) : undefined;
}

/** A question for the closing balance of every reconciliation that has one. */
function balancesIn({ columns, content = [] }: CertifiedTable): Question[] {
  return content.flatMap((row) => {
    const values = Object.fromEntries(columns.map(({ name }, i) => [name, row[i]]));
    const { address, asset_kind: kind, closing, to_block: height } = values;
    if (!address || !kind || !closing || !height) return [];
    const block = hexOf(Number(height));
    const [to, id] = [values['token_address'], BigInt(values['token_id'] ?? 0)];
    const holder = word(BigInt(address));
    const balanceOf = `0x70a08231${holder}`;
    const data = {
      token_20: balanceOf,
      token_721: balanceOf,
      token_1155: `0x00fdd58e${holder}${word(id)}`,
    }[kind];
    const method = { native: 'eth_getBalance', nonce: 'eth_getTransactionCount' }[kind];
    if (method === undefined && !(data && to)) return [];
    const call =
      method === undefined
        ? { method: 'eth_call', params: [{ to, data }, block] }
        : { method, params: [address, block] };
    return [{ call, expected: closing, subject: `the ${kind} balance of ${address} at ${height}` }];
  });
}

/** A number as 32 bytes in hex. */
function word(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}

function hexOf(height: number): string {
  return `0x${height.toString(16)}`;
}
