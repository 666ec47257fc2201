import type { Answers, ListFacts } from '../walk/list-facts.ts';

/** Answers that must have records, before the share of false ones is estimated from them. */
export const EVIDENCE = 40;
/** Reached where half of the answers or more are false; the list is then `inconsistent`. */
export const MAX_READINGS = 20;
/** An empty answer is accepted when the probability that it is false is below this. */
const BELIEVED = 1e-6;

/** Whether enough answers are known to estimate the share of false ones in the list. */
export function hasEvidence(facts: ListFacts, path: string): boolean {
  // A list without a known question is judged by the other lists of the source.
  const answers = facts.knownQuestion(path) === undefined ? facts.answers : facts.at(path).answers;
  return countOf(answers) >= EVIDENCE;
}

/**
 * Readings after which an empty answer is accepted, 2 to MAX_READINGS, by the share of false
 * answers so far. That of the list counts where it is larger than that of the source, because a
 * service may return false answers for one list only.
 */
export function readingsNeeded(facts: ListFacts, path: string): number {
  const answers = facts.at(path).answers;
  const counted = countOf(answers) >= EVIDENCE ? [answers, facts.answers] : [facts.answers];
  const shares = counted.map((tally) => (tally.false + 1) / (countOf(tally) + 1));
  const share = Math.min(0.5, Math.max(...shares));
  return Math.max(2, Math.ceil(Math.log(BELIEVED) / Math.log(share)));
}

function countOf({ right, false: wrong }: Answers): number {
  return right + wrong;
}
