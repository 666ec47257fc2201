/** One value per key. The processes that use the key change it one at a time. */
export interface PaceCell<Value> {
  /** A visit takes the requests of this time at once; 0: one request per visit. */
  readonly visitMs: number;
  /** The place of the value, for messages. */
  readonly where: string;
  /** The clock of the place, where clocks of processes may differ; default: the own clock. */
  readonly now?: () => number;
  /**
   * Replaces the value by `change` of it, which may alter its argument and may be called again when
   * another process was faster. Without a value yet, or with a damaged one, it gets undefined.
   */
  update(change: (value: Value | undefined) => Value): Promise<void>;
}
