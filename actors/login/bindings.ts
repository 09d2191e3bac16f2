// Determines the tenancy, links and identities of a login's token (spec: auth.md §8; tenancy.md §11).
import { recover, rethrowAs } from '../../events/errors.js'
import type { NodeIdentity, ServiceIdentity } from '../../events/grants.js'
import type { Link } from '../../events/definition/types.js'
import type { AuthMethod } from '../../events/auth-method.js'
import { isBindName, type BindType } from '../../events/binding-rule.js'
import type { Tenancy } from '../../events/envelope.js'
import type { AuthMethodRow } from '../../projections/acl/auth-methods.js'
import { type BindingRuleRow, type Identity, compileSelector } from '../../projections/acl/binding-rules.js'
import { FilterError } from '../../projections/language/filter.js'
import { parseTemplate, TemplateError } from '../../projections/language/template.js'
import type { Views } from '../../projections/read-models.js'
import { explainNotWritable, isTenancyName } from '../tenancy.js'
import { LoginDenied } from '../refusal.js'

const computed = (template: string, { variables }: Identity): string =>
  rethrowAs(
    () => parseTemplate(template).render(variables),
    TemplateError,
    message => new LoginDenied(`cannot compute the namespace of the token: ${message}`)
  )

/** @throws LoginDenied when the selector cannot be evaluated */
const selects = (selector: string, { Type }: AuthMethod, { selectable }: Identity): boolean =>
  rethrowAs(
    () => compileSelector(selector, Type)(selectable),
    FilterError,
    message => new LoginDenied(`cannot evaluate the selector of a namespace rule: ${message}`)
  )

/** Returns the tenancy of the token: by the first matching namespace rule, otherwise that of the method. Looks nothing up. @throws LoginDenied */
export const tenancyOf = ({ method, tenancy }: AuthMethodRow, identity: Identity): Tenancy => {
  const rule = method.NamespaceRules.find(({ Selector }) => selects(Selector, method, identity))
  if (!rule) return tenancy
  const namespace = computed(rule.BindNamespace, identity).toLowerCase()
  if (!isTenancyName(namespace))
    throw new LoginDenied(`a namespace rule gives "${namespace}", which is no name of a namespace`)
  return { partition: tenancy.partition, namespace }
}

/** @throws LoginDenied for a tenancy that accepts no tokens */
export const checkTokenTenancy = (tenancy: Tenancy, views: Views): void => {
  const refusal = explainNotWritable(tenancy, 'namespace', 'change', views)
  if (refusal) throw new LoginDenied(`the namespace of the token accepts no tokens: ${refusal.message}`)
}

export interface Bindings {
  readonly Roles: readonly Link[]
  readonly ServiceIdentities: readonly ServiceIdentity[]
  readonly NodeIdentities: readonly NodeIdentity[]
}

export interface RuleGrant {
  readonly row: BindingRuleRow
  readonly selects: boolean
  readonly name?: string
  readonly role?: Link
  /** Why no name can be computed, which denies the login. */
  readonly fault?: string
}

const nameFor = (row: BindingRuleRow, identity: Identity): Pick<RuleGrant, 'name' | 'fault'> => {
  const { BindType } = row.rule
  const computedName = () => {
    const name = row.nameFor(identity)
    return isBindName(BindType, name)
      ? { name }
      : { fault: `computed "${BindType}" bind name for bind target is invalid: "${name}"` }
  }
  return recover(computedName, TemplateError, ({ message }) => ({
    fault: `cannot compute "${BindType}" bind name for bind target: ${message}`
  }))
}

const grantOf = (row: BindingRuleRow, identity: Identity, tenancy: Tenancy, views: Views): RuleGrant => {
  const computedName = nameFor(row, identity)
  const role =
    row.rule.BindType === 'role' && computedName.name !== undefined
      ? views.roles.named(tenancy, computedName.name)?.role
      : undefined
  return { row, selects: true, ...computedName, ...(role ? { role: { ID: role.ID, Name: role.Name } } : {}) }
}

/** Evaluates each rule of a method for a token in `tenancy`. Linear in the rules of the method. */
export const ruleGrantsOf = (
  { method, tenancy: methodTenancy }: AuthMethodRow,
  identity: Identity,
  tenancy: Tenancy,
  views: Views
): readonly RuleGrant[] =>
  views.bindingRules
    .ofMethod(methodTenancy, method.Name)
    .map(row =>
      row.selects(identity, method.Type) ? grantOf(row, identity, tenancy, views) : { row, selects: false }
    )

const sorted = (names: ReadonlySet<string>): string[] => [...names].toSorted()

const namesOf = (grants: readonly RuleGrant[], type: BindType): string[] =>
  sorted(new Set(grants.flatMap(({ row, name = '' }) => (row.rule.BindType === type ? [name] : []))))

/**
 * Merges the grants of all matching rules, for a token in `tenancy`. A rule for a missing role grants
 * nothing, and a rule without a computed name denies the login.
 * @throws LoginDenied, also without any grant
 */
export const mergeRuleGrants = (grants: readonly RuleGrant[], tenancy: Tenancy, views: Views): Bindings => {
  const matching = grants.filter(grant => grant.selects)
  const fault = matching.find(grant => grant.fault !== undefined)?.fault
  if (fault !== undefined) throw new LoginDenied(fault)
  const roles = new Map(matching.flatMap(({ role }) => (role ? [[role.ID, role] as const] : [])))
  const services = namesOf(matching, 'service')
  const nodes = namesOf(matching, 'node')
  if (roles.size + services.length + nodes.length === 0)
    throw new LoginDenied(
      matching.length === 0
        ? 'no binding rule selects the identity'
        : 'the roles that the binding rules give do not exist'
    )
  if (nodes.length > 0 && tenancy.namespace !== 'default')
    throw new LoginDenied(`a token in the namespace "${tenancy.namespace}" cannot have node identities`)
  const { datacenter } = views.settings
  return {
    Roles: [...roles.values()],
    ServiceIdentities: services.map(ServiceName => ({ ServiceName })),
    NodeIdentities: nodes.map(NodeName => ({ NodeName, Datacenter: datacenter }))
  }
}
