import { hash } from 'node:crypto';

/**
 * Merkle trees of RFC 6962 over SHA-256. Digests are lower-case hex. A leaf is the digest of a zero
 * byte and the bytes of a row; a node that of a byte of value 1 and both children.
 */

/** The root of a tree without leaves. */
const EMPTY_ROOT = hash('sha256', '');

const NODE = Buffer.alloc(65, 1);
const RIGHT_AT = 33;

/** The leaf of a row, from its text. */
export function leafOf(row: string): string {
  return hash('sha256', Buffer.concat([Buffer.alloc(1), Buffer.from(row)]));
}

function nodeOf(left: string, right: string): string {
  NODE.write(left, 1, 'hex');
  NODE.write(right, RIGHT_AT, 'hex');
  return hash('sha256', NODE);
}

/** A tree that grows leaf by leaf, of which only the roots of whole subtrees are kept. */
export class MerkleTree {
  readonly #roots: string[] = [];
  #leaves = 0;

  get leaves(): number {
    return this.#leaves;
  }

  add(leaf: string): void {
    let node = leaf;
    for (let rest = this.#leaves; rest % 2 === 1; rest = (rest - 1) / 2) {
      node = nodeOf(this.#roots.pop() ?? '', node);
    }
    this.#roots.push(node);
    this.#leaves += 1;
  }

  root(): string {
    const last = this.#roots.at(-1);
    if (last === undefined) return EMPTY_ROOT;
    return this.#roots.slice(0, -1).reduceRight((right, left) => nodeOf(left, right), last);
  }
}

/** Leaves of a subtree: its first leaf, and their number. */
export interface Subtree {
  readonly first: number;
  readonly leaves: number;
}

/** The subtrees whose roots prove a leaf, from the leaf upwards (PATH of RFC 6962). */
export function subtreesBeside(index: number, leaves: number, first = 0): Subtree[] {
  if (leaves < 2) return [];
  const left = leftLeaves(leaves);
  return index < left
    ? [...subtreesBeside(index, left, first), { first: first + left, leaves: leaves - left }]
    : [...subtreesBeside(index - left, leaves - left, first + left), { first, leaves: left }];
}

/**
 * The root of a tree in which a leaf has this index and these roots beside it; undefined for a path
 * that no leaf of such a tree has.
 */
export function rootOf(
  leaf: string,
  { index, leaves, path }: { index: number; leaves: number; path: readonly string[] },
): string | undefined {
  if (index >= leaves) return undefined;
  const beside = path.at(-1);
  if (leaves < 2 || beside === undefined) return leaves < 2 && path.length === 0 ? leaf : undefined;
  const left = leftLeaves(leaves);
  const isLeft = index < left;
  const below = rootOf(leaf, {
    index: isLeft ? index : index - left,
    leaves: isLeft ? left : leaves - left,
    path: path.slice(0, -1),
  });
  if (below === undefined) return undefined;
  return isLeft ? nodeOf(below, beside) : nodeOf(beside, below);
}

/** Leaves of the left subtree: the largest power of two below their number. */
function leftLeaves(leaves: number): number {
  let left = 1;
  while (left * 2 < leaves) left *= 2;
  return left;
}
