// Namespaces (spec: tenancy.md §2, §3).
import * as Type from 'typebox'
import { namespaceRef } from '../../../actors/namespace.js'
import { invalid } from '../../../actors/refusal.js'
import type { Tenancy } from '../../../events/envelope.js'
import type { WatchKey } from '../../../projections/watch.js'
import { empty, jsonText, plain, type Answer } from '../../wire/answer.js'
import { answerRead, reading } from '../../wire/reads/blocking.js'
import { readable } from '../../wire/reads/filtered.js'
import type { ApiRequest } from '../../wire/request.js'
import { anyToken, bodyRoute, needs, route, type Route } from '../../wire/route.js'
import { answerSchema, bodySchema, entrySchema } from '../../schemas/shapes.js'
import { inputsOf } from '../../wire/bodies/input.js'
import { namespaceShape } from '../../../events/namespace.js'
import type { Given } from '../../../events/shape/types.js'

const facts = { tag: 'Namespaces', caching: 'none', tenancy: 'partition' } as const
const seeing = 'or any right inside the namespace, or read on the namespace itself'
const read = { ...facts, blocking: true, consistency: 'all' } as const
const write = {
  ...facts,
  access: needs('operator:write', 'or write on the namespace itself; acl:write in addition to link defaults'),
  blocking: false,
  consistency: 'none'
} as const
const body = { schema: bodySchema(namespaceShape), name: namespaceShape.name }
type NamespaceBody = Given<typeof namespaceShape.fields>
const namespace = answerSchema(namespaceShape)
const inputOf = inputsOf(namespaceShape)

/** The namespace of this name in the request's partition. */
const called = (request: ApiRequest, name: string): Tenancy => ({
  partition: request.tenancy.partition,
  namespace: name.toLowerCase()
})

const nameOf = (request: ApiRequest): string => {
  const name = request.param('name')
  if (name === '') throw invalid('Bad request: Missing namespace Name')
  return name
}

const may = (request: ApiRequest, access: 'read' | 'write', tenancy: Tenancy): boolean =>
  request.authority.authorizer.mayNamespace(access, tenancy)

const set = (request: ApiRequest, given: NamespaceBody, tenancy: Tenancy): Answer => {
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
const requireWrite = (request: ApiRequest, { ACLs }: NamespaceBody, tenancy: Tenancy): void => {
  if (!may(request, 'write', tenancy)) throw request.denial('operator', 'write')
  if ((ACLs?.PolicyDefaults?.length ?? 0) + (ACLs?.RoleDefaults?.length ?? 0) > 0)
    request.require('acl', 'write', '', { partition: tenancy.partition, namespace: 'default' })
}

export const namespaceRoutes: readonly Route[] = [
  bodyRoute({
    ...write,
    method: 'PUT',
    path: '/v1/namespace',
    operationId: 'createNamespace',
    summary: 'Create or replace a namespace',
    body,
    response: namespace,
    handle: (request, given) => {
      const tenancy = called(request, given.Name ?? '')
      requireWrite(request, given, tenancy)
      return set(request, given, tenancy)
    }
  }),
  bodyRoute({
    ...write,
    method: 'PUT',
    path: '/v1/namespace/:name',
    aliases: ['/v1/namespace/'],
    operationId: 'updateNamespace',
    summary: 'Create or replace the namespace of this name',
    body,
    response: namespace,
    handle: (request, given) => {
      const tenancy = called(request, nameOf(request))
      requireWrite(request, given, tenancy)
      if (given.Name && given.Name.toLowerCase() !== tenancy.namespace)
        throw invalid('Bad request: Namespace Name in URL and payload do not match')
      return set(request, given, tenancy)
    }
  }),
  route({
    ...read,
    access: needs('operator:read', seeing),
    method: 'GET',
    path: '/v1/namespace/:name',
    aliases: ['/v1/namespace/'],
    operationId: 'readNamespace',
    summary: 'Read a namespace',
    response: namespace,
    handle: request => {
      const name = nameOf(request)
      return answerRead(request, () => {
        const { views } = request
        const tenancy = called(request, name)
        if (!may(request, 'read', tenancy)) throw request.denial('operator', 'read')
        const row = views.namespaces.get(tenancy)
        const watch: readonly WatchKey[] = [`namespace/${tenancy.partition}/${tenancy.namespace}`]
        if (row) return reading(row.json(views), row.namespace.ModifyIndex, watch)
        const answer = plain(404, `Namespace "${tenancy.namespace}" does not exist`)
        return { index: views.namespaces.indexOf(tenancy.partition), watch, answer }
      })
    }
  }),
  route({
    ...write,
    method: 'DELETE',
    path: '/v1/namespace/:name',
    aliases: ['/v1/namespace/'],
    operationId: 'deleteNamespace',
    summary: 'Delete a namespace with everything in it, in the background',
    handle: request => {
      const tenancy = called(request, nameOf(request))
      requireWrite(request, {}, tenancy)
      return request.write(namespaceRef(tenancy), request.command('DeleteNamespace', null, tenancy), () =>
        empty(200)
      )
    }
  }),
  route({
    ...read,
    access: anyToken(`entries are filtered: operator:read, ${seeing}`),
    method: 'GET',
    path: '/v1/namespaces',
    operationId: 'listNamespaces',
    summary: 'List the namespaces of a partition',
    response: Type.Array(entrySchema(namespaceShape)),
    handle: request =>
      answerRead(request, () => {
        const { views } = request
        const { partition } = request.tenancy
        const { entries, headers } = readable(request, views.namespaces.list(partition), row =>
          may(request, 'read', { partition, namespace: row.namespace.Name })
        )
        const text = `[${entries.map(row => row.listJson(views)).join(',')}]`
        return reading(text, views.namespaces.indexOf(partition), [`namespaces/${partition}`], headers)
      })
  })
]
