// Keys in the order of their bytes, with the index of the last change below every prefix.
// A radix tree: what a prefix covers is one node's subtree, so that its index is a look-up and not a walk.

interface Node<Row> {
  /** What this node adds to the key of its parent; empty only at the root. */
  edge: string
  row: Row | undefined
  /** Index of the last change of any key that begins with this node's, removals included. */
  index: number
  /** In the order of the first code units of their edges, which all differ. Most nodes have none. */
  children: Node<Row>[] | undefined
}

const NO_CHILDREN: readonly never[] = []

/** Puts UTF-16 code units into the order of the UTF-8 bytes they stand for: surrogates come last. */
const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)

/** Where a walk begins: beyond a key, or beyond everything that begins with it. */
export interface WalkStart {
  readonly key: string
  readonly withSubtree: boolean
}

/**
 * Rows by key. `get`, `put`, `remove`, `prune`, `indexUnder` and the first step of a walk cost the length of
 * the key, whatever the number of keys; each further step of a walk O(1). About 100 bytes a key besides the
 * row.
 */
export class KeyTree<Row extends object> {
  #root: Node<Row> = { edge: '', row: undefined, index: 0, children: undefined }
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Index of the last change of any key; 0 when there never was one. */
  get index(): number {
    return this.#root.index
  }

  get(key: string): Row | undefined {
    return this.#cover(key, true)?.row
  }

  /** Index of the last change below a prefix; undefined when nothing is known of it. */
  indexUnder(prefix: string): number | undefined {
    return this.#cover(prefix, false)?.index
  }

  /** Whether any key begins with the prefix. */
  has(prefix: string): boolean {
    return this.walk(prefix, undefined).next().done !== true
  }

  /** Sets the row of a key and returns the one that it replaces. */
  put(key: string, row: Row, index: number): Row | undefined {
    const node = this.#place(key, index)
    const before = node.row
    node.row = row
    if (!before) this.#size++
    return before
  }

  /**
   * What `put` of its rows, each with its own index, does not make known: the prefixes whose index is another
   * one, and those that are kept for removed keys. Longer ones come before those that they begin with.
   * @param indexOf index of the last change of a row
   */
  *remembered(indexOf: (row: Row) => number): Generator<readonly [prefix: string, index: number]> {
    const begin = (node: Node<Row>, key: string) => ({
      node,
      key,
      next: 0,
      newest: node.row ? indexOf(node.row) : 0
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
      const isKept = above !== undefined && !node.row && (node.children?.length ?? 0) < 2
      if (isKept || node.index !== newest) yield [key, node.index]
    }
  }

  /** Takes back what was remembered of a prefix, when all rows are there. */
  mark(prefix: string, index: number): void {
    this.#place(prefix, 0).index = index
  }

  /** Removes the row of a key and returns it. The key's place stays, so that `indexUnder` tells of it. */
  remove(key: string, index: number): Row | undefined {
    if (!this.get(key)) return undefined
    let node = this.#root
    node.index = index
    for (let at = 0; at < key.length; at += node.edge.length) {
      const child = childAt(node, key.charCodeAt(at))
      if (!child) break
      node = child
      node.index = index
    }
    const before = node.row
    node.row = undefined
    this.#size--
    return before
  }

  /** Frees the place of a removed key that was not set again; the indexes of its prefixes stay. */
  prune(key: string): void {
    const path: Node<Row>[] = [this.#root]
    for (let at = 0; at < key.length;) {
      const child = childAt(path.at(-1), key.charCodeAt(at))
      if (!child || !key.startsWith(child.edge, at)) return
      path.push(child)
      at += child.edge.length
    }
    for (let node = path.pop(); node !== undefined; node = path.pop()) {
      const parent = path.at(-1)
      if (node.row || !parent?.children) return
      const { children = NO_CHILDREN } = node
      const [only] = children
      if (children.length > 1) return
      const position = positionOf(parent.children, node.edge.charCodeAt(0))
      if (only) parent.children[position] = { ...only, edge: node.edge + only.edge }
      else parent.children.splice(position, 1)
      if (parent.children.length === 0) parent.children = undefined
    }
  }

  /** The rows whose keys begin with the prefix, in byte order. The tree must not change during the walk. */
  *walk(prefix: string, after: WalkStart | undefined): Generator<Row> {
    if (after?.withSubtree && prefix.startsWith(after.key)) return
    const open: Node<Row>[] = []
    if (after === undefined || isBefore(after.key, prefix)) {
      const top = this.#cover(prefix, false)
      if (top) open.push(top)
    } else if (after.key.startsWith(prefix)) this.#openAfter(prefix, after, open)
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (node.row) yield node.row
      const { children = NO_CHILDREN } = node
      for (let i = children.length - 1; i >= 0; i--) {
        const child = children[i]
        if (child) open.push(child)
      }
    }
  }

  /** Puts onto `open`, the nearest last, every subtree of the prefix that lies wholly beyond `after`. */
  #openAfter(prefix: string, { key, withSubtree }: WalkStart, open: Node<Row>[]): void {
    let node: Node<Row> | undefined = this.#root
    let at = 0
    while (node) {
      const children: readonly Node<Row>[] = node.children ?? NO_CHILDREN
      if (at === key.length) {
        if (!withSubtree) for (const child of children.toReversed()) open.push(child)
        return
      }
      const position = positionOf(children, key.charCodeAt(at))
      const child: Node<Row> | undefined = children[position]
      const isOnPath = child !== undefined && child.edge.charCodeAt(0) === key.charCodeAt(at)
      // Siblings beyond the path belong to the prefix once the path has left it behind.
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

  /** The node of a key, made if need be. Its index, and those on the way, become at least `index`. */
  #place(key: string, index: number): Node<Row> {
    let node = this.#root
    node.index = Math.max(node.index, index)
    let at = 0
    while (at < key.length) {
      const children = (node.children ??= [])
      const position = positionOf(children, key.charCodeAt(at))
      let child = children[position]
      if (child === undefined || child.edge.charCodeAt(0) !== key.charCodeAt(at)) {
        child = { edge: key.slice(at), row: undefined, index, children: undefined }
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

  /** The node whose subtree is what the prefix covers; with `exact` only one whose key it is. */
  #cover(prefix: string, exact: boolean): Node<Row> | undefined {
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

/** Whether a key comes before another one in byte order. */
export const isBefore = (a: string, b: string): boolean => {
  const common = commonLength(a, b, 0)
  if (common === b.length) return false
  return common === a.length || rank(a.charCodeAt(common)) < rank(b.charCodeAt(common))
}

/** Where the child whose edge begins with this code unit is, or would be inserted. */
function positionOf<Row>(children: readonly Node<Row>[], unit: number): number {
  const wanted = rank(unit)
  let low = 0
  let high = children.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (rank(children[middle]?.edge.charCodeAt(0) ?? 0) < wanted) low = middle + 1
    else high = middle
  }
  return low
}

function childAt<Row>(node: Node<Row> | undefined, unit: number): Node<Row> | undefined {
  if (!node?.children) return undefined
  const child = node.children[positionOf(node.children, unit)]
  return child?.edge.charCodeAt(0) === unit ? child : undefined
}

/** How many code units of `edge` stand in `text` from `at` on. */
function commonLength(edge: string, text: string, at: number): number {
  const most = Math.min(edge.length, text.length - at)
  let common = 0
  while (common < most && edge.charCodeAt(common) === text.charCodeAt(at + common)) common++
  return common
}

/** The node that takes the place of `child` and holds it, after `length` code units of its edge. */
function split<Row>(child: Node<Row>, length: number): Node<Row> {
  const { edge, index } = child
  child.edge = edge.slice(length)
  return { edge: edge.slice(0, length), row: undefined, index, children: [child] }
}
