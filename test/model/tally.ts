/** What was played, over all cases: counts by dimension. */
export class Tally {
  readonly #counts = new Map<string, Map<string, number>>();
  cases = 0;
  requests = 0;
  rows = 0;

  countsOf(dimension: string): Map<string, number> {
    const counts = this.#counts.get(dimension) ?? new Map<string, number>();
    this.#counts.set(dimension, counts);
    return counts;
  }

  add(dimension: string, value: string | number, more = 1): void {
    const counts = this.countsOf(dimension);
    counts.set(String(value), (counts.get(String(value)) ?? 0) + more);
  }

  count(dimension: string, value: string): number {
    return this.countsOf(dimension).get(value) ?? 0;
  }

  lines(): string[] {
    const told = [...this.#counts].map(([dimension, counts]) => {
      const sorted = [...counts].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }));
      return `${dimension}: ${sorted.map(([value, count]) => `${value} ${count}`).join(', ')}`;
    });
    return [`${this.cases} cases, ${this.requests} requests, ${this.rows} rows`, ...told.sort()];
  }
}
