// Registration in the catalog (spec: state.md §6.2, §6.3).
import * as Type from 'typebox'
import { catalogAggregate } from '../../actors/catalog/aggregate.js'
import { invalid } from '../../actors/refusal.js'
import { json } from '../answer.js'
import { checkDraft, serviceDraft, textsOf } from '../catalog-drafts.js'
import { requireDeregister, requireRegister } from '../catalog-rights.js'
import { bodyRoute, needs, type Route } from '../route.js'
import { deregisterBody, registerBody } from '../schemas/catalog.js'

const facts = {
  tag: 'Catalog',
  method: 'PUT',
  blocking: false,
  consistency: 'none',
  caching: 'none',
  response: Type.Boolean()
} as const

export const catalogWriteRoutes: readonly Route[] = [
  bodyRoute({
    ...facts,
    access: needs('node:write', 'or service:write for services and their checks'),
    path: '/v1/catalog/register',
    summary: 'Register a node, a service and checks at once',
    body: { schema: registerBody, name: 'Registration' },
    handle: (request, given) => {
      const node = {
        ID: given.ID ?? '',
        Node: given.Node ?? '',
        Address: given.Address ?? '',
        Datacenter: given.Datacenter ?? '',
        TaggedAddresses: textsOf(given.TaggedAddresses),
        Meta: textsOf(given.NodeMeta)
      }
      const checks = [...(given.Checks ?? []), ...(given.Check ? [given.Check] : [])]
      const command = request.command('Register', {
        node,
        skipNodeUpdate: given.SkipNodeUpdate ?? false,
        service: given.Service && serviceDraft(given.Service),
        serviceNamespace: given.Service?.Namespace || undefined,
        checks: checks.map(check => ({
          draft: checkDraft(check, node.Node),
          namespace: check.Namespace || undefined
        }))
      })
      requireRegister(request, command)
      return request.write(catalogAggregate, command, () => json(true))
    }
  }),
  bodyRoute({
    ...facts,
    access: needs('node:write', 'or service:write for services and their checks'),
    path: '/v1/catalog/deregister',
    summary: 'Remove a service, a check, or a node with everything on it',
    body: { schema: deregisterBody, name: 'Deregistration' },
    handle: (request, given) => {
      const { settings } = request.app
      if (given.Datacenter && given.Datacenter !== settings.datacenter)
        throw invalid(`No path to datacenter: field "Datacenter" is "${given.Datacenter}"`)
      const data = {
        node: given.Node ?? '',
        serviceId: given.ServiceID ?? '',
        checkId: given.CheckID ?? ''
      }
      requireDeregister(request, data)
      return request.write(catalogAggregate, request.command('Deregister', data), () => json(true))
    }
  })
]
