// Binding rules (spec: auth.md §5).
import * as Type from 'typebox'
import { invalid } from '../../../actors/refusal.js'
import { within } from '../../../actors/tenancy.js'
import { isUuid } from '../../../actors/uuid.js'
import { BINDING_RULE_TOPIC } from '../../../events/binding-rule.js'
import { aclFacts } from './facts.js'
import { readAclList, readAclOne } from './lists.js'
import { json, plain } from '../../wire/answer.js'
import { answerRead } from '../../wire/reads/blocking.js'
import { whereLocalTokens } from './local-tokens.js'
import type { ApiRequest } from '../../wire/request.js'
import { bodyRoute, route, type Route } from '../../wire/route.js'
import { deleted } from '../../schemas/acl.js'
import { answerSchema, bodySchema, entrySchema } from '../../schemas/shapes.js'
import { inputsOf } from '../../wire/bodies/input.js'
import { bindingRuleShape } from '../../../events/binding-rule.js'
import { writtenAcl } from '../../wire/shown-namespace.js'

const { read, write } = aclFacts('ACL binding rules')
const body = { schema: bodySchema(bindingRuleShape), name: bindingRuleShape.name }
const bindingRule = answerSchema(bindingRuleShape)

const inputOf = inputsOf(bindingRuleShape)

/** The stored rule after a write. */
const written = (request: ApiRequest, id: string) => () =>
  writtenAcl(request, request.views.bindingRules.get(id), row => row.json)

const idOf = (request: ApiRequest): string => {
  const id = request.param('id')
  if (id === '') throw invalid('Bad request: Missing binding rule ID')
  return id
}

export const bindingRuleRoutes: readonly Route[] = whereLocalTokens([
  bodyRoute({
    ...write,
    method: 'PUT',
    path: '/v1/acl/binding-rule',
    aliases: ['/v1/acl/binding-rule/'],
    operationId: 'createBindingRule',
    summary: 'Create a binding rule',
    body,
    response: bindingRule,
    handle: (request, given) => {
      if (given.ID) throw invalid('Bad request: BindingRule ID in URL and payload do not match')
      request.require('acl', 'write')
      const newId = request.newId()
      const command = request.command('CreateBindingRule', { ...inputOf(given), newId })
      return request.write(request.ref(BINDING_RULE_TOPIC, newId), command, written(request, newId))
    }
  }),
  route({
    ...read,
    tenancy: 'many',
    method: 'GET',
    path: '/v1/acl/binding-rule/:id',
    aliases: ['/v1/acl/binding-rule/'],
    operationId: 'readBindingRule',
    summary: 'Read a binding rule',
    response: bindingRule,
    handle: request => {
      const id = idOf(request)
      return answerRead(request, () => {
        const { bindingRules } = request.views
        request.require('acl', 'read')
        if (!isUuid(id))
          throw invalid(`Binding Rule ID "${id}" is not a valid UUID: a UUID must be 36 characters`)
        return readAclOne(request, within(bindingRules.get(id), request.tenancy), {
          source: bindingRules,
          watch: 'binding-rules',
          watchOf: row => `binding-rule/${row.rule.ID}`,
          text: row => row.json,
          missing: plain(404, `No binding rule with ID "${id}" exists`)
        })
      })
    }
  }),
  bodyRoute({
    ...write,
    method: 'PUT',
    path: '/v1/acl/binding-rule/:id',
    operationId: 'updateBindingRule',
    summary: 'Replace a binding rule',
    body,
    response: bindingRule,
    handle: (request, given) => {
      const id = idOf(request)
      if (given.ID && given.ID !== id)
        throw invalid('Bad request: BindingRule ID in URL and payload do not match')
      request.require('acl', 'write')
      const command = request.command('UpdateBindingRule', { ...inputOf(given), id })
      return request.write(request.ref(BINDING_RULE_TOPIC, id.toLowerCase()), command, written(request, id))
    }
  }),
  route({
    ...write,
    method: 'DELETE',
    path: '/v1/acl/binding-rule/:id',
    aliases: ['/v1/acl/binding-rule/'],
    operationId: 'deleteBindingRule',
    summary: 'Delete a binding rule',
    response: deleted,
    handle: request => {
      const id = idOf(request)
      request.require('acl', 'write')
      const command = request.command('DeleteBindingRule', { id })
      return request.write(request.ref(BINDING_RULE_TOPIC, id.toLowerCase()), command, () => json(true))
    }
  }),
  route({
    ...read,
    tenancy: 'many',
    method: 'GET',
    path: '/v1/acl/binding-rules',
    operationId: 'listBindingRules',
    summary: 'List the binding rules',
    query: { authmethod: 'Only rules of the auth method of this name' },
    response: Type.Array(entrySchema(bindingRuleShape)),
    handle: request =>
      answerRead(request, () => {
        const { bindingRules } = request.views
        const method = request.query.filled('authmethod')
        return readAclList(request, {
          source: bindingRules,
          watch: 'binding-rules',
          list: tenancy =>
            method === undefined ? bindingRules.list(tenancy) : bindingRules.ofMethod(tenancy, method),
          text: row => row.listJson
        })
      })
  })
])
