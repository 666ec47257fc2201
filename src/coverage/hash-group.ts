import type { ListId } from './list.ts';
import type { HashesOfValue } from './packed-keys.ts';

/**
 * Packed hashes of one list that have the same coverage. Each reading of `keys` unpacks them, which
 * is slow for millions of hashes: read `parts` first, and `keys` only if they are needed. Do not
 * destructure or spread a group for the same reason.
 */
export class HashGroup<P> implements ListId {
  readonly endpoint: string;
  readonly variant: string;
  readonly parts: readonly P[];
  readonly #hashes: HashesOfValue;

  constructor({ endpoint, variant }: ListId, parts: readonly P[], hashes: HashesOfValue) {
    this.endpoint = endpoint;
    this.variant = variant;
    this.parts = parts;
    this.#hashes = hashes;
  }

  get keys(): readonly string[] {
    return this.#hashes.keys();
  }
}
