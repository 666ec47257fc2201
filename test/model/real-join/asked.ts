/** Everything that was asked for, by all runs together. */
export interface Asked {
  /** The newest block. It is not final, so all that is known of it is provisional. */
  readonly head: number;
  /** Whose transactions and internal transactions were asked for, in all blocks. */
  readonly addresses: ReadonlySet<string>;
  /** Whose token transfers were asked for, in all blocks. */
  readonly holders: ReadonlySet<string>;
  /** Whose transfers were asked for by contract. */
  readonly tokens: ReadonlySet<string>;
  /** Heights of which everything was asked for. */
  readonly wholeBlocks: ReadonlySet<number>;
  /** The first height of blocks that were asked for with details, and in the list of blocks. */
  readonly detailsFrom: number;
  readonly blockListFrom: number;
  /** The first height from which records of addresses and holders were looked up by their hash. */
  readonly transactionsFrom: number;
  readonly internalsFrom: number;
  readonly transfersFrom: number;
}
