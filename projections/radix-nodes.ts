// The nodes of a radix tree over strings in the order of their UTF-8 bytes.

export interface Node<Value> {
  /** Extends the key of the parent; empty only at the root. */
  edge: string
  value: Value | undefined
  /** Index of the last change of any key below, removals included. */
  index: number
  /** Number of values, its own included, or `DETACHED`. */
  live: number
  /** Ordered by the first code units of their edges, which all differ. Most nodes have none. */
  children: Node<Value>[] | undefined
}

/** Instead of a number of values: all were removed together by the change `index`, which the nodes below do not show yet. */
export const DETACHED = -1

export const NO_CHILDREN: readonly never[] = []

/** Puts UTF-16 code units into the order of their UTF-8 bytes: surrogates come last. */
const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)

/** The start of a walk: after a key, or after every key with it as prefix. */
export interface WalkStart {
  readonly key: string
  readonly withSubtree: boolean
}

export const isBefore = (a: string, b: string): boolean => {
  const common = commonLength(a, b, 0)
  if (common === b.length) return false
  return common === a.length || rank(a.charCodeAt(common)) < rank(b.charCodeAt(common))
}

export const copyOf = <Value>({ edge, value, index, live, children }: Node<Value>): Node<Value> => ({
  edge,
  value,
  index,
  live,
  children: children?.slice()
})

/** The index of the child with this first code unit, or of its insertion. */
export function positionOf<Value>(children: readonly Node<Value>[], unit: number): number {
  const first = unit < 0xd800 ? unit : rank(unit)
  let low = 0
  // Without a function per search, since every request walks a tree.
  for (let high = children.length; low < high;) {
    const middle = (low + high) >> 1
    const other = children[middle]?.edge.charCodeAt(0) ?? unit
    if (other === unit) return middle
    if ((other < 0xd800 ? other : rank(other)) < first) low = middle + 1
    else high = middle
  }
  return low
}

export function childAt<Value>(node: Node<Value> | undefined, unit: number): Node<Value> | undefined {
  if (!node?.children) return undefined
  const { children } = node
  const child = children.length === 1 ? children[0] : children[positionOf(children, unit)]
  return child?.edge.charCodeAt(0) === unit ? child : undefined
}

/** The length of the common prefix of `edge` and the rest of `text` from `at`, in code units. */
export function commonLength(edge: string, text: string, at: number): number {
  const limit = Math.min(edge.length, text.length - at)
  let common = 0
  while (common < limit && edge.charCodeAt(common) === text.charCodeAt(at + common)) common++
  return common
}

/** Returns the longest text with which all texts begin; empty without any. */
export function commonPrefix(texts: readonly string[]): string {
  let [common = ''] = texts
  for (const text of texts)
    if (!text.startsWith(common)) common = common.slice(0, commonLength(common, text, 0))
  return common
}

/** Creates a parent of `child` after `length` code units of its edge. */
export function split<Value>(child: Node<Value>, length: number): Node<Value> {
  const { edge, index } = child
  child.edge = edge.slice(length)
  return {
    edge: edge.slice(0, length),
    value: undefined,
    index,
    live: Math.max(child.live, 0),
    children: [child]
  }
}

/** Returns a node as it is after the removal of all values above it by the change `removal`; 0 without one. */
export function settled<Value>(node: Node<Value>, removal: number): Node<Value> {
  // A node without values was not affected.
  if (removal === 0 || node.live <= 0) return node
  const live = node.children ? DETACHED : 0
  return { edge: node.edge, value: undefined, index: removal, live, children: node.children?.slice() }
}

/** The change that removed all values below a node, if its children do not show it; otherwise 0. */
const removalBelow = <Value>({ live, index }: Node<Value>): number => (live === DETACHED ? index : 0)

export function* walkFrom<Value>(
  root: Node<Value>,
  prefix: string,
  after: WalkStart | undefined
): Generator<Value> {
  if (after?.withSubtree && prefix.startsWith(after.key)) return
  const open: Node<Value>[] = []
  if (after === undefined || isBefore(after.key, prefix)) {
    const top = cover(root, prefix)
    if (top) open.push(top)
  } else if (after.key.startsWith(prefix)) openAfter(root, prefix, after, open)
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.live <= 0) continue
    if (node.value !== undefined) yield node.value
    const { children = NO_CHILDREN } = node
    for (let i = children.length - 1; i >= 0; i--) {
      const child = children[i]
      if (child) open.push(child)
    }
  }
}

/** Pushes every subtree of the prefix that is entirely after `after`, the nearest last. */
function openAfter<Value>(
  root: Node<Value>,
  prefix: string,
  { key, withSubtree }: WalkStart,
  open: Node<Value>[]
): void {
  let node: Node<Value> | undefined = root
  let at = 0
  while (node && node.live > 0) {
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

/** The node whose subtree the prefix covers. */
export function cover<Value>(root: Node<Value>, prefix: string): Node<Value> | undefined {
  let node = root
  let at = 0
  while (at < prefix.length) {
    const found = childAt(node, prefix.charCodeAt(at))
    if (!found) return undefined
    const child = settled(found, removalBelow(node))
    const left = prefix.length - at
    if (child.edge.length > left) return child.edge.startsWith(prefix.slice(at)) ? child : undefined
    if (!prefix.startsWith(child.edge, at)) return undefined
    node = child
    at += child.edge.length
  }
  return node
}

/** The index of the last change below a prefix. */
export type PrefixIndex = readonly [prefix: string, index: number]

/** See `RadixTree.prefixIndexes`. */
export function* prefixIndexesFrom<Value>(
  root: Node<Value>,
  indexOf: (value: Value) => number
): Generator<PrefixIndex> {
  const begin = (node: Node<Value>, key: string) => ({
    node,
    key,
    next: 0,
    newest: node.value === undefined ? 0 : indexOf(node.value)
  })
  const path = [begin(root, '')]
  for (let top = path.at(-1); top; top = path.at(-1)) {
    const { node, key, newest } = top
    const child = node.children?.[top.next++]
    if (child) {
      path.push(begin(settled(child, removalBelow(node)), key + child.edge))
      continue
    }
    path.pop()
    const above = path.at(-1)
    if (above) above.newest = Math.max(above.newest, newest)
    const isRemoved = above !== undefined && node.value === undefined && (node.children?.length ?? 0) < 2
    if (isRemoved || node.index !== newest) yield [key, node.index]
  }
}

/** See `RadixTree.changedAfter`. */
export function* changedFrom<Value>(root: Node<Value>, prefix: string, index: number): Generator<string> {
  const open = [{ node: root, key: '' }]
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    const { node, key } = top
    if (key.startsWith(prefix)) yield key
    else if (!prefix.startsWith(key)) continue
    for (const found of node.children ?? NO_CHILDREN) {
      const child = settled(found, removalBelow(node))
      if (child.index > index) open.push({ node: child, key: key + child.edge })
    }
  }
}
