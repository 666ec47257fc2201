import type { Endpoint } from '../../catalogue/entry.ts';
import { endpoints } from '../../catalogue/index.ts';
import type { CanonicalRecord } from '../../catalogue/record.ts';
import { Refusal } from '../protocol/errors.ts';
import type { Selection, Source } from '../protocol/source.ts';

/** Blocks are listed as far as there are any: a client that follows a chain begins with them. */
const BLOCKS = new Set(endpoints.filter(({ servesHead }) => servesHead).map((of) => of.dataset));

/**
 * Throws a Refusal for a question about records that a source never took in. An answer without them
 * would say that there are none, and whoever exports from this service would take it for proof.
 */
export async function checkHeld(
  of: Endpoint,
  asked: Selection,
  lacks: NonNullable<Source['lacks']>,
): Promise<void> {
  if (of.list === 'snapshot' || BLOCKS.has(asked.dataset)) return;
  const { depthBlocks, depthRecords, depthYears } = of.limits;
  const endsEarly = [depthBlocks, depthRecords, depthYears].some((each) => each !== undefined);
  const lacking = await lacks(asked, endsEarly);
  if (lacking === undefined) return;
  throw new Refusal(
    'not-held',
    `this service has a part of the chain: ${lacking} were not exported for all that is asked`,
  );
}

/**
 * Throws a Refusal for records that lack a field because no list was exported that has it: an empty
 * field would say that the chain has nothing there. The fields are named as the endpoint spells
 * them.
 */
export function checkFields(of: Endpoint, records: readonly CanonicalRecord[]): void {
  const lacking = of.fields.filter(({ column }) =>
    records.some((record) => record[column] === undefined),
  );
  if (lacking.length === 0) return;
  const names = lacking.map(({ wire }) => wire).join(', ');
  throw new Refusal(
    'not-held',
    `this service has a part of the chain: ${names} of some records asked for were not exported`,
  );
}
