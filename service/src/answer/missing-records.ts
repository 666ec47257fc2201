import type { Endpoint } from '../../../src/catalogue/entry.ts';
import { endpoints } from '../../../src/catalogue/index.ts';
import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import { Refusal } from '../protocol/errors.ts';
import type { Selection, Source } from '../protocol/source.ts';

/** Missing block ranges are not refused: a client that follows a chain reads the blocks first. */
const BLOCKS = new Set(
  endpoints.filter(({ servesHead }) => servesHead).map((entry) => entry.dataset),
);

/**
 * Throws a Refusal if the source does not hold all the requested records. An answer without them
 * would claim that they do not exist, and an exporter that reads from this service would take that
 * as proof.
 */
export async function checkRecordsAvailable(
  entry: Endpoint,
  selection: Selection,
  lacks: NonNullable<Source['lacks']>,
): Promise<void> {
  if (entry.list === 'snapshot' || BLOCKS.has(selection.dataset)) return;
  const { depthBlocks, depthRecords, depthYears } = entry.limits;
  const endsEarly = [depthBlocks, depthRecords, depthYears].some((limit) => limit !== undefined);
  const lacking = await lacks(selection, endsEarly);
  if (lacking === undefined) return;
  throw new Refusal(
    'not-exported',
    `this service has a part of the chain: ${lacking} were not exported for the whole request`,
  );
}

/**
 * Throws a Refusal if records lack a field because none of the exported lists has it. An empty
 * field would claim that the chain has no value there. The message names the fields as the endpoint
 * spells them.
 */
export function checkFields(entry: Endpoint, records: readonly CanonicalRecord[]): void {
  const lacking = entry.fields.filter(({ column }) =>
    records.some((record) => record[column] === undefined),
  );
  if (lacking.length === 0) return;
  const names = lacking.map(({ wire }) => wire).join(', ');
  throw new Refusal(
    'not-exported',
    `this service has a part of the chain: ${names} of some requested records were not exported`,
  );
}
