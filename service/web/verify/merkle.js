/** The Merkle tree of a log (RFC 6962, section 2.1). */
const MERKLE = (() => {
  'use strict';

  const [LEAF, NODE] = [Uint8Array.of(0), Uint8Array.of(1)];

  const leafHash = (leaf) => SHA.sha256(BYTES.concat(LEAF, leaf));
  /** The hash of a leaf: of its bytes, or that by which it is given. */
  const hashOf = ({ bytes, hash }) => hash ?? leafHash(bytes);
  const nodeHash = (left, right) => SHA.sha256(BYTES.concat(NODE, left, right));

  /** A tree that grows, held as the roots of its full subtrees, the largest first. */
  class Tree {
    constructor() {
      this.size = 0;
      this.peaks = [];
    }

    /** Takes in the next leaf: as many pairs of equal subtrees close as there are twos in the
     * size. */
    add(leaf) {
      this.peaks.push(hashOf(leaf));
      this.size += 1;
      for (let rest = this.size; rest % 2 === 0; rest /= 2) {
        const right = this.peaks.pop();
        this.peaks.push(nodeHash(this.peaks.pop(), right));
      }
    }

    /** The Merkle Tree Hash of all leaves so far. */
    root() {
      return this.size === 0
        ? SHA.sha256(new Uint8Array())
        : this.peaks.reduceRight((right, left) => nodeHash(left, right));
    }
  }

  /** The roots of the trees of the first so many leaves; the sizes ascend. */
  const roots = (leaves, sizes) => {
    const tree = new Tree();
    return sizes.map((size) => {
      while (tree.size < size) {
        tree.add(leaves[tree.size]);
      }
      return tree.root();
    });
  };

  return { leafHash, hashOf, roots };
})();
