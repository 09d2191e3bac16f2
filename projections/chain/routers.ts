// The router at the start of a chain (spec: config.md §7 step 1).
import type { ServiceRoute, ServiceRouter } from '../../events/config/routing.js'
import type { ChainRoute } from './chain.js'
import type { Draft } from './draft.js'
import { recordProtocol } from './protocols.js'
import { resolve } from './resolvers.js'
import { splitOrResolve } from './splitters.js'

const nextOf = (draft: Draft, { Destination }: ServiceRoute): string => {
  const { question, targets } = draft
  const service = Destination?.Service || question.service
  const namespace = Destination?.Namespace || question.tenancy.namespace
  const subset = Destination?.ServiceSubset ?? ''
  const target = targets.target(service, subset, namespace)
  return subset === '' ? splitOrResolve(draft, target) : resolve(draft, target).key
}

const route = (draft: Draft, { Name, Routes }: ServiceRouter): string => {
  const { targets, question, nodes } = draft
  const { namespace } = question.tenancy
  draft.advancedBy = draft.ref('service-router', Name, namespace)
  recordProtocol(draft, Name, namespace)
  const routes: ChainRoute[] = (Routes ?? []).map(Definition => ({
    Definition,
    NextNode: nextOf(draft, Definition)
  }))
  routes.push({
    Definition: {
      Match: { HTTP: { PathPrefix: '/' } },
      Destination: { Service: Name, Namespace: namespace }
    },
    NextNode: splitOrResolve(draft, targets.target(Name, '', namespace))
  })
  const key = `router:${Name}.${namespace}`
  nodes.set(key, { Type: 'router', Name: `${Name}.${namespace}`, Routes: routes })
  return key
}

/** Puts together the whole chain behind the service asked for; answers with the key of its first node. @throws CompileError */
export const start = (draft: Draft): string => {
  const { service, tenancy } = draft.question
  const router = draft.find('service-router', service, tenancy.namespace)
  if (router && !draft.isFlat) return route(draft, router)
  if (router) draft.used.protocol = true
  return splitOrResolve(draft, draft.targets.target(service, '', tenancy.namespace))
}
