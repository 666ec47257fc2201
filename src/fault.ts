/**
 * The kind of a failure. It decides the exit code, which schedulers use: 1 failed, 2 usage or
 * configuration, 3 partial, 5 locked, 130 interrupted.
 */
export type FaultKind =
  | 'usage'
  | 'configuration'
  | 'unreachable'
  | 'authentication'
  | 'refused'
  | 'throttled'
  | 'port-taken'
  | 'lake'
  | 'query'
  | 'limited'
  | 'locked'
  | 'interrupted';

const EXIT_CODES: Record<FaultKind, 1 | 2 | 3 | 5 | 130> = {
  usage: 2,
  configuration: 2,
  unreachable: 1,
  authentication: 1,
  refused: 1,
  throttled: 1,
  'port-taken': 1,
  lake: 1,
  query: 2,
  limited: 3,
  locked: 5,
  interrupted: 130,
};

export interface FaultDetails {
  /** The location of the cause, as `file:line:column` or a path. */
  readonly where?: string;
  /** The next step for the reader, as a sentence. */
  readonly advice: string;
  readonly cause?: unknown;
}

/** An error with a message, a location and advice. The CLI prints all three. */
export class Fault extends Error {
  readonly kind: FaultKind;
  readonly where: string | undefined;
  readonly advice: string;

  constructor(kind: FaultKind, message: string, details: FaultDetails) {
    super(message, { cause: details.cause });
    this.name = 'Fault';
    this.kind = kind;
    this.where = details.where;
    this.advice = details.advice;
  }

  get exitCode(): 1 | 2 | 3 | 5 | 130 {
    return EXIT_CODES[this.kind];
  }

  /**
   * One paragraph: place, message, advice. The advice has a line of its own after a message of
   * several lines, because the last one may be a caret that points into the line above.
   */
  paragraph(): string {
    const place = this.where === undefined ? '' : `${this.where}: `;
    const separator = this.message.includes('\n') ? '\n' : ' ';
    return `${place}${this.message}${separator}${this.advice}`;
  }
}
