// Registration in the catalog (spec: state.md §6.2, §6.3).
import * as Type from 'typebox'
import { nodeRef } from '../../../actors/catalog/catalog.js'
import { invalid } from '../../../actors/refusal.js'
import { requireOwnDatacenter } from '../../wire/datacenter-routing.js'
import { json } from '../../wire/response.js'
import { catalogCheck, serviceInput } from './inputs.js'
import { requireDeregister, requireRegister } from './registration-permissions.js'
import type { Tenancy } from '../../../events/envelope.js'
import { nodeInput } from '../../../events/node.js'
import type { RequestContext } from '../../wire/request-context.js'
import { oneNamespace } from '../../wire/tenancy.js'
import { bodyRoute, requires, type Route } from '../../wire/route.js'
import { deregisterBody, registerBody } from '../../schemas/catalog.js'

const facts = {
  tag: 'Catalog',
  method: 'PUT',
  response: Type.Boolean()
} as const

const REGISTRATION = { schema: registerBody, name: 'Registration' }
const DEREGISTRATION = { schema: deregisterBody, name: 'Deregistration' }

/**
 * Returns the tenancy of a registration. The request, its service and its checks must name the same namespace (spec: tenancy.md §5.1).
 * @throws Refusal `invalid`
 */
const registrationTenancy = (
  request: RequestContext,
  service: string | undefined,
  checks: readonly { readonly Namespace?: string }[]
): Tenancy => {
  const { partition, namespace, isNamespaceGiven } = request.tenancy
  const given = [service, ...checks.map(check => check.Namespace)].filter(isFilled).map(oneNamespace)
  const [first, ...others] = new Set(isNamespaceGiven ? [namespace, ...given] : given)
  if (others.length > 0)
    throw invalid(
      'catalog.invalid',
      `Bad request: the namespaces of the request, Service.Namespace and Checks.Namespace are not the same: "${first}" and "${others.join('", "')}"`
    )
  return { partition, namespace: first ?? namespace }
}

const isFilled = (text: string | undefined): text is string => text !== undefined && text !== ''

export const catalogWriteRoutes: readonly Route[] = [
  bodyRoute({
    ...facts,
    access: requires('node:write', 'or service:write for services and their checks'),
    path: '/v1/catalog/register',
    operationId: 'registerNode',
    summary: 'Register a node, a service and checks at once',
    body: REGISTRATION,
    belongsTo: request => request.decode(REGISTRATION).Datacenter,
    handle: (request, given) => {
      const node = nodeInput({ ...given, Meta: given.NodeMeta ?? null })
      const checks = [...(given.Checks ?? []), ...(given.Check ? [given.Check] : [])]
      const tenancy = registrationTenancy(request, given.Service?.Namespace, checks)
      const registration = {
        node,
        skipNodeUpdate: given.SkipNodeUpdate ?? false,
        service: given.Service && serviceInput(given.Service),
        serviceNamespace: given.Service?.Namespace || undefined,
        checks: checks.map(check => ({
          input: catalogCheck(check, node.Node),
          namespace: check.Namespace || undefined
        }))
      }
      const command = request.command('Register', registration, tenancy)
      requireRegister(request, command)
      return request.write(nodeRef(tenancy.partition, node.Node), command, () => json(true))
    }
  }),
  bodyRoute({
    ...facts,
    access: requires('node:write', 'or service:write for services and their checks'),
    path: '/v1/catalog/deregister',
    operationId: 'deregisterNode',
    summary: 'Remove a service, a check, or a node with everything on it',
    body: DEREGISTRATION,
    belongsTo: request => request.decode(DEREGISTRATION).Datacenter,
    outcomes: { 404: { description: 'There is no such node' } },
    handle: (request, given) => {
      requireOwnDatacenter(request, given.Datacenter)
      const data = {
        node: given.Node ?? '',
        serviceId: given.ServiceID ?? '',
        checkId: given.CheckID ?? ''
      }
      requireDeregister(request, data)
      const command = request.command('Deregister', data)
      return request.write(nodeRef(command.tenancy.partition, data.node), command, () => json(true))
    }
  })
]
