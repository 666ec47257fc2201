/**
 * A record between the stages. On the wire it is what the service sent; canonical is the same
 * content by column word, one text (or flag) per word, with one spelling for every value.
 */
export type WireRecord = Readonly<Record<string, unknown>>;

/** By column word (`tx_hash`, `from_address`, `amount` ...): wire text, flag, or null. */
export type CanonicalRecord = Readonly<Record<string, string | boolean | null>>;
