// Which roles and identities the binding rules of an auth method would give to claims. Nothing is written.
import type { RuleGift } from '../../../actors/login/bindings.js'
import { tryLogin } from '../../../actors/login/tried-login.js'
import { invalid, Refusal } from '../../../actors/refusal.js'
import { shownTenancy } from '../../../projections/shown-tenancy.js'
import { bindingTest, bindingTestBody } from '../../schemas/binding-test.js'
import { json } from '../../wire/answer.js'
import { bodyRoute, needs, type Route } from '../../wire/route.js'

/** Why a rule gives nothing; undefined for one that gives something. */
const reasonOf = ({ row, selects, fault, role, name }: RuleGift): string | undefined => {
  if (!selects) return 'its selector does not hold'
  if (fault !== undefined) return fault
  return row.rule.BindType === 'role' && !role ? `there is no role ${JSON.stringify(name)}` : undefined
}

const shownRule = (gift: RuleGift) => {
  const { ID, Selector, BindType, BindName } = gift.row.rule
  return {
    ID,
    Selector,
    BindType,
    BindName,
    Selects: gift.selects,
    Name: gift.name,
    Reason: reasonOf(gift)
  }
}

const NOTHING = { Roles: [], ServiceIdentities: [], NodeIdentities: [] }

export const bindingTestRoute: Route = bodyRoute({
  tag: 'ACL binding rules',
  access: needs('acl:read', 'in the namespace of the auth method, and in that of the token'),
  blocking: false,
  consistency: 'none',
  caching: 'none',
  method: 'POST',
  path: '/v1/acl/binding-rules/test',
  operationId: 'testBindingRules',
  summary: 'Tell which roles and identities a login with these claims would get',
  idempotency: 'nothing written',
  body: { schema: bindingTestBody, name: 'BindingRulesTest' },
  response: bindingTest,
  handle: (request, { AuthMethod = '', Claims = {} }) => {
    const { views } = request
    request.require('acl', 'read')
    if (AuthMethod === '') throw invalid('Bad request: AuthMethod must be given')
    const method = views.authMethods.named(request.tenancy, AuthMethod)
    if (!method) throw new Refusal('missing', `auth method "${AuthMethod}" not found`)
    const tried = tryLogin(method, Claims, views, tenancy => request.require('acl', 'read', '', tenancy))
    const { identity, tenancy, gifts, bindings = NOTHING, reason } = tried
    return json({
      AuthMethod: method.method.Name,
      ...(tenancy ? shownTenancy(tenancy) : {}),
      Allowed: reason === undefined,
      Reason: reason,
      Selectable: identity?.selectable,
      Variables: Object.fromEntries(identity?.variables ?? []),
      Rules: gifts.map(shownRule),
      ...bindings
    })
  }
})
