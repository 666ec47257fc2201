/**
 * A guard on which "complete" rests, as the change that takes it away: a text of one file, what
 * takes its place, and the tests that have to notice.
 */
export interface Guard {
  readonly name: string;
  readonly file: string;
  readonly text: string;
  readonly without: string;
  readonly tests: readonly string[];
}

export const GUARDS: readonly Guard[];
