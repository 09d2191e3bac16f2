import type { ServiceRoute, ServiceRouter, LoadBalancer } from '../../events/config/routing.js'
import { tenancyNamed } from '../config/names.js'
import type { ChainRoute, EntryRef } from './chain.js'
import type { Compilation, UnfinishedSplit, UnfinishedSplitter, Target } from './compilation.js'
import { recordProtocol } from './protocols.js'
import { resolve } from './resolvers.js'
import type { Tenancy } from '../../events/envelope.js'
import { spaceOf } from '../row-table.js'

/** Limit of nested splitters; weights of hundredths are used up long before. */
const MAX_DEPTH = 128

const isHashBased = (balancer: LoadBalancer | undefined): boolean =>
  balancer?.Policy === 'ring_hash' || balancer?.Policy === 'maglev'

/** The key of the splitter node of a service; undefined without a splitter. */
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
  if (depth > MAX_DEPTH)
    throw compilation.fail(`more than ${MAX_DEPTH} splitters lie behind each other`, [ref])
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
    // One route can have one hash policy only: the first one found.
    if (!node.loadBalancer && isHashBased(found.node.LoadBalancer))
      node.loadBalancer = found.node.LoadBalancer
  }
  node.splits = splits
  compilation.advancedBy ??= ref
  return key
}

/** The key of the node for a target: its service's splitter, or else its resolver. @throws CompileError */
const splitOrResolve = (compilation: Compilation, target: Target): string =>
  split(compilation, target.service, target.tenancy, 1) ?? resolve(compilation, target).key

const nextOf = (compilation: Compilation, { Destination }: ServiceRoute): string => {
  const { question, targets } = compilation
  const service = Destination?.Service || question.service
  const tenancy = tenancyNamed(Destination ?? {}, question.tenancy)
  const subset = Destination?.ServiceSubset ?? ''
  const target = targets.target(service, subset, tenancy)
  return subset === '' ? splitOrResolve(compilation, target) : resolve(compilation, target).key
}

const route = (compilation: Compilation, { Name, Routes }: ServiceRouter): string => {
  const { targets, question, nodes } = compilation
  const { tenancy } = question
  compilation.advancedBy = { kind: 'service-router', name: Name, tenancy }
  recordProtocol(compilation, Name, tenancy)
  const routes: ChainRoute[] = (Routes ?? []).map(Definition => ({
    Definition,
    NextNode: nextOf(compilation, Definition)
  }))
  routes.push({
    Definition: {
      Match: { HTTP: { PathPrefix: '/' } },
      Destination: { Service: Name, Namespace: tenancy.namespace }
    },
    NextNode: splitOrResolve(compilation, targets.target(Name, '', tenancy))
  })
  const node = compilation.nodeName(Name, tenancy)
  const key = `router:${node}`
  nodes.set(key, { Type: 'router', Name: node, Routes: routes })
  return key
}

/** Compiles the nodes of the service (spec: config.md §7 step 1) and returns the key of the first one. @throws CompileError */
export const start = (compilation: Compilation): string => {
  const { service, tenancy } = compilation.question
  const router = compilation.find('service-router', service, tenancy)
  if (router && !compilation.isFlat) return route(compilation, router)
  if (router) compilation.used.protocol = true
  return splitOrResolve(compilation, compilation.targets.target(service, '', tenancy))
}
