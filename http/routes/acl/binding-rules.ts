// Binding rules (spec: auth.md §5).
import { refusedWith, json } from '../../wire/response.js'
import { invalid, Refusal } from '../../../actors/refusal.js'
import { BINDING_RULE_TOPIC, bindingRuleDefinition } from '../../../events/binding-rule.js'
import { requireSame } from '../crud.js'
import { aclCrudRoutes } from './acl-crud.js'
import { namespacesOf, aclFacts } from './acl-reads.js'
import { datacenterForLocalTokens } from './local-tokens.js'
import { type Route, bodyRoute, requires, inputsOf } from '../../wire/route.js'
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
  rowsOf: views => views.bindingRules,
  idOf: row => row.rule.ID,
  watch: ['binding-rule', 'binding-rules'],
  textOf: row => row.json,
  entryOf: row => row.listJson,
  missing: called => refusedWith('acl.binding-rule.not-found', `No binding rule with ${called} exists`),
  idNames: ['acl.binding-rule.invalid', 'Binding Rule ID'],
  list: {
    summary: 'List the binding rules',
    query: { authmethod: 'Only rules of the auth method of this name' },
    linked: request => {
      const { partition } = request.tenancy
      const method = request.query.filled('authmethod')
      return method === undefined
        ? undefined
        : namespacesOf(request).flatMap(namespace =>
            request.views.bindingRules.ofMethod({ partition, namespace }, method)
          )
    }
  }
})

export const bindingRuleRoutes: readonly Route[] = datacenterForLocalTokens([...rules, bindingTestRoute])
