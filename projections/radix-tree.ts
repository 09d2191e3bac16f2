// A radix tree over strings in the order of their UTF-8 bytes, with the index of the last change below every prefix.
// A prefix covers the subtree of one node, so that its index is a look-up and not a walk.

interface Node<Value> {
  /** Extends the key of the parent; empty only at the root. */
  edge: string
  value: Value | undefined
  /** Index of the last change of any key below, removals included. */
  index: number
  /** Ordered by the first code units of their edges, which all differ. Most nodes have none. */
  children: Node<Value>[] | undefined
}

const NO_CHILDREN: readonly never[] = []

/** Puts UTF-16 code units into the order of their UTF-8 bytes: surrogates come last. */
const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)

/** The start of a walk: after a key, or after every key with it as prefix. */
export interface WalkStart {
  readonly key: string
  readonly withSubtree: boolean
}

/**
 * Values (never undefined) by key. All methods and the first step of a walk cost the length of the key, and a binary search in the children of each
 * node on its path; each further step of a walk O(1). About 100 bytes a key besides the value. `get` and `longestPrefix` allocate nothing.
 */
export class RadixTree<Value> {
  readonly #root: Node<Value> = { edge: '', value: undefined, index: 0, children: undefined }
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Index of the last change of any key; 0 without one. */
  get index(): number {
    return this.#root.index
  }

  get(key: string): Value | undefined {
    return this.#cover(key, true)?.value
  }

  /** Index of the last change below a prefix; undefined if it has no node. */
  indexUnder(prefix: string): number | undefined {
    return this.#cover(prefix, false)?.index
  }

  /** Returns true if any key has the prefix. */
  has(prefix: string): boolean {
    return this.walk(prefix).next().done !== true
  }

  put(key: string, value: Value, index = 0): Value | undefined {
    const node = this.#place(key, index)
    const before = node.value
    node.value = value
    if (before === undefined) this.#size++
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
    for (let at = 0; at < text.length; at += node.edge.length) {
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
    for (let at = 0; at < text.length; at += node.edge.length) {
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
  *prefixIndexes(indexOf: (value: Value) => number): Generator<readonly [prefix: string, index: number]> {
    const begin = (node: Node<Value>, key: string) => ({
      node,
      key,
      next: 0,
      newest: node.value === undefined ? 0 : indexOf(node.value)
    })
    const path = [begin(this.#root, '')]
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const { node, key, newest } = top
      const child = node.children?.[top.next++]
      if (child) {
        path.push(begin(child, key + child.edge))
        continue
      }
      path.pop()
      const above = path.at(-1)
      if (above) above.newest = Math.max(above.newest, newest)
      const isRemoved = above !== undefined && node.value === undefined && (node.children?.length ?? 0) < 2
      if (isRemoved || node.index !== newest) yield [key, node.index]
    }
  }

  /** Restores an entry of `prefixIndexes`, after all values. */
  mark(prefix: string, index: number): void {
    this.#place(prefix, 0).index = index
  }

  /** Removes the value of a key and returns it. The node stays for `indexUnder`. */
  remove(key: string, index: number): Value | undefined {
    if (this.get(key) === undefined) return undefined
    const node = this.#place(key, index)
    const before = node.value
    node.value = undefined
    this.#size--
    return before
  }

  /** Frees the node of a removed key; the indexes of its prefixes stay. */
  prune(key: string): void {
    const path: Node<Value>[] = [this.#root]
    for (let at = 0; at < key.length;) {
      const child = childAt(path.at(-1), key.charCodeAt(at))
      if (!child || !key.startsWith(child.edge, at)) return
      path.push(child)
      at += child.edge.length
    }
    for (let node = path.pop(); node !== undefined; node = path.pop()) {
      const parent = path.at(-1)
      if (node.value !== undefined || !parent?.children) return
      const { children = NO_CHILDREN } = node
      const [only] = children
      if (children.length > 1) return
      const position = positionOf(parent.children, node.edge.charCodeAt(0))
      if (only) parent.children[position] = { ...only, edge: node.edge + only.edge }
      else parent.children.splice(position, 1)
      if (parent.children.length === 0) parent.children = undefined
    }
  }

  /** The values below a prefix, in byte order of their keys. The tree must not change during the walk. */
  *walk(prefix: string, after?: WalkStart): Generator<Value> {
    if (after?.withSubtree && prefix.startsWith(after.key)) return
    const open: Node<Value>[] = []
    if (after === undefined || isBefore(after.key, prefix)) {
      const top = this.#cover(prefix, false)
      if (top) open.push(top)
    } else if (after.key.startsWith(prefix)) this.#openAfter(prefix, after, open)
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (node.value !== undefined) yield node.value
      const { children = NO_CHILDREN } = node
      for (let i = children.length - 1; i >= 0; i--) {
        const child = children[i]
        if (child) open.push(child)
      }
    }
  }

  /** Pushes every subtree of the prefix that is entirely after `after`, the nearest last. */
  #openAfter(prefix: string, { key, withSubtree }: WalkStart, open: Node<Value>[]): void {
    let node: Node<Value> | undefined = this.#root
    let at = 0
    while (node) {
      const children: readonly Node<Value>[] = node.children ?? NO_CHILDREN
      if (at === key.length) {
        if (!withSubtree) for (const child of children.toReversed()) open.push(child)
        return
      }
      const position = positionOf(children, key.charCodeAt(at))
      const child: Node<Value> | undefined = children[position]
      const isOnPath = child !== undefined && child.edge.charCodeAt(0) === key.charCodeAt(at)
      // Later siblings of the path are below the prefix once the path is.
      if (at >= prefix.length)
        for (let i = children.length - 1; i >= position + (isOnPath ? 1 : 0); i--) {
          const sibling = children[i]
          if (sibling) open.push(sibling)
        }
      if (!child || !isOnPath) return
      const common = commonLength(child.edge, key, at)
      at += common
      if (common === child.edge.length) node = child
      else {
        const ends = at === key.length
        const isBeyond = !ends && rank(child.edge.charCodeAt(common)) > rank(key.charCodeAt(at))
        if ((ends && !withSubtree) || (isBeyond && at >= prefix.length)) open.push(child)
        return
      }
    }
  }

  /** Finds or creates the node of a key. Its index, and those on the path, become at least `index`. */
  #place(key: string, index: number): Node<Value> {
    let node = this.#root
    node.index = Math.max(node.index, index)
    let at = 0
    while (at < key.length) {
      const children = (node.children ??= [])
      const position = positionOf(children, key.charCodeAt(at))
      let child = children[position]
      if (child === undefined || child.edge.charCodeAt(0) !== key.charCodeAt(at)) {
        child = { edge: key.slice(at), value: undefined, index, children: undefined }
        children.splice(position, 0, child)
      }
      const common = commonLength(child.edge, key, at)
      if (common < child.edge.length) children[position] = child = split(child, common)
      node = child
      node.index = Math.max(node.index, index)
      at += common
    }
    return node
  }

  /** The node whose subtree the prefix covers; with `exact` only the node of that key. */
  #cover(prefix: string, exact: boolean): Node<Value> | undefined {
    let node = this.#root
    let at = 0
    while (at < prefix.length) {
      const child = childAt(node, prefix.charCodeAt(at))
      if (!child) return undefined
      const left = prefix.length - at
      if (child.edge.length > left)
        return !exact && child.edge.startsWith(prefix.slice(at)) ? child : undefined
      if (!prefix.startsWith(child.edge, at)) return undefined
      node = child
      at += child.edge.length
    }
    return node
  }
}

export const isBefore = (a: string, b: string): boolean => {
  const common = commonLength(a, b, 0)
  if (common === b.length) return false
  return common === a.length || rank(a.charCodeAt(common)) < rank(b.charCodeAt(common))
}

/** The index of the child with this first code unit, or of its insertion. */
function positionOf<Value>(children: readonly Node<Value>[], unit: number): number {
  const first = rank(unit)
  let low = 0
  // Without a function per search, since every request walks a tree.
  for (let high = children.length; low < high;) {
    const middle = (low + high) >> 1
    const other = children[middle]?.edge.charCodeAt(0) ?? unit
    if (other === unit) return middle
    if (rank(other) < first) low = middle + 1
    else high = middle
  }
  return low
}

function childAt<Value>(node: Node<Value> | undefined, unit: number): Node<Value> | undefined {
  if (!node?.children) return undefined
  const { children } = node
  const child = children.length === 1 ? children[0] : children[positionOf(children, unit)]
  return child?.edge.charCodeAt(0) === unit ? child : undefined
}

/** The length of the common prefix of `edge` and the rest of `text` from `at`, in code units. */
function commonLength(edge: string, text: string, at: number): number {
  const limit = Math.min(edge.length, text.length - at)
  let common = 0
  while (common < limit && edge.charCodeAt(common) === text.charCodeAt(at + common)) common++
  return common
}

/** Creates a parent of `child` after `length` code units of its edge. */
function split<Value>(child: Node<Value>, length: number): Node<Value> {
  const { edge, index } = child
  child.edge = edge.slice(length)
  return { edge: edge.slice(0, length), value: undefined, index, children: [child] }
}
