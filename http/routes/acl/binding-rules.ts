// Binding rules (spec: auth.md §5).
import { refusedWith, json } from '../../wire/response.js'
import { invalid, Refusal } from '../../../actors/refusal.js'
import { isWithinTenancy } from '../../../actors/tenancy.js'
import { requireUuid } from '../../../actors/uuid.js'
import { BINDING_RULE_TOPIC, bindingRuleDefinition } from '../../../events/binding-rule.js'
import { requireSame } from '../crud.js'
import { aclCrudRoutes } from './acl-crud.js'
import { namespacesOf, aclFacts, readAclList, readAclOne } from './acl-reads.js'
import { aclListHistory, bindingRuleKeyOf } from './acl-history.js'
import { respondToRead } from '../../wire/reads/blocking.js'
import { datacenterForLocalTokens } from './local-tokens.js'
import { historyOfResource } from '../../wire/history-declaration.js'
import { type Route, bodyRoute, requires, inputsOf } from '../../wire/route.js'
import { writtenAcl } from '../../wire/request-context.js'
import type { RuleGrant } from '../../../actors/login/bindings.js'
import { dryRunLogin } from '../../../actors/login/login-dry-run.js'
import { tenancyViewOf } from '../../../projections/tenancy-view.js'
import { bindingTest, bindingTestBody } from '../../schemas/acl-login.js'

/** Returns the reason why a rule grants nothing; undefined if it grants something. */
const reasonOf = ({ row, selects, fault, role, name }: RuleGrant): string | undefined => {
  if (!selects) return 'its selector does not hold'
  if (fault !== undefined) return fault
  return row.rule.BindType === 'role' && !role ? `there is no role ${JSON.stringify(name)}` : undefined
}

const ruleView = (grant: RuleGrant) => {
  const { ID, Selector, BindType, BindName } = grant.row.rule
  const { selects: Selects, name: Name } = grant
  return { ID, Selector, BindType, BindName, Selects, Name, Reason: reasonOf(grant) }
}

const NOTHING = { Roles: [], ServiceIdentities: [], NodeIdentities: [] }

const bindingTestRoute: Route = bodyRoute({
  tag: 'ACL binding rules',
  access: requires('acl:read', 'in the namespace of the auth method, and in that of the token'),
  method: 'POST',
  path: '/v1/acl/binding-rules/test',
  operationId: 'testBindingRules',
  summary: 'Return the roles and identities that a login with these claims would get',
  idempotency: 'nothing written',
  body: { schema: bindingTestBody, name: 'BindingRulesTest' },
  response: bindingTest,
  handle: (request, { AuthMethod = '', Claims = {} }) => {
    const { views } = request
    request.require('acl', 'read')
    if (AuthMethod === '') throw invalid('acl.binding-rule.invalid', 'Bad request: AuthMethod must be given')
    const method = views.authMethods.named(request.tenancy, AuthMethod)
    if (!method) throw new Refusal('acl.binding-rule.not-found', `auth method "${AuthMethod}" not found`)
    const result = dryRunLogin(method, Claims, views, tenancy => request.require('acl', 'read', '', tenancy))
    const { identity, tenancy, grants, bindings = NOTHING, reason } = result
    return json({
      AuthMethod: method.method.Name,
      ...(tenancy ? tenancyViewOf(tenancy) : {}),
      Allowed: reason === undefined,
      Reason: reason,
      Selectable: identity?.selectable,
      Variables: Object.fromEntries(identity?.variables ?? []),
      Rules: grants.map(ruleView),
      ...bindings
    })
  }
})

const inputOf = inputsOf(bindingRuleDefinition)

const rules = aclCrudRoutes({
  shape: bindingRuleDefinition,
  topic: BINDING_RULE_TOPIC,
  noun: 'binding rule',
  plural: 'BindingRules',
  paths: ['/v1/acl/binding-rule', '/v1/acl/binding-rules'],
  facts: aclFacts('ACL binding rules'),
  checkId: ({ ID }, id) => requireSame(bindingRuleDefinition, 'ID', ID, id),
  create: (request, body, newId) => request.command('CreateBindingRule', { ...inputOf(body), newId }),
  update: (request, body, id) => request.command('UpdateBindingRule', { ...inputOf(body), id }),
  remove: (request, id) => request.command('DeleteBindingRule', { id }),
  written: (request, id) => () => writtenAcl(request, request.views.bindingRules.get(id), row => row.json),
  read: {
    summary: 'Read a binding rule',
    past: historyOfResource(request => bindingRuleKeyOf(request, request.param('id'))),
    handle: (request, id) =>
      respondToRead(request, () => {
        const { bindingRules } = request.views
        request.require('acl', 'read')
        requireUuid('acl.binding-rule.invalid', 'Binding Rule ID', id)
        return readAclOne(request, isWithinTenancy(bindingRules.get(id), request.tenancy), {
          source: bindingRules,
          watch: 'binding-rules',
          watchOf: row => `binding-rule/${row.rule.ID}`,
          text: row => row.json,
          missing: refusedWith('acl.binding-rule.not-found', `No binding rule with ID "${id}" exists`)
        })
      })
  },
  list: {
    summary: 'List the binding rules',
    past: aclListHistory(BINDING_RULE_TOPIC),
    query: { authmethod: 'Only rules of the auth method of this name' },
    handle: request =>
      respondToRead(request, () => {
        const { bindingRules } = request.views
        const { partition } = request.tenancy
        const method = request.query.filled('authmethod')
        const ofMethod = (name: string) =>
          namespacesOf(request).flatMap(namespace => bindingRules.ofMethod({ partition, namespace }, name))
        return readAclList(request, {
          source: bindingRules,
          watch: 'binding-rules',
          linked: method === undefined ? undefined : ofMethod(method),
          text: row => row.listJson
        })
      })
  }
})

export const bindingRuleRoutes: readonly Route[] = datacenterForLocalTokens([...rules, bindingTestRoute])
