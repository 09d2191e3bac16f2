// The router at the start of a chain (spec: config.md §7 step 1).
import type { ServiceRoute, ServiceRouter } from '../../events/config/routing.js'
import { tenancyNamed } from '../config/names.js'
import type { ChainRoute } from './chain.js'
import type { Draft } from './compilation.js'
import { recordProtocol } from './protocols.js'
import { resolve } from './resolvers.js'
import { splitOrResolve } from './splitters.js'

const nextOf = (draft: Draft, { Destination }: ServiceRoute): string => {
  const { question, targets } = draft
  const service = Destination?.Service || question.service
  const tenancy = tenancyNamed(Destination ?? {}, question.tenancy)
  const subset = Destination?.ServiceSubset ?? ''
  const target = targets.target(service, subset, tenancy)
  return subset === '' ? splitOrResolve(draft, target) : resolve(draft, target).key
}

const route = (draft: Draft, { Name, Routes }: ServiceRouter): string => {
  const { targets, question, nodes } = draft
  const { tenancy } = question
  draft.advancedBy = { kind: 'service-router', name: Name, tenancy }
  recordProtocol(draft, Name, tenancy)
  const routes: ChainRoute[] = (Routes ?? []).map(Definition => ({
    Definition,
    NextNode: nextOf(draft, Definition)
  }))
  routes.push({
    Definition: {
      Match: { HTTP: { PathPrefix: '/' } },
      Destination: { Service: Name, Namespace: tenancy.namespace }
    },
    NextNode: splitOrResolve(draft, targets.target(Name, '', tenancy))
  })
  const node = draft.nodeName(Name, tenancy)
  const key = `router:${node}`
  nodes.set(key, { Type: 'router', Name: node, Routes: routes })
  return key
}

/** Puts together the whole chain behind the service asked for; answers with the key of its first node. @throws CompileError */
export const start = (draft: Draft): string => {
  const { service, tenancy } = draft.question
  const router = draft.find('service-router', service, tenancy)
  if (router && !draft.isFlat) return route(draft, router)
  if (router) draft.used.protocol = true
  return splitOrResolve(draft, draft.targets.target(service, '', tenancy))
}
