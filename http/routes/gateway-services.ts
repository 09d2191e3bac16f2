// The services that are reached through a gateway (spec: state.md §6.1).
import * as Type from 'typebox'
import { invalid } from '../../actors/refusal.js'
import type { Tenancy } from '../../events/envelope.js'
import type { ConfigEntries } from '../../projections/config/entries.js'
import { shownTenancy } from '../../projections/shown-tenancy.js'
import { answerRead } from '../blocking.js'
import { catalogReading } from '../catalog-read.js'
import { anyToken, route, type Route } from '../route.js'

const INGRESS = 'ingress-gateway'
const TERMINATING = 'terminating-gateway'

interface Linked {
  readonly name: string
  readonly tenancy: Tenancy
  readonly shown: object
}

const within = ({ partition, namespace }: Tenancy, given: string | undefined): Tenancy => ({
  partition,
  namespace: given ?? namespace
})

/** What the configuration binds to a gateway of this name, in the order of its entry. */
const linkedTo = (config: ConfigEntries, gateway: string, tenancy: Tenancy): readonly Linked[] => {
  const Gateway = { Name: gateway, ...shownTenancy(tenancy) }
  const ingress = config.get(INGRESS, gateway, tenancy)
  const exposed = (ingress?.Listeners ?? []).flatMap(({ Port, Protocol, Services }) =>
    (Services ?? []).map(({ Name, Namespace, Hosts }) => {
      const home = within(tenancy, Namespace)
      const Service = { Name, ...shownTenancy(home) }
      const hosts = Hosts && Hosts.length > 0 ? { Hosts } : {}
      return {
        name: Name,
        tenancy: home,
        shown: { Gateway, Service, GatewayKind: INGRESS, Port, Protocol, ...hosts }
      }
    })
  )
  const terminating = config.get(TERMINATING, gateway, tenancy)
  const linked = (terminating?.Services ?? []).map(({ Name = '', Namespace, ...files }) => {
    const home = within(tenancy, Namespace)
    const Service = { Name, ...shownTenancy(home) }
    return { name: Name, tenancy: home, shown: { Gateway, Service, GatewayKind: TERMINATING, ...files } }
  })
  return [...exposed, ...linked]
}

export const gatewayServiceRoutes: readonly Route[] = [
  route({
    tag: 'Catalog',
    method: 'GET',
    access: anyToken('service:read on the gateway; services without service:read are left out'),
    blocking: true,
    consistency: 'all',
    caching: 'none',
    path: '/v1/catalog/gateway-services/:gateway',
    aliases: ['/v1/catalog/gateway-services/'],
    summary: 'The services that the configuration binds to a gateway',
    response: Type.Array(Type.Object({}, { additionalProperties: true })),
    handle: request => {
      const gateway = request.param('gateway')
      if (gateway === '') throw invalid('Missing gateway name')
      return answerRead(request, () => {
        const { config } = request.app.views
        request.require('service', 'read', gateway)
        const all = linkedTo(config, gateway, request.tenancy)
        const seen = all.filter(({ name, tenancy }) => request.may('service', 'read', name, tenancy))
        const body = JSON.stringify(seen.map(({ shown }) => shown))
        const watch = [`config/${INGRESS}`, `config/${TERMINATING}`]
        return catalogReading(request, body, config.index, watch, { isShortened: seen.length < all.length })
      })
    }
  })
]
