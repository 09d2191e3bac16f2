// The services behind a gateway (spec: state.md §6.1).
import * as Type from 'typebox'
import { invalid } from '../../../actors/refusal.js'
import { judgedNames } from '../../../projections/acl/authorizer.js'
import { catalogKeys } from '../../../projections/catalog/reader.js'
import { spaceOf } from '../../../projections/row-table.js'
import type { WatchName } from '../../../projections/watch.js'
import { respondToRead, type ReadState } from '../../wire/reads/blocking.js'
import { catalogReading } from './reading.js'
import { GATEWAY_KINDS, GatewayLinks } from './gateway-links.js'
import { gatewayHistory } from './catalog-history.js'
import type { RequestContext } from '../../wire/request-context.js'
import { anyToken, route, type Route } from '../../wire/route.js'
import { indexView, tenancyView, flag, integer, text, texts } from '../../schemas/view.js'

const named = Type.Object({ Name: Type.String(), ...tenancyView })

const gatewayService = Type.Object(
  {
    Gateway: named,
    Service: named,
    GatewayKind: Type.String({ description: 'ingress-gateway or terminating-gateway' }),
    Port: integer('Port of the listener'),
    Protocol: text('Protocol of the listener'),
    Hosts: texts('Hosts of the service at the listener'),
    CAFile: text('Of a terminating gateway'),
    CertFile: text('Of a terminating gateway'),
    KeyFile: text('Of a terminating gateway'),
    SNI: text('Of a terminating gateway'),
    FromWildcard: flag('Whether the entry names it as `*`'),
    ...indexView
  },
  {
    $id: 'GatewayService',
    examples: [
      {
        Gateway: { Name: 'front' },
        Service: { Name: 'web' },
        GatewayKind: 'ingress-gateway',
        Port: 8443,
        Protocol: 'http',
        CreateIndex: 14,
        ModifyIndex: 14
      }
    ]
  }
)

const read = (request: RequestContext, gateway: string): ReadState => {
  const { tenancy } = request
  const { config, catalog } = request.views
  const links = new GatewayLinks(request.views, request.settings.datacenter)
  const entries = GATEWAY_KINDS.flatMap(kind => config.row(kind, gateway, tenancy) ?? [])
  for (const name of judgedNames(gateway, ...entries.map(entry => entry.name)))
    request.require('service', 'read', name)
  const all = entries.flatMap(entry => links.behind(entry))
  const seen = all.filter(link => request.may('service', 'read', link.name, link.tenancy))
  const body = JSON.stringify(seen.map(({ shown }) => shown))
  const isShortened = seen.length < all.length
  const watch = GATEWAY_KINDS.map((kind): WatchName => `config/${kind}/${spaceOf(tenancy)}`)
  const whole = entries.flatMap(entry => links.namedWhole(entry))
  if (whole.length === 0)
    return catalogReading(request, body, config.indexOf(tenancy), watch, { isShortened })
  // Wildcards depend on the catalog and on the protocols in the configuration.
  const index = Math.max(
    ...[tenancy, ...links.decidedBy].map(space => config.indexOf(space)),
    ...whole.map(space => catalog.space(space).servicesIndex)
  )
  const further: WatchName[] = ['config', ...whole.map(space => catalogKeys.services(space))]
  return { ...catalogReading(request, body, index, further, { isShortened }), isComparedByBody: true }
}

export const gatewayServiceRoutes: readonly Route[] = [
  route({
    tag: 'Catalog',
    method: 'GET',
    access: anyToken('service:read on the gateway; services without service:read are left out'),
    blocking: true,
    consistency: 'all',
    path: '/v1/catalog/gateway-services/*gateway',
    operationId: 'listGatewayServices',
    summary: 'The services that the configuration binds to a gateway',
    past: gatewayHistory,
    response: Type.Array(gatewayService),
    handle: request => {
      const gateway = request.param('gateway')
      if (gateway === '') throw invalid('catalog.invalid', 'Missing gateway name')
      return respondToRead(request, () => read(request, gateway))
    }
  })
]
