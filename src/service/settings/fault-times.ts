import { randomAt, seedWords } from '../../simulated/primitives/random.ts';

/** When a fault strikes; see the schema of plans. */
export interface When {
  readonly at: string;
  readonly after: number;
  readonly every?: number | undefined;
  readonly next?: number | undefined;
  readonly probability?: number | undefined;
}

/** Whether a fault strikes the next request to an endpoint. Counts the requests that it is for. */
export type Strikes = (path: string) => boolean;

/** Whether the pattern means the path: `*` is a part of a segment, `**` any number of them. */
export function matcherOf(pattern: string): (path: string) => boolean {
  const source = pattern
    // Stars beside stars mean no more, and would have to be tried in every combination.
    .replace(/\*{2,}/g, '**')
    .split(/(\*\*|\*)/)
    .map((part) => (part === '**' ? '.*' : part === '*' ? '[^/]*' : part))
    .join('');
  const whole = new RegExp(`^${source}$`);
  return (path) => whole.test(path);
}

/**
 * When the rule at `place` of its plan strikes. Which of the requests it is for are struck depends
 * on the seed and nothing else: not on other rules, and not on other endpoints.
 */
export function strikesOf(rule: When, place: number, seed: number): Strikes {
  const isFor = matcherOf(rule.at);
  const words = seedWords(String(seed));
  let asked = 0;
  return (path) => {
    if (!isFor(path)) return false;
    const nth = asked - rule.after;
    asked += 1;
    if (nth < 0) return false;
    if (rule.every !== undefined) return (nth + 1) % rule.every === 0;
    if (rule.next !== undefined) return nth < rule.next;
    if (rule.probability !== undefined) {
      return randomAt(words, place, nth).chance(rule.probability);
    }
    return true;
  };
}
