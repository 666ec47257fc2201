import { z } from 'zod';
import type { Mapping } from '../../json-in.ts';
import { durationField } from '../syntax/duration.ts';
import { asText, fileName, mapping, oneOf, says, soundText, textField } from '../syntax/fields.ts';
import type { Finding } from '../syntax/schema-problems.ts';
import { urlProblem, withoutSlash } from '../syntax/source-url.ts';

const READS = ['block', 'balances', 'nonces', 'receipts'] as const;
export type PendingRead = (typeof READS)[number];

/** The reads that need addresses. */
const BY_ADDRESS: readonly unknown[] = ['balances', 'nonces'] satisfies PendingRead[];

const endpoint = asText(
  soundText(says('is not an address', 'Give the address of the endpoint.'), (address) => {
    if (/^\/[^\s?#]*$/.test(address)) return undefined;
    return urlProblem(address, 'A path of the source, as in /rpc, is allowed, too.');
  }),
).describe('Address of the JSON-RPC endpoint, or its path at the source, as in /rpc');

const NOT_A_READ = says(
  'is not a read',
  `Write one of ${READS.join(', ')}, or calls: and the name of a CSV file.`,
);

/** The `pending` of a pipeline. */
export const pendingSchema = mapping({
  url: endpoint,
  every: durationField('Time from the start of one reading to the next').prefault('2s'),
  reads: z
    .array(
      z.union(
        [
          oneOf(READS, 'A read'),
          mapping({ calls: fileName('Contract calls: contract, function and arguments') }),
        ],
        NOT_A_READ,
      ),
      says('is not a list of reads', 'Write it in brackets, as in [block, receipts].'),
    )
    .min(1, says('names nothing to read', `Name some of ${READS.join(', ')} and calls.`))
    .describe('The reads: of the block, of addresses, of transactions and of contract calls'),
  keys: textField(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
    'is not the name of a key set',
    'Name a key set with addresses.',
    'Key set of the addresses; by default the only one that has addresses',
  ).optional(),
});

/** The whole address of the endpoint. */
export function pendingUrl(pending: CapturedPendingState, sourceUrl: string): string {
  return pending.url.startsWith('/') ? sourceUrl + pending.url : pending.url;
}

/** The pending state of a valid file, with the key set of the addresses that it reads. */
export function toPendingState(
  { url, every: everyMs, reads, keys }: z.infer<typeof pendingSchema>,
  keySets: Readonly<Record<string, { readonly kind: string }>>,
) {
  const calls = reads.flatMap((read) => (typeof read === 'string' ? [] : [read.calls]));
  const keySet = keys ?? Object.keys(keySets).find((name) => keySets[name]?.kind !== 'found');
  const isByAddress = reads.some((read) => BY_ADDRESS.includes(read));
  return {
    url: withoutSlash(url),
    everyMs,
    reads: READS.filter((read) => reads.includes(read)),
    callsFile: calls[0],
    keySet: isByAddress ? keySet : undefined,
  };
}

/** The pending state that a pipeline reads over and over, through JSON-RPC. */
export type CapturedPendingState = Readonly<ReturnType<typeof toPendingState>>;

/** Checks the reads of a pipeline together with each other and with its key sets. */
export function pendingFindings(pending: Mapping, keySets: Mapping): Finding[] {
  const { reads, keys } = pending;
  if (!Array.isArray(reads)) return [];
  const names = reads.map((read) => (typeof read === 'string' ? read : 'calls'));
  const findings = names.flatMap((name, at): Finding[] => {
    if (names.indexOf(name) === at) return [];
    const advice = 'Remove it here. All calls of contracts are in one file.';
    return [{ path: ['pending', 'reads', at], message: 'is listed twice', advice }];
  });
  const withAddresses = Object.keys(keySets).filter((name) => {
    const set = keySets[name] as Mapping | null;
    return set?.['file'] !== undefined || set?.['list'] !== undefined;
  });
  const at = names.findIndex((name) => BY_ADDRESS.includes(name));
  if (at === -1) return findings;
  if (typeof keys === 'string' && !withAddresses.includes(keys)) {
    const advice = 'Name a key set with file or list.';
    const message = 'is not a key set with addresses';
    return [...findings, { path: ['pending', 'keys'], message, advice }];
  }
  if (typeof keys === 'string' || withAddresses.length === 1) return findings;
  const advice =
    withAddresses.length === 0
      ? 'Add one: keys: { addresses: { file: ... } }.'
      : `Name one of them: pending: { keys: ${withAddresses[0]} }.`;
  const message = `needs addresses, but the pipeline has ${withAddresses.length} key sets of them`;
  return [...findings, { path: ['pending', 'reads', at], message, advice }];
}
