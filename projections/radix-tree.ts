// A radix tree over strings: look-ups by longest prefix and walks over everything below a prefix.
import { lowerBound } from './sorted-search.js'

interface Node<V> {
  /** What this node adds to the key of its parent; empty only at the root. */
  edge: string
  value: V | undefined
  /** Sorted by the first code unit of their edges, which all differ. */
  children: Node<V>[]
}

const leaf = <V>(edge: string, value: V | undefined): Node<V> => ({ edge, value, children: [] })

/**
 * Keys to values (never undefined), in the order of their UTF-16 code units. `insert`, `get`, `delete` and
 * `longestPrefix` cost the length of the key and do not depend on the number of keys (but for a binary search
 * among at most 65,536 children of a node); the last three allocate nothing.
 */
export class RadixTree<V> {
  readonly #root: Node<V> = leaf<V>('', undefined)
  #size = 0

  /** The number of keys. */
  get size(): number {
    return this.#size
  }

  /** Sets the value of a key and returns the one that it replaces. */
  insert(key: string, value: V): V | undefined {
    let node = this.#root
    let at = 0
    while (at < key.length) {
      const position = positionOf(node.children, key.charCodeAt(at))
      const child = node.children[position]
      if (child === undefined || child.edge.charCodeAt(0) !== key.charCodeAt(at)) {
        node.children.splice(position, 0, leaf(key.slice(at), value))
        this.#size++
        return undefined
      }
      const common = commonLength(child.edge, key, at)
      node = common === child.edge.length ? child : split(node, position, child, common)
      at += common
    }
    const before = node.value
    node.value = value
    if (before === undefined) this.#size++
    return before
  }

  get(key: string): V | undefined {
    let node = this.#root
    let at = 0
    while (at < key.length) {
      const child = childAt(node, key, at)
      if (child === undefined || !key.startsWith(child.edge, at)) return undefined
      node = child
      at += child.edge.length
    }
    return node.value
  }

  /** Removes a key and returns its value. */
  delete(key: string): V | undefined {
    const before = remove(this.#root, key, 0)
    if (before !== undefined) this.#size--
    return before
  }

  /** The value of the longest key that `text` begins with. */
  longestPrefix(text: string): V | undefined {
    let node = this.#root
    let best = node.value
    let at = 0
    while (at < text.length) {
      const child = childAt(node, text, at)
      if (child === undefined || !text.startsWith(child.edge, at)) return best
      node = child
      at += child.edge.length
      if (node.value !== undefined) best = node.value
    }
    return best
  }

  /** The values of all keys that `text` begins with, the shortest first. Cost: the length of the text. */
  prefixesOf(text: string): V[] {
    let node = this.#root
    const values: V[] = []
    if (node.value !== undefined) values.push(node.value)
    let at = 0
    while (at < text.length) {
      const child = childAt(node, text, at)
      if (child === undefined || !text.startsWith(child.edge, at)) break
      node = child
      at += child.edge.length
      if (node.value !== undefined) values.push(node.value)
    }
    return values
  }

  /** All keys that begin with `prefix`, with their values, in order. Not to be changed during the walk. */
  *walkPrefix(prefix: string): Generator<[key: string, value: V]> {
    let node = this.#root
    let at = 0
    while (at < prefix.length) {
      const child = childAt(node, prefix, at)
      if (
        child === undefined ||
        commonLength(child.edge, prefix, at) < Math.min(child.edge.length, prefix.length - at)
      )
        return
      if (child.edge.length >= prefix.length - at) {
        yield* walk(child, prefix.slice(0, at) + child.edge)
        return
      }
      node = child
      at += child.edge.length
    }
    yield* walk(node, prefix)
  }
}

function* walk<V>(top: Node<V>, key: string): Generator<[string, V]> {
  const open = [{ node: top, key }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.node.value !== undefined) yield [next.key, next.node.value]
    for (const child of next.node.children.toReversed())
      open.push({ node: child, key: next.key + child.edge })
  }
}

/** Where the child whose edge begins with `code` is, or would be inserted. */
function positionOf<V>(children: readonly Node<V>[], code: number): number {
  return lowerBound(children.length, i => (children[i]?.edge.charCodeAt(0) ?? 0) < code)
}

function childAt<V>(node: Node<V>, text: string, at: number): Node<V> | undefined {
  const child = node.children[positionOf(node.children, text.charCodeAt(at))]
  return child !== undefined && child.edge.charCodeAt(0) === text.charCodeAt(at) ? child : undefined
}

/** How many characters of `edge` stand in `text` from `at` on. */
function commonLength(edge: string, text: string, at: number): number {
  const most = Math.min(edge.length, text.length - at)
  let common = 0
  while (common < most && edge.charCodeAt(common) === text.charCodeAt(at + common)) common++
  return common
}

/** Puts a node without value between `parent` and `child`, after `length` characters of the child's edge. */
function split<V>(parent: Node<V>, position: number, child: Node<V>, length: number): Node<V> {
  const between = leaf<V>(child.edge.slice(0, length), undefined)
  child.edge = child.edge.slice(length)
  between.children.push(child)
  parent.children[position] = between
  return between
}

function remove<V>(root: Node<V>, key: string, from: number): V | undefined {
  let parent: Node<V> | undefined
  let node = root
  let at = from
  while (at < key.length) {
    const child = childAt(node, key, at)
    if (child === undefined || !key.startsWith(child.edge, at)) return undefined
    parent = node
    node = child
    at += child.edge.length
  }
  const before = node.value
  node.value = undefined
  if (parent !== undefined && node.children.length === 0)
    parent.children.splice(positionOf(parent.children, node.edge.charCodeAt(0)), 1)
  if (node !== root) mergeWithOnlyChild(node)
  if (parent !== undefined && parent !== root) mergeWithOnlyChild(parent)
  return before
}

/** Restores the rule that a node without value has at least two children. */
function mergeWithOnlyChild<V>(node: Node<V>): void {
  const [child] = node.children
  if (node.value !== undefined || child === undefined || node.children.length > 1) return
  node.edge += child.edge
  node.value = child.value
  node.children = child.children
}
