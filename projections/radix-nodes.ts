// The nodes of a radix tree over strings in the order of their UTF-8 bytes.

export interface Node<Value> {
  /** Extends the key of the parent; empty only at the root. */
  edge: string
  value: Value | undefined
  /** Index of the last change of any key below, removals included. */
  index: number
  /** Ordered by the first code units of their edges, which all differ. Most nodes have none. */
  children: Node<Value>[] | undefined
}

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

export const copyOf = <Value>({ edge, value, index, children }: Node<Value>): Node<Value> => ({
  edge,
  value,
  index,
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

/** Creates a parent of `child` after `length` code units of its edge. */
export function split<Value>(child: Node<Value>, length: number): Node<Value> {
  const { edge, index } = child
  child.edge = edge.slice(length)
  return { edge: edge.slice(0, length), value: undefined, index, children: [child] }
}

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

/** The node whose subtree the prefix covers. */
export function cover<Value>(root: Node<Value>, prefix: string): Node<Value> | undefined {
  let node = root
  let at = 0
  while (at < prefix.length) {
    const child = childAt(node, prefix.charCodeAt(at))
    if (!child) return undefined
    const left = prefix.length - at
    if (child.edge.length > left) return child.edge.startsWith(prefix.slice(at)) ? child : undefined
    if (!prefix.startsWith(child.edge, at)) return undefined
    node = child
    at += child.edge.length
  }
  return node
}
