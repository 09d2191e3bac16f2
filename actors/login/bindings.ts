// Which token an identity gets: where, and what binding rules give to it (spec: auth.md §8; tenancy.md §11).
import type { NodeIdentity, ServiceIdentity } from '../../events/grants.js'
import type { Link } from '../../events/shape/types.js'
import type { AuthMethod } from '../../events/auth-method.js'
import type { Tenancy } from '../../events/envelope.js'
import type { AuthMethodRow } from '../../projections/acl/auth-method-row.js'
import { type BindingRuleRow, compileSelector } from '../../projections/acl/binding-rule-row.js'
import type { Identity } from '../../projections/acl/identity.js'
import { FilterError } from '../../projections/language/filter.js'
import { parseTemplate, TemplateError } from '../../projections/language/template.js'
import type { Views } from '../../projections/views.js'
import { isBindName } from '../binding-rule.js'
import { whyNotWritable } from '../tenancy.js'
import { LoginDenied } from './login-denied.js'

const computed = (template: string, { variables }: Identity): string => {
  try {
    return parseTemplate(template).render(variables)
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw new LoginDenied(`cannot compute the namespace of the token: ${error.message}`)
  }
}

/** Whether a namespace rule is for an identity. @throws LoginDenied when nobody can say */
const selects = (selector: string, { Type }: AuthMethod, { selectable }: Identity): boolean => {
  try {
    return compileSelector(selector, Type)(selectable)
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    throw new LoginDenied(`cannot evaluate the selector of a namespace rule: ${error.message}`)
  }
}

/**
 * Where the token is made: as the first namespace rule says that is for this identity, else with its method.
 */
export const tenancyOf = ({ method, tenancy }: AuthMethodRow, identity: Identity, views: Views): Tenancy => {
  const rule = method.NamespaceRules.find(({ Selector }) => selects(Selector, method, identity))
  if (!rule) return tenancy
  const target = { partition: tenancy.partition, namespace: computed(rule.BindNamespace, identity) }
  const why = whyNotWritable(target, 'namespace', 'change', views)
  if (why) throw new LoginDenied(`a namespace rule gives a place that takes no token: ${why.message}`)
  return target
}

/** What the token of a login gets. */
interface Bindings {
  readonly Roles: readonly Link[]
  readonly ServiceIdentities: readonly ServiceIdentity[]
  readonly NodeIdentities: readonly NodeIdentity[]
}

const nameFor = (row: BindingRuleRow, identity: Identity): string => {
  const { BindType } = row.rule
  let name: string
  try {
    name = row.nameFor(identity)
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw new LoginDenied(`cannot compute "${BindType}" bind name for bind target: ${error.message}`)
  }
  if (!isBindName(BindType, name))
    throw new LoginDenied(`computed "${BindType}" bind name for bind target is invalid: "${name}"`)
  return name
}

const sorted = (names: ReadonlySet<string>): string[] => [...names].toSorted()

/**
 * The links and identities that the rules of a method give to an identity, for a token in `tenancy`. A rule
 * for a role that does not exist gives nothing; a rule that computes no name ends the login.
 * @throws LoginDenied, also when nothing at all is given
 */
export const bind = (method: AuthMethodRow, identity: Identity, tenancy: Tenancy, views: Views): Bindings => {
  const { Name, Type } = method.method
  const rules = views.bindingRules.ofMethod(method.tenancy, Name).filter(row => row.selects(identity, Type))
  const roles = new Map<string, Link>()
  const services = new Set<string>()
  const nodes = new Set<string>()
  for (const row of rules) {
    const name = nameFor(row, identity)
    switch (row.rule.BindType) {
      case 'service':
        services.add(name)
        break
      case 'node':
        nodes.add(name)
        break
      case 'role': {
        const role = views.roles.named(tenancy, name)?.role
        if (role) roles.set(role.ID, { ID: role.ID, Name: role.Name })
      }
    }
  }
  if (roles.size + services.size + nodes.size === 0)
    throw new LoginDenied(
      rules.length === 0
        ? 'no binding rule selects the identity'
        : 'the roles that the binding rules give do not exist'
    )
  if (nodes.size > 0 && tenancy.namespace !== 'default')
    throw new LoginDenied(`a token in the namespace "${tenancy.namespace}" cannot have node identities`)
  const { datacenter } = views.settings
  return {
    Roles: [...roles.values()],
    ServiceIdentities: sorted(services).map(ServiceName => ({ ServiceName })),
    NodeIdentities: sorted(nodes).map(NodeName => ({ NodeName, Datacenter: datacenter }))
  }
}
