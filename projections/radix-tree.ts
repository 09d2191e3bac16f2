// A radix tree over strings in the order of their UTF-8 bytes, with the index of the last change below every prefix.
// A prefix covers the subtree of one node, so that its index is a look-up and not a walk.
import { epoch } from './epoch.js'
import {
  changedFrom,
  childAt,
  commonLength,
  copyOf,
  cover,
  DETACHED,
  NO_CHILDREN,
  positionOf,
  prefixIndexesFrom,
  settled,
  split,
  walkFrom,
  type Node,
  type PrefixIndex,
  type WalkStart
} from './radix-nodes.js'

/** The keys of a tree at the time of `view`, which stay if a new epoch begins before the next change. */
export interface RadixView<Value> {
  /** The values below a prefix, in byte order of their keys. */
  walk(prefix: string, after?: WalkStart): Iterable<Value>
}

export const EMPTY_VIEW: RadixView<never> = { walk: () => [] }

/**
 * Values (never undefined) by key. All methods and the first step of a walk cost the length of the key, and a binary search in the children of each
 * node on its path; each further step of a walk O(1). `get`, `put` and `remove` begin where the path of the last key ends to match, so that keys in order
 * cost little. About 100 bytes a key besides the value. `get` and `longestPrefix` allocate nothing.
 */
export class RadixTree<Value> {
  #root: Node<Value> = { edge: '', value: undefined, index: 0, live: 0, children: undefined }
  /** The nodes from the root to the last key, as far as there are any, and the lengths of their keys. What is after `#depth` is obsolete. */
  readonly #path: Node<Value>[] = [this.#root]
  readonly #ends: number[] = [0]
  #depth = 1
  #key = ''
  /** So many nodes of the path belong to no view and have at least the index `#placedIndex`. */
  #placed = 0
  #placedIndex = 0
  /** Number of keys, which only its methods change. */
  size = 0
  #epoch = 0
  /** Nodes that have not changed after this index may be part of a view; below 0 without views. */
  #frozenIndex = -1

  /** Index of the last change of any key; 0 without one. */
  get index(): number {
    return this.#root.index
  }

  get(key: string): Value | undefined {
    const node = this.#seek(key)
    return this.#ends[this.#depth - 1] === key.length ? node.value : undefined
  }

  /** Index of the last change below a prefix; undefined if it has no node. */
  indexUnder(prefix: string): number | undefined {
    return cover(this.#root, prefix)?.index
  }

  /** Returns true if any key has the prefix. */
  has(prefix: string): boolean {
    return this.walk(prefix).next().done !== true
  }

  put(key: string, value: Value, index = 0): Value | undefined {
    const node = this.#place(key, index)
    const before = node.value
    node.value = value
    if (before === undefined) this.#count(1)
    return before
  }

  delete(key: string): Value | undefined {
    const before = this.remove(key, 0)
    if (before !== undefined) this.prune(key)
    return before
  }

  /** The value of the longest key that is a prefix of `text`. */
  longestPrefix(text: string): Value | undefined {
    let node = this.#root
    let best = node.value
    for (let at = 0; at < text.length && node.live > 0; at += node.edge.length) {
      const child = childAt(node, text.charCodeAt(at))
      if (!child || !text.startsWith(child.edge, at)) break
      node = child
      if (node.value !== undefined) best = node.value
    }
    return best
  }

  /** The values of all keys that are prefixes of `text`, shortest first. */
  prefixesOf(text: string): Value[] {
    let node = this.#root
    const values = node.value === undefined ? [] : [node.value]
    for (let at = 0; at < text.length && node.live > 0; at += node.edge.length) {
      const child = childAt(node, text.charCodeAt(at))
      if (!child || !text.startsWith(child.edge, at)) break
      node = child
      if (node.value !== undefined) values.push(node.value)
    }
    return values
  }

  /**
   * Yields the indexes that `put` of all values, each with its own index, does not restore: other indexes of prefixes, and
   * nodes of removed keys. Longer prefixes come before their own prefixes.
   * @param indexOf index of the last change of a value
   */
  prefixIndexes(indexOf: (value: Value) => number): Generator<PrefixIndex> {
    return prefixIndexesFrom(this.#root, indexOf)
  }

  /** Restores an entry of `prefixIndexes`, after all values. */
  mark(prefix: string, index: number): void {
    this.#place(prefix, 0).index = index
  }

  /** Removes the value of a key and returns it. The node stays for `indexUnder`. */
  remove(key: string, index: number): Value | undefined {
    const before = this.get(key)
    if (before === undefined) return undefined
    const node = this.#ownPath(index)
    node.value = undefined
    this.#count(-1)
    return before
  }

  /** The number of keys with a prefix. */
  sizeUnder(prefix: string): number {
    return Math.max(cover(this.#root, prefix)?.live ?? 0, 0)
  }

  /** The keys and common prefixes of keys below a prefix that have changed after an index. Cost: those, and their siblings. */
  changedAfter(prefix: string, index: number): Generator<string> {
    return changedFrom(this.#root, prefix, index)
  }

  /**
   * Removes all values below a prefix. Costs the length of the prefix: the nodes below show it only when they change, and hold the values until then.
   * @param prefix the longest one that the keys below it have in common
   * @param index not below any other
   */
  removeUnder(prefix: string, index: number): void {
    const top = this.#seek(prefix)
    if (this.#ends[this.#depth - 1] !== prefix.length || top.live <= 0) return
    const node = this.#ownPath(index)
    this.#count(-node.live)
    node.value = undefined
    if (node.children) node.live = DETACHED
    // The next change settles it, also one with the same index.
    this.#placed = this.#depth - 1
  }

  /** Frees the value of a key that `removeUnder` has removed. */
  release(key: string): void {
    this.#restart()
    this.#ownNodes(key)
  }

  /** Frees the node of a removed key; the indexes of its prefixes stay. */
  prune(key: string): void {
    this.#restart()
    const path = this.#ownNodes(key)
    if (!path) return
    for (let node = path.pop(); node !== undefined; node = path.pop()) {
      const parent = path.at(-1)
      if (node.value !== undefined || !parent?.children) return
      const { children = NO_CHILDREN } = node
      const [only] = children
      if (children.length > 1) return
      const position = positionOf(parent.children, node.edge.charCodeAt(0))
      if (only) parent.children[position] = this.#joined(node, only)
      else parent.children.splice(position, 1)
      if (parent.children.length === 0) parent.children = undefined
    }
  }

  /** The values below a prefix, in byte order of their keys. The tree must not change during the walk, unless a new epoch has begun. */
  walk(prefix: string, after?: WalkStart): Generator<Value> {
    return walkFrom(this.#root, prefix, after)
  }

  view(): RadixView<Value> {
    const root = this.#root
    // Only indexes tell what has changed since.
    return root.index === 0 ? EMPTY_VIEW : { walk: (prefix, after) => walkFrom(root, prefix, after) }
  }

  /** Returns the nodes from the root to that of a key, which belong to no view and show all removals; undefined without such a node. */
  #ownNodes(key: string): Node<Value>[] | undefined {
    let node = this.#ownRoot()
    if (node.live === DETACHED) this.#settle(node)
    const path = [node]
    for (let at = 0; at < key.length; at += node.edge.length) {
      const { children = [] }: Node<Value> = node
      const position = positionOf(children, key.charCodeAt(at))
      let child = children[position]
      if (!child || !key.startsWith(child.edge, at)) return undefined
      if (child.index <= this.#frozenIndex) children[position] = child = copyOf(child)
      if (child.live === DETACHED) this.#settle(child)
      path.push((node = child))
    }
    return path
  }

  /** Returns the only child of a node without a value as a node that replaces both. */
  #joined(node: Node<Value>, only: Node<Value>): Node<Value> {
    const joined = copyOf(only)
    if (joined.live === DETACHED) this.#settle(joined)
    joined.edge = node.edge + only.edge
    joined.index = node.index
    return joined
  }

  /** Makes the children of a detached node that belongs to no view show the removal of all values below it. */
  #settle(node: Node<Value>): void {
    const { children = [], index } = node
    for (const [at, child] of children.entries()) children[at] = settled(child, index)
    node.live = 0
  }

  /** Adds to the number of values on the path, which belongs to no view. */
  #count(by: number): void {
    this.size += by
    for (let depth = 0; depth < this.#depth; depth++) {
      const node = this.#path[depth]
      if (node) node.live += by
    }
  }

  #ownRoot(): Node<Value> {
    if (this.#epoch !== epoch.current) {
      this.#epoch = epoch.current
      // Without indexes there are no views.
      this.#frozenIndex = this.#root.index || -1
      this.#placed = 0
    }
    if (this.#root.index <= this.#frozenIndex) this.#path[0] = this.#root = copyOf(this.#root)
    return this.#root
  }

  #restart(): void {
    this.#depth = 1
    this.#placed = 0
  }

  #push(node: Node<Value>, end: number): Node<Value> {
    this.#path[this.#depth] = node
    this.#ends[this.#depth++] = end
    return node
  }

  /** Moves the path to the deepest node whose key is a prefix of a key, or to one without values below it, and returns it. */
  #seek(key: string): Node<Value> {
    const common = commonLength(this.#key, key, 0)
    while ((this.#ends[this.#depth - 1] ?? 0) > common) this.#depth--
    if (this.#placed > this.#depth) this.#placed = this.#depth
    this.#key = key
    let node = this.#path[this.#depth - 1] ?? this.#root
    for (let at = this.#ends[this.#depth - 1] ?? 0; at < key.length && node.live !== DETACHED;) {
      const child = childAt(node, key.charCodeAt(at))
      if (!child || !key.startsWith(child.edge, at)) break
      at += child.edge.length
      node = this.#push(child, at)
    }
    return node
  }

  /** Makes the tree the only owner of the path, whose indexes become at least `index`. Returns its last node. */
  #ownPath(index: number): Node<Value> {
    let node = this.#ownRoot()
    if (this.#placedIndex !== index) this.#placed = 0
    this.#placedIndex = index
    if (node.live === DETACHED) this.#settle(node)
    node.index = Math.max(node.index, index)
    for (let depth = Math.max(this.#placed, 1); depth < this.#depth; depth++) {
      const { children = [] }: Node<Value> = this.#path[depth - 1] ?? node
      let child = this.#path[depth] ?? node
      if (child.index <= this.#frozenIndex)
        children[positionOf(children, child.edge.charCodeAt(0))] = this.#path[depth] = child = copyOf(child)
      if (child.live === DETACHED) this.#settle(child)
      child.index = Math.max(child.index, index)
    }
    this.#placed = this.#depth
    return this.#path[this.#depth - 1] ?? node
  }

  /** Finds or creates the node of a key. Its index, and those on the path, become at least `index`. */
  #place(key: string, index: number): Node<Value> {
    this.#seek(key)
    let node = this.#ownPath(index)
    for (let at = this.#ends[this.#depth - 1] ?? 0; at < key.length;) {
      const children = (node.children ??= [])
      const position = positionOf(children, key.charCodeAt(at))
      let child = children[position]
      if (child === undefined || child.edge.charCodeAt(0) !== key.charCodeAt(at)) {
        child = { edge: key.slice(at), value: undefined, index, live: 0, children: undefined }
        children.splice(position, 0, child)
        at = key.length
      } else {
        const common = commonLength(child.edge, key, at)
        if (child.index <= this.#frozenIndex) child = copyOf(child)
        if (common < child.edge.length) child = split(child, common)
        if (child.live === DETACHED) this.#settle(child)
        children[position] = child
        child.index = Math.max(child.index, index)
        at += common
      }
      node = this.#push(child, at)
    }
    this.#placed = this.#depth
    return node
  }
}
