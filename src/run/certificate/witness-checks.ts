import type { CertificateCheck } from '../../export/certificate/checks.ts';
import type { Certificate, CertifiedTable } from '../../export/certificate/format.ts';
import type { RpcCall } from '../../fetch/rpc/rpc-client.ts';
import {
  balanceAt,
  blockHead,
  hex,
  type NodeQuestion,
  sentAt,
  tokenBalance,
} from '../../fetch/witness/question.ts';
import { ADDRESS } from '../../pipeline/syntax/address.ts';

/** A question to a node, and the text that it must answer. */
interface Question extends NodeQuestion<unknown> {
  readonly expected: string;
  /** The subject of a message. */
  readonly subject: string;
}

/** Answers of a node in the order of the calls; undefined where it has none. */
export type AskWitness = (calls: readonly RpcCall[]) => Promise<readonly unknown[]>;

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
  const hashes = certificate.checkpoints.flatMap(({ axis, height, hash }): Question[] => {
    if (axis !== 'primary') return [];
    const { call, read } = blockHead(height);
    const subject = `the hash of block ${height}`;
    return [{ call, read: (result) => read(result)?.hash, expected: hash, subject }];
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
  const results = await ask(questions.map(({ call }) => call));
  const answers = questions.map(({ read }, i) => read(results[i]));
  const differences = questions.flatMap(({ subject, expected }, i) => {
    const answer = answers[i];
    if (answer === undefined || String(answer) === expected) return [];
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

/** A question for the closing balance of every reconciliation that has one. */
function balancesIn({ columns, content = [] }: CertifiedTable): Question[] {
  return content.flatMap((row) => {
    const values = Object.fromEntries(columns.map(({ name }, i) => [name, row[i]]));
    const { address, asset_kind: kind, closing, to_block: height } = values;
    if (!kind || !closing || !address || !ADDRESS.test(address) || !isWhole(height)) return [];
    const [tag, token, id] = [hex(Number(height)), values['token_address'], values['token_id']];
    const question =
      kind === 'native'
        ? balanceAt(address, tag)
        : kind === 'nonce'
          ? sentAt(address, tag)
          : token && (id == null || isWhole(id))
            ? tokenBalance(token, address, kind === 'token_1155' ? (id ?? '0') : null, tag)
            : undefined;
    const subject = `the ${kind} balance of ${address} at ${height}`;
    return question === undefined ? [] : [{ ...question, expected: closing, subject }];
  });
}

function isWhole(text: string | null | undefined): text is string {
  return /^\d+$/.test(text ?? '');
}
