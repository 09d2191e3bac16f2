// The grants that binding rules give to future logins, whose claims are unknown.
import { isBindName } from '../../events/binding-rule.js'
import type { Tenancy } from '../../events/envelope.js'
import { recover } from '../../events/errors.js'
import { parseTemplate, TemplateError } from '../language/template.js'
import type { Views } from '../read-models.js'
import type { BindingRuleRow } from './binding-rules.js'
import type { DirectGrants } from './collect-rules.js'

type Sources = Pick<Views, 'authMethods' | 'namespaces' | 'settings'>

const NOTHING: DirectGrants = { Policies: [], Roles: [], ServiceIdentities: [], NodeIdentities: [] }

/** Returns the grants of a token with this role only. */
export const roleGrants = (ID: string): DirectGrants => ({ ...NOTHING, Roles: [{ ID }] })

const orNever = (check: () => boolean): boolean => recover(check, TemplateError, () => false)

/** Returns the tenancies that a token of a binding rule may have. Linear in the namespace rules of its method and in the namespaces. */
export const loginTenancies = (
  { rule, tenancy }: BindingRuleRow,
  { authMethods, namespaces }: Sources
): readonly Tenancy[] => {
  const { partition } = tenancy
  const rules = authMethods.named(tenancy, rule.AuthMethod)?.method.NamespaceRules ?? []
  const others = rules.length === 0 ? [] : namespaces.names(partition)
  const bound = others.filter(name =>
    rules.some(({ BindNamespace }) => orNever(() => parseTemplate(BindNamespace).mayRender(name)))
  )
  return [
    tenancy,
    ...bound.filter(name => name !== tenancy.namespace).map(namespace => ({ partition, namespace }))
  ]
}

/** Returns true if a binding rule may bind this name. */
export const mayBind = (row: BindingRuleRow, name: string): boolean => orNever(() => row.mayBind(name))

/**
 * Returns the identities that a binding rule for services or nodes may give, with their names.
 * @param names checked by the template; the template itself stands for every other name
 */
export const boundIdentities = (
  row: BindingRuleRow,
  names: readonly string[],
  { settings: { datacenter: Datacenter } }: Sources
): readonly { readonly name: string; readonly grants: DirectGrants }[] => {
  const { BindType, BindName } = row.rule
  const bound = new Set([...names.filter(name => isBindName(BindType, name) && mayBind(row, name)), BindName])
  return [...bound].map(name => ({
    name,
    grants:
      BindType === 'service'
        ? { ...NOTHING, ServiceIdentities: [{ ServiceName: name }] }
        : { ...NOTHING, NodeIdentities: [{ NodeName: name, Datacenter }] }
  }))
}
