/** Why a page cannot be shown, for the client. Its texts never hold data of the lake. */
export class PageProblem extends Error {
  readonly status: 400 | 404 | 429 | 500 | 503;
  readonly title: string;
  /** The text that was searched for. */
  readonly searched: string;

  constructor(status: PageProblem['status'], title: string, sentence: string, searched = '') {
    super(sentence);
    this.status = status;
    this.title = title;
    this.searched = searched;
  }
}

export function badRequest(sentence: string): PageProblem {
  return new PageProblem(400, 'This cannot be read', sentence);
}
