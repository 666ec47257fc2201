/** Requests of a walk beside those that its records need. */
const SPARE_REQUESTS = 40;
/** Requests per page that the records of a walk fill: an unsorted list needs about three. */
const REQUESTS_PER_PAGE = 6;

/** Ends walks that take more requests than the records they find can need. */
export class RequestBudget {
  requests = 0;
  /** Records that are settled. */
  seen = 0;
  /** The last contradiction; '' while there was none. */
  reason = '';
  /** Records on the longest page. */
  #longest = 1;

  shown(records: number): void {
    this.#longest = Math.max(this.#longest, records);
  }

  /** Why the walk is given up; undefined while it takes no more requests than it can need. */
  overspent(): string | undefined {
    const pages = Math.ceil(this.seen / this.#longest);
    if (this.requests <= SPARE_REQUESTS + REQUESTS_PER_PAGE * pages) return undefined;
    const reason = this.reason === '' ? '' : `; the last contradiction: ${this.reason}`;
    return `${this.requests} requests for ${this.seen} records do not settle the list${reason}`;
  }
}
