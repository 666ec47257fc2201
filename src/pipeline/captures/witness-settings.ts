import { z } from 'zod';
import { durationField } from '../syntax/duration.ts';
import {
  mapping,
  plainNumber,
  says,
  soundText,
  wholeNumberField,
  yesOrNo,
} from '../syntax/fields.ts';
import { secretFrom } from '../syntax/secret-from.ts';
import { urlProblem, withoutSlash } from '../syntax/source-url.ts';

const address = soundText(
  says('is not the address of a node', 'Give its http or https address.'),
  (text) => urlProblem(text, 'An address with a token is read from { env: NAME }.'),
);

const node = mapping({
  url: z
    .union(
      [address, secretFrom],
      says('is not the address of a node', 'Write its http or https address, or { env: NAME }.'),
    )
    .describe('The JSON-RPC address of a node, or the place of an address that holds a token'),
  rate: mapping({ maxPerSecond: plainNumber(0.01, 10_000, 'Most requests per second') })
    .prefault({ maxPerSecond: 20 })
    .describe('The load on the node, by default 20 requests per second'),
  quota: mapping({ perDay: wholeNumberField(1, 1_000_000_000, 'Most requests per day in UTC') })
    .optional()
    .describe('The quota of the node; all runs on this machine that use it share it'),
}).transform(({ url, rate: { maxPerSecond }, quota }) => ({
  url: typeof url === 'string' ? withoutSlash(url) : url,
  maxPerSecond,
  perDay: quota?.perDay,
}));

/** A node of the primary chain, whose balances and blocks the ledger is compared with. */
export type WitnessNode = Readonly<z.infer<typeof node>>;

const NOT_NODES = says('is not a node or a list of nodes', 'Write { url: ... }, or several in [].');

/** The `witness` of a pipeline: a node, or several that are compared with each other. */
export const witnessSchema = z
  .union([node, z.array(node, NOT_NODES).min(1, NOT_NODES)], NOT_NODES)
  .transform((nodes): readonly WitnessNode[] => [nodes].flat());

/** The `reconcile` of a pipeline. */
export const reconcileSchema = mapping({
  every: durationField('Runs reconcile when this time has passed since the last one').optional(),
  strict: yesOrNo('true: a difference makes the coverage of its block inconsistent').default(false),
}).transform(({ every: everyMs, strict: isStrict }) => ({ everyMs, isStrict }));

/** The reconciliation of a pipeline with its witnesses, by the verb alone without `everyMs`. */
export interface ReconcileSettings extends Readonly<z.infer<typeof reconcileSchema>> {
  /** Empty: the pending state of the pipeline stands in for them. */
  readonly witnesses: readonly WitnessNode[];
}

/** The environment variables that hold the addresses of nodes. */
export function witnessVariables({ witnesses }: ReconcileSettings): readonly string[] {
  return witnesses.flatMap(({ url }) => (typeof url === 'string' ? [] : (url.env ?? [])));
}
