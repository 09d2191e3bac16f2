// Binding rules (spec: auth.md §5).
import { invalid } from '../../../actors/refusal.js'
import { within } from '../../../actors/tenancy.js'
import { isUuid } from '../../../actors/uuid.js'
import { BINDING_RULE_TOPIC } from '../../../events/binding-rule.js'
import { crudRoutes, requireSame } from '../crud.js'
import { aclFacts } from './facts.js'
import { bindingTestRoute } from './binding-test.js'
import { readAclList, readAclOne } from './lists.js'
import { aclListPast, bindingRuleThing } from './past.js'
import { json, plain } from '../../wire/answer.js'
import { answerRead } from '../../wire/reads/blocking.js'
import { whereLocalTokens } from './local-tokens.js'
import { pastOfThing } from '../../wire/past.js'
import type { ApiRequest } from '../../wire/request.js'
import type { Route } from '../../wire/route.js'
import { deleted } from '../../schemas/acl.js'
import { inputsOf } from '../../wire/bodies/input.js'
import { bindingRuleShape } from '../../../events/binding-rule.js'
import { writtenAcl } from '../../wire/shown-namespace.js'

const { read, write } = aclFacts('ACL binding rules')
const inputOf = inputsOf(bindingRuleShape)

/** The stored rule after a write. */
const written = (request: ApiRequest, id: string) => () =>
  writtenAcl(request, request.views.bindingRules.get(id), row => row.json)

const rules = crudRoutes({
  shape: bindingRuleShape,
  plural: 'BindingRules',
  paths: ['/v1/acl/binding-rule', '/v1/acl/binding-rules'],
  key: { parameter: 'id', called: 'binding rule ID' },
  createsBySlash: true,
  create: {
    ...write,
    summary: 'Create a binding rule',
    handle: (request, given) => {
      requireSame(bindingRuleShape, 'ID', given.ID, '')
      request.require('acl', 'write')
      const newId = request.newId()
      const command = request.command('CreateBindingRule', { ...inputOf(given), newId })
      return request.write(request.ref(BINDING_RULE_TOPIC, newId), command, written(request, newId))
    }
  },
  read: {
    ...read,
    tenancy: 'many',
    summary: 'Read a binding rule',
    past: pastOfThing(request => bindingRuleThing(request, request.param('id'))),
    handle: (request, id) =>
      answerRead(request, () => {
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
  },
  update: {
    ...write,
    summary: 'Replace a binding rule',
    handle: (request, given, id) => {
      requireSame(bindingRuleShape, 'ID', given.ID, id)
      request.require('acl', 'write')
      const command = request.command('UpdateBindingRule', { ...inputOf(given), id })
      return request.write(request.ref(BINDING_RULE_TOPIC, id.toLowerCase()), command, written(request, id))
    }
  },
  remove: {
    ...write,
    summary: 'Delete a binding rule',
    response: deleted,
    handle: (request, id) => {
      request.require('acl', 'write')
      const command = request.command('DeleteBindingRule', { id })
      return request.write(request.ref(BINDING_RULE_TOPIC, id.toLowerCase()), command, () => json(true))
    }
  },
  list: {
    ...read,
    tenancy: 'many',
    isPaged: true,
    summary: 'List the binding rules',
    past: aclListPast(BINDING_RULE_TOPIC),
    query: { authmethod: 'Only rules of the auth method of this name' },
    handle: request =>
      answerRead(request, () => {
        const { bindingRules } = request.views
        const method = request.query.filled('authmethod')
        return readAclList(request, {
          source: bindingRules,
          watch: 'binding-rules',
          linked: method === undefined ? undefined : tenancy => bindingRules.ofMethod(tenancy, method),
          text: row => row.listJson
        })
      })
  }
})

export const bindingRuleRoutes: readonly Route[] = whereLocalTokens([...rules, bindingTestRoute])
