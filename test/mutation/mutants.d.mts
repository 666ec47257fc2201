export interface Mutant {
  /** Path in the repository. */
  readonly file: string;
  readonly line: number;
  readonly kind: 'negate' | 'drop guard' | 'drop half' | 'shift bound';
  /** Text of the syntax node, on one line. */
  readonly code: string;
  readonly start: number;
  readonly end: number;
  /** Takes the place of `start` to `end`. */
  readonly text: string;
}

export function mutantsIn(file: string, source?: string): readonly Mutant[];
