// The router at the start of a chain (spec: config.md §7 step 1).
import type { ServiceRoute, ServiceRouter } from '../../events/config/routing.js'
import { tenancyNamed } from '../config/names.js'
import type { ChainRoute } from './chain.js'
import type { Compilation } from './compilation.js'
import { recordProtocol } from './protocols.js'
import { resolve } from './resolvers.js'
import { splitOrResolve } from './splitters.js'

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

/**
 * Makes the chain of the service asked for and answers with the key of its first node. @throws CompileError
 */
export const start = (compilation: Compilation): string => {
  const { service, tenancy } = compilation.question
  const router = compilation.find('service-router', service, tenancy)
  if (router && !compilation.isFlat) return route(compilation, router)
  if (router) compilation.used.protocol = true
  return splitOrResolve(compilation, compilation.targets.target(service, '', tenancy))
}
