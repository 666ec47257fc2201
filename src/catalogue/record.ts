/** A record as the service sent it. */
export type WireRecord = Readonly<Record<string, unknown>>;

/**
 * The canonical form of a record: by column (`tx_hash`, `from_address`, `amount` ...), the text in
 * canonical spelling, a flag, or null.
 */
export type CanonicalRecord = Readonly<Record<string, string | boolean | null>>;
