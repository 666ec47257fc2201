import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  leafOf,
  MerkleTree,
  rootOf,
  subtreesBeside,
} from '../../../../src/export/certificate/merkle-tree.ts';

/** Goal: trees, roots and paths are those of RFC 6962, which is written here as the RFC has it. */

const sha256 = (...parts: readonly (string | Buffer)[]): Buffer =>
  createHash('sha256')
    .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
    .digest();

/** MTH of the RFC. */
function treeHash(rows: readonly string[]): Buffer {
  if (rows.length === 0) return sha256();
  if (rows.length === 1) return sha256(Buffer.of(0), rows[0] ?? '');
  const k = 2 ** (Math.ceil(Math.log2(rows.length)) - 1);
  return sha256(Buffer.of(1), treeHash(rows.slice(0, k)), treeHash(rows.slice(k)));
}

function treeOf(rows: readonly string[]): MerkleTree {
  const tree = new MerkleTree();
  for (const row of rows) tree.add(leafOf(row));
  return tree;
}

const rowsOf = (leaves: number): string[] => Array.from({ length: leaves }, (_, i) => `row ${i}`);

test('roots are those of the RFC, whatever the number of leaves', () => {
  for (let leaves = 0; leaves <= 70; leaves += 1) {
    expect(treeOf(rowsOf(leaves)).root()).toBe(treeHash(rowsOf(leaves)).toString('hex'));
  }
});

test('a path proves its own leaf at its own place, and nothing else', () => {
  const places = fc.integer({ min: 1, max: 200 }).chain((leaves) => {
    return fc.tuple(fc.constant(leaves), fc.nat(leaves - 1), fc.nat(leaves), fc.nat(255));
  });
  fc.assert(
    fc.property(places, ([leaves, index, other, step]) => {
      const rows = rowsOf(leaves);
      const path = subtreesBeside(index, leaves).map(({ first, leaves: size }) =>
        treeOf(rows.slice(first, first + size)).root(),
      );
      const leaf = leafOf(`row ${index}`);
      const root = treeOf(rows).root();
      expect(rootOf(leaf, { index, leaves, path })).toBe(root);
      expect(rootOf(leafOf('row'), { index, leaves, path })).not.toBe(root);
      expect(rootOf(leaf, { index: leaves, leaves, path })).toBeUndefined();
      expect(rootOf(leaf, { index, leaves, path: [...path, root] })).not.toBe(root);
      if (other !== index) expect(rootOf(leaf, { index: other, leaves, path })).not.toBe(root);
      if (path.length === 0) return;
      const at = step % path.length;
      const changed = path.with(at, leafOf(path[at] ?? ''));
      expect(rootOf(leaf, { index, leaves, path: changed })).not.toBe(root);
      expect(rootOf(leaf, { index, leaves, path: path.toSpliced(at, 1) })).not.toBe(root);
    }),
    { seed: 51, numRuns: 300 },
  );
});
