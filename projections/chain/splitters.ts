// Splitters, and splitters behind splitters (spec: config.md §7 step 2).
import type { LoadBalancer } from '../../events/config/routing.js'
import type { Tenancy } from '../../events/envelope.js'
import { tenancyNamed } from '../config/names.js'
import { spaceOf } from '../row-table.js'
import type { Compilation, UnfinishedSplit, UnfinishedSplitter } from './compilation.js'
import type { EntryRef } from './entries.js'
import { resolve } from './resolvers.js'
import type { Target } from './targets.js'

/** Levels of splitters behind splitters; weights of hundredths are used up long before. */
const DEEPEST = 128

const isHashBased = (balancer: LoadBalancer | undefined): boolean =>
  balancer?.Policy === 'ring_hash' || balancer?.Policy === 'maglev'

/** The key of the splitter node of a service; undefined when it has no splitter. */
const split = (
  compilation: Compilation,
  service: string,
  tenancy: Tenancy,
  depth: number
): string | undefined => {
  const Name = compilation.nodeName(service, tenancy)
  const key = `splitter:${Name}`
  if (compilation.nodes.has(key)) return key
  const entry = compilation.find('service-splitter', service, tenancy)
  if (!entry) return undefined
  if (compilation.isFlat) {
    compilation.used.protocol = true
    return undefined
  }
  const ref: EntryRef = { kind: 'service-splitter', name: service, tenancy }
  if (depth > DEEPEST) throw compilation.fail(`more than ${DEEPEST} splitters lie behind each other`, [ref])
  const node: UnfinishedSplitter = { Type: 'splitter', Name, entry: ref, splits: [], loadBalancer: undefined }
  // Recorded before descending, so that circles end.
  compilation.nodes.set(key, node)
  const splits: UnfinishedSplit[] = []
  for (const one of entry.Splits) {
    const { Weight: weight, Service, ServiceSubset = '' } = one
    const to = Service || service
    const within = tenancyNamed(one, tenancy)
    const isOther = to !== service || spaceOf(within) !== spaceOf(tenancy)
    const inner = isOther && ServiceSubset === '' ? split(compilation, to, within, depth + 1) : undefined
    if (inner !== undefined) {
      splits.push({ weight, next: inner })
      continue
    }
    const found = resolve(compilation, compilation.targets.target(to, ServiceSubset, within))
    splits.push({ weight, next: found.key })
    // One route can have one hash policy only: the first met.
    if (!node.loadBalancer && isHashBased(found.node.LoadBalancer))
      node.loadBalancer = found.node.LoadBalancer
  }
  node.splits = splits
  compilation.advancedBy ??= ref
  return key
}

/** The key of the node for a target: its service's splitter, or else its resolver. @throws CompileError */
export const splitOrResolve = (compilation: Compilation, target: Target): string =>
  split(compilation, target.service, target.tenancy, 1) ?? resolve(compilation, target).key
