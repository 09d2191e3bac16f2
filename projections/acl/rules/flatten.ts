// JSON rules as blocks: objects that hold only objects become labels (spec: acl.md §13.3).
import type { Document, Item, Value } from './tree.js'

const isObject = ({ type }: Value): boolean => type === 'object'

/** An item as the items that print it: one for each innermost object, with the names on the way to it as keys. */
const flattened = (item: Item): readonly Item[] => {
  const { value } = item
  if (value.type === 'list' && value.elements.length > 0 && value.elements.every(isObject))
    return value.elements.flatMap(element => flattened({ ...item, value: element }))
  if (value.type !== 'object' || value.items.length === 0) return [{ ...item, value: inside(value) }]
  if (!value.items.every(inner => isObject(inner.value))) return [{ ...item, value: inside(value) }]
  return value.items.flatMap(inner =>
    flattened({ ...item, keys: [...item.keys, ...inner.keys], value: inner.value })
  )
}

const inside = (value: Value): Value => {
  if (value.type === 'object') return { ...value, items: value.items.flatMap(flattened) }
  return value.type === 'list' ? { ...value, elements: value.elements.map(inside) } : value
}

/** A text in JSON as blocks. Linear in the tree times the depth of its nesting. */
export const asBlocks = (document: Document): Document =>
  document.notation === 'hcl' ? document : { ...document, items: document.items.flatMap(flattened) }
