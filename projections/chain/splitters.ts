// Splitters, and splitters behind splitters (spec: config.md §7 step 2).
import type { LoadBalancer } from '../../events/config/routing.js'
import type { Tenancy } from '../../events/envelope.js'
import { tenancyNamed } from '../config/names.js'
import { spaceOf } from '../row-table.js'
import type { Draft, SplitDraft, SplitterDraft } from './compilation.js'
import type { EntryRef } from './entries.js'
import { resolve } from './resolvers.js'
import type { Target } from './targets.js'

/** Levels of splitters behind splitters; weights of hundredths are used up long before. */
const DEEPEST = 128

const isHashBased = (balancer: LoadBalancer | undefined): boolean =>
  balancer?.Policy === 'ring_hash' || balancer?.Policy === 'maglev'

/** The key of the splitter node of a service; undefined when it has no splitter. */
const split = (draft: Draft, service: string, tenancy: Tenancy, depth: number): string | undefined => {
  const Name = draft.nodeName(service, tenancy)
  const key = `splitter:${Name}`
  if (draft.nodes.has(key)) return key
  const entry = draft.find('service-splitter', service, tenancy)
  if (!entry) return undefined
  if (draft.isFlat) {
    draft.used.protocol = true
    return undefined
  }
  const ref: EntryRef = { kind: 'service-splitter', name: service, tenancy }
  if (depth > DEEPEST) throw draft.fail(`more than ${DEEPEST} splitters lie behind each other`, [ref])
  const node: SplitterDraft = { Type: 'splitter', Name, entry: ref, splits: [], loadBalancer: undefined }
  // Recorded before descending, so that circles end.
  draft.nodes.set(key, node)
  const splits: SplitDraft[] = []
  for (const one of entry.Splits) {
    const { Weight: weight, Service, ServiceSubset = '' } = one
    const to = Service || service
    const within = tenancyNamed(one, tenancy)
    const isOther = to !== service || spaceOf(within) !== spaceOf(tenancy)
    const inner = isOther && ServiceSubset === '' ? split(draft, to, within, depth + 1) : undefined
    if (inner !== undefined) {
      splits.push({ weight, next: inner })
      continue
    }
    const found = resolve(draft, draft.targets.target(to, ServiceSubset, within))
    splits.push({ weight, next: found.key })
    // One route can have one hash policy only: the first met.
    if (!node.loadBalancer && isHashBased(found.node.LoadBalancer))
      node.loadBalancer = found.node.LoadBalancer
  }
  node.splits = splits
  draft.advancedBy ??= ref
  return key
}

/** The key of the node that a target starts with: the splitter of its service, or else its resolver. @throws CompileError */
export const splitOrResolve = (draft: Draft, target: Target): string =>
  split(draft, target.service, target.tenancy, 1) ?? resolve(draft, target).key
