import { randomAt, seedWords } from '../simulated/primitives/random.ts';

/** The requests that a fault applies to; see the schema of plans. */
export interface When {
  readonly at: string;
  readonly after: number;
  readonly every?: number | undefined;
  readonly next?: number | undefined;
  readonly probability?: number | undefined;
}

/** Whether a fault applies to the next request to an endpoint. Counts its matching requests. */
export type AppliesTo = (path: string) => boolean;

/** Whether a path matches the pattern: `*` is a part of a segment, `**` any number of segments. */
export function matcherOf(pattern: string): (path: string) => boolean {
  const source = pattern
    // Adjacent stars add no meaning, but every combination of them would have to be tried.
    .replace(/\*{2,}/g, '**')
    .split(/(\*\*|\*)/)
    .map((part) => (part === '**' ? '.*' : part === '*' ? '[^/]*' : part))
    .join('');
  const whole = new RegExp(`^${source}$`);
  return (path) => whole.test(path);
}

/**
 * The requests that the rule at `place` of its plan applies to. The choice depends on the seed and
 * the requests of its own endpoints, and on no other rule or endpoint.
 */
export function appliesToOf(rule: When, place: number, seed: number): AppliesTo {
  const isFor = matcherOf(rule.at);
  const words = seedWords(String(seed));
  let count = 0;
  return (path) => {
    if (!isFor(path)) return false;
    const nth = count - rule.after;
    count += 1;
    if (nth < 0) return false;
    if (rule.every !== undefined) return (nth + 1) % rule.every === 0;
    if (rule.next !== undefined) return nth < rule.next;
    if (rule.probability !== undefined) {
      return randomAt(words, place, nth).chance(rule.probability);
    }
    return true;
  };
}
