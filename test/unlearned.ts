import { ListFacts } from '../src/fetch/list-facts.ts';
import { Listing } from '../src/fetch/listing.ts';

/** Settings of walks over a service of which nothing is known yet. */
export function unlearned() {
  return { listing: new Listing({}), facts: new ListFacts({}), proof: 'standard' as const };
}
