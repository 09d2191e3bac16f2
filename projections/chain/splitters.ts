// Splitters, and splitters behind splitters (spec: config.md §7 step 2).
import type { LoadBalancer } from '../../events/config/routing.js'
import type { Draft, SplitDraft, SplitterDraft } from './draft.js'
import { resolve } from './resolvers.js'
import type { Target } from './targets.js'

/** Levels of splitters behind splitters; weights of hundredths are used up long before. */
const DEEPEST = 128

const isHashBased = (balancer: LoadBalancer | undefined): boolean =>
  balancer?.Policy === 'ring_hash' || balancer?.Policy === 'maglev'

/** The key of the splitter node of a service; undefined when it has no splitter. */
const split = (draft: Draft, service: string, namespace: string, depth: number): string | undefined => {
  const Name = `${service}.${namespace}`
  const key = `splitter:${Name}`
  if (draft.nodes.has(key)) return key
  const entry = draft.find('service-splitter', service, namespace)
  if (!entry) return undefined
  if (draft.isFlat) {
    draft.used.protocol = true
    return undefined
  }
  const ref = draft.ref('service-splitter', service, namespace)
  if (depth > DEEPEST) throw draft.fail(`more than ${DEEPEST} splitters lie behind each other`, [ref])
  const node: SplitterDraft = { Type: 'splitter', Name, entry: ref, splits: [], loadBalancer: undefined }
  // Recorded before descending, so that circles end.
  draft.nodes.set(key, node)
  const splits: SplitDraft[] = []
  for (const { Weight: weight, Service, ServiceSubset = '', Namespace } of entry.Splits) {
    const to = Service || service
    const within = Namespace || namespace
    const isOther = to !== service || within !== namespace
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
  split(draft, target.service, target.namespace, 1) ?? resolve(draft, target).key
