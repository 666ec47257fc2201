/** Requests of a walk in addition to those for its records. */
const SPARE_REQUESTS = 40;
/** Requests per page of records: an unsorted list needs about three. */
const REQUESTS_PER_PAGE = 6;

/** Ends walks that send more requests than their records can need. */
export class RequestBudget {
  requests = 0;
  /** Proven records. */
  seen = 0;
  /** The last contradiction; '' before the first. */
  reason = '';
  /** Records on the longest page. */
  #longest = 1;

  shown(records: number): void {
    this.#longest = Math.max(this.#longest, records);
  }

  /** Why the walk ends; undefined within the budget. */
  overspent(): string | undefined {
    const pages = Math.ceil(this.seen / this.#longest);
    if (this.requests <= SPARE_REQUESTS + REQUESTS_PER_PAGE * pages) return undefined;
    const reason = this.reason === '' ? '' : `; the last contradiction: ${this.reason}`;
    return `${this.requests} requests for ${this.seen} records do not complete the list${reason}`;
  }
}
