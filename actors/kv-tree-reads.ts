// All entries below a prefix, within limits.
import type { Tenancy } from '../events/envelope.js'
import { beginEpoch } from '../projections/epoch.js'
import type { KvReader } from '../projections/kv/kv-overlay.js'
import type { KvRow } from '../projections/kv/kv-row.js'
import type { Kv } from '../projections/kv/kv.js'
import { StepPace, type Steps } from '../projections/steps.js'
import { Refusal } from './refusal.js'

/** Limits of the entries below a prefix that one decision reads, since a commit holds the last state of each deleted entry. */
const MAX_TREE = 100_000
const MAX_TREE_BYTES = 64 * 1024 * 1024

export interface TreeSize {
  readonly keys: number
  readonly bytes: number
}

interface ReadTree<Rows extends Iterable<KvRow> = Iterable<KvRow>> {
  readonly rows: Rows
  readonly size: TreeSize
}

const isTooLarge = ({ keys, bytes }: TreeSize): boolean => keys > MAX_TREE || bytes > MAX_TREE_BYTES

/** @throws Refusal `too-large` */
export const checkSize = (prefix: string, keys: number, bytes: number): void => {
  if (isTooLarge({ keys, bytes }))
    throw new Refusal(
      'kv.too-large',
      `More than ${MAX_TREE} keys or ${MAX_TREE_BYTES} bytes begin with "${prefix}": use longer prefixes, one after another`,
      'invalid'
    )
}

export interface TreeContext {
  readonly models: { readonly kv: KvReader }
  readonly tenancy: Tenancy
}

/** Returns all entries below a prefix, and their size. Cost: at most those of the limits, and the uncommitted changes. @throws Refusal `too-large` beyond the limits */
export const treeOf = ({ models: { kv }, tenancy }: TreeContext, prefix: string): ReadTree<KvRow[]> => {
  checkSize(prefix, kv.leastUnder(tenancy, prefix), 0)
  const rows: KvRow[] = []
  let bytes = 0
  for (const row of kv.walk(tenancy, prefix)) {
    rows.push(row)
    checkSize(prefix, rows.length, (bytes += row.size))
  }
  return { rows, size: { keys: rows.length, bytes } }
}

/** Returns the present entries below a prefix, which later writes do not change. Cost: the uncommitted changes, and each entry when it is read. @throws Refusal `too-large` beyond the limits */
const measuredTree = (
  { models: { kv }, tenancy }: TreeContext,
  prefix: string,
  { bytes }: TreeMeasurement
): ReadTree => {
  const keys = kv.leastUnder(tenancy, prefix)
  checkSize(prefix, keys, bytes)
  const rows = kv.walk(tenancy, prefix)
  beginEpoch()
  return { rows, size: { keys, bytes } }
}

/**
 * Returns the present entries below a prefix, and their size together with that of the trees read before. Later writes do not change them.
 * @param before size of those trees
 * @param measured measurement of the tree; without one, its entries are counted
 * @throws Refusal `too-large` if all trees together exceed the limits of one
 */
export const readTree = (
  context: TreeContext,
  prefix: string,
  before: TreeSize,
  measured?: TreeMeasurement
): ReadTree => {
  const { rows, size } = measured ? measuredTree(context, prefix, measured) : treeOf(context, prefix)
  const total = { keys: before.keys + size.keys, bytes: before.bytes + size.bytes }
  if (isTooLarge(total))
    throw new Refusal(
      'kv.too-large',
      `The trees up to "${prefix}" have more than ${MAX_TREE} keys or ${MAX_TREE_BYTES} bytes together: read them in several transactions`,
      'invalid'
    )
  return { rows, size: total }
}

/** The size of the entries below a prefix. */
export interface TreeMeasurement {
  readonly bytes: number
}

/** Measures a tree while other commands are decided, so that their changes are not part of it. */
export function* measureTree(kv: Kv, tenancy: Tenancy, prefix: string): Steps<TreeMeasurement> {
  const pace = new StepPace()
  let bytes = 0
  for (const { size } of kv.walk(tenancy, prefix)) {
    bytes += size
    if (bytes > MAX_TREE_BYTES) break
    if (pace.isOver()) yield
  }
  return { bytes }
}
