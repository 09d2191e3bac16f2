// Namespaces (spec: tenancy.md §2, §3).
import { refusedWith, empty, jsonText, type RouteResponse } from '../../wire/response.js'
import { namespaceRef } from '../../../actors/namespace.js'
import type { Tenancy } from '../../../events/envelope.js'
import type { WatchKey } from '../../../projections/watch.js'
import { crudRoutes, requireSame } from '../crud.js'
import { respondToRead, reading } from '../../wire/reads/blocking.js'
import { readableRows } from '../../wire/reads/page.js'
import { linkNames } from '../acl/acl-history.js'
import { historyOfResource, historyOfList, clusterResource } from '../../wire/history-declaration.js'
import type { RequestContext } from '../../wire/request-context.js'
import { anyToken, requires, inputsOf } from '../../wire/route.js'
import type { ResourceKey } from '../../../events/log/log.js'
import { NAMESPACE_TOPIC, namespaceDefinition } from '../../../events/namespace.js'
import { POLICY_TOPIC } from '../../../events/policy.js'
import { ROLE_TOPIC } from '../../../events/role.js'
import type { RequestBodyOf } from '../../../events/definition/types.js'

const facts = { tag: 'Namespaces', tenancy: 'partition' } as const
const seeing = 'or any right inside the namespace, or read on the namespace itself'
const read = { ...facts, blocking: true, consistency: 'all' } as const
const write = {
  ...facts,
  access: requires(
    'operator:write',
    'or write on the namespace itself; acl:write in addition to link defaults'
  )
} as const
type NamespaceBody = RequestBodyOf<typeof namespaceDefinition.fields>
const inputOf = inputsOf(namespaceDefinition)

/** The namespace of this name in the request's partition. */
const called = (request: RequestContext, name: string): Tenancy => ({
  partition: request.tenancy.partition,
  namespace: name.toLowerCase()
})

const namespaceKeyOf = (request: RequestContext): ResourceKey => {
  const { partition, namespace } = called(request, request.param('name'))
  return clusterResource(NAMESPACE_TOPIC, namespace, partition)
}

const may = (request: RequestContext, access: 'read' | 'write', tenancy: Tenancy): boolean =>
  request.usage.credited.mayNamespace(access, tenancy)

const set = (request: RequestContext, given: NamespaceBody, tenancy: Tenancy): RouteResponse => {
  const { views } = request
  const command = request.command(
    'SetNamespace',
    { ...inputOf(given), newPolicyId: request.newId() },
    tenancy
  )
  return request.write(namespaceRef(tenancy), command, () =>
    jsonText(views.namespaces.get(tenancy)?.json(views) ?? 'null')
  )
}

/** Writing a namespace, and linking defaults, which gives away what they grant (CVE-2021-41805). */
const requireWrite = (request: RequestContext, { ACLs }: NamespaceBody, tenancy: Tenancy): void => {
  if (!may(request, 'write', tenancy)) throw request.denial('operator', 'write')
  if ((ACLs?.PolicyDefaults?.length ?? 0) + (ACLs?.RoleDefaults?.length ?? 0) > 0)
    request.require('acl', 'write', '', { partition: tenancy.partition, namespace: 'default' })
}

export const namespaceRoutes = crudRoutes({
  shape: namespaceDefinition,
  plural: 'Namespaces',
  paths: ['/v1/namespace', '/v1/namespaces'],
  key: { parameter: 'name', label: 'namespace Name' },
  createsBySlash: false,
  create: {
    ...write,
    summary: 'Create or replace a namespace',
    handle: (request, given) => {
      const tenancy = called(request, given.Name ?? '')
      requireWrite(request, given, tenancy)
      return set(request, given, tenancy)
    }
  },
  read: {
    ...read,
    access: requires('operator:read', seeing),
    summary: 'Read a namespace',
    past: historyOfResource(
      request => namespaceKeyOf(request),
      function* (request, past) {
        const tenancy = called(request, request.param('name'))
        const acls = past.namespaces.get(tenancy)?.namespace.ACLs
        if (acls)
          yield* linkNames(request, tenancy, { policies: acls.PolicyDefaults, roles: acls.RoleDefaults })
      }
    ),
    handle: (request, name) =>
      respondToRead(request, () => {
        const { views } = request
        const tenancy = called(request, name)
        if (!may(request, 'read', tenancy)) throw request.denial('operator', 'read')
        const row = views.namespaces.get(tenancy)
        const watch: readonly WatchKey[] = [`namespace/${tenancy.partition}/${tenancy.namespace}`]
        if (row) return reading(row.json(views), row.namespace.ModifyIndex, watch)
        const answer = refusedWith('namespace.not-found', `Namespace "${tenancy.namespace}" does not exist`)
        return { index: views.namespaces.indexOf(tenancy.partition), watch, answer }
      })
  },
  update: {
    ...write,
    summary: 'Create or replace the namespace of this name',
    handle: (request, given, name) => {
      const tenancy = called(request, name)
      requireWrite(request, given, tenancy)
      requireSame(namespaceDefinition, 'Name', given.Name?.toLowerCase(), tenancy.namespace)
      return set(request, given, tenancy)
    }
  },
  remove: {
    ...write,
    summary: 'Delete a namespace with everything in it, in the background',
    handle: (request, name) => {
      const tenancy = called(request, name)
      requireWrite(request, {}, tenancy)
      return request.write(namespaceRef(tenancy), request.command('DeleteNamespace', null, tenancy), () =>
        empty(200)
      )
    }
  },
  list: {
    ...read,
    access: anyToken(`entries are filtered: operator:read, ${seeing}`),
    isPaged: true,
    summary: 'List the namespaces of a partition',
    past: historyOfList([NAMESPACE_TOPIC, POLICY_TOPIC, ROLE_TOPIC], 'partition', [NAMESPACE_TOPIC]),
    handle: request =>
      respondToRead(request, () => {
        const { views } = request
        const { partition } = request.tenancy
        const { entries, headers } = readableRows(request, {
          parts: [{ name: '', behind: after => views.namespaces.behind(partition, after) }],
          keyOf: row => row.namespace.Name,
          may: row => may(request, 'read', { partition, namespace: row.namespace.Name })
        })
        const text = `[${entries.map(row => row.listJson(views)).join(',')}]`
        return reading(text, views.namespaces.indexOf(partition), [`namespaces/${partition}`], headers)
      })
  }
})
