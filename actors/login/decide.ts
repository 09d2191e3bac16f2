// Decides a login: which token an identity gets (spec: auth.md §8; tenancy.md §11).
import type { AuthMethod } from '../../events/auth-method.js'
import type { Event, Tenancy } from '../../events/envelope.js'
import { formatTime } from '../../events/time.js'
import type { AuthMethodRow } from '../../projections/acl/auth-method-row.js'
import { compileSelector } from '../../projections/acl/binding-rule-row.js'
import type { Identity } from '../../projections/acl/identity.js'
import { FilterError } from '../../projections/language/filter.js'
import { parseTemplate, TemplateError } from '../../projections/language/template.js'
import type { Views } from '../../projections/views.js'
import { tokenUpserted } from '../token.js'
import { bind } from './bind.js'
import type { Login } from './commands.js'
import { LoginDenied, unknownMethod } from './login-denied.js'

const NS_PER_MS = 1e6

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

/** Where the token is made: as the first namespace rule says that is for this identity, else with its method. */
const tenancyOf = ({ method, tenancy }: AuthMethodRow, identity: Identity, views: Views): Tenancy => {
  const rule = method.NamespaceRules.find(({ Selector }) => selects(Selector, method, identity))
  if (!rule) return tenancy
  const target = { partition: tenancy.partition, namespace: computed(rule.BindNamespace, identity) }
  if (!views.isWritable(target))
    throw new LoginDenied(`the namespace "${target.namespace}", which a namespace rule gives, does not exist`)
  return target
}

/** @throws LoginDenied; Refusal `denied` when the method is no longer there */
export const decideLogin = ({ data, tenancy, at }: Login, views: Views, index: number): Event[] => {
  const row = views.authMethods.named(tenancy, data.method)
  if (!row) throw unknownMethod(data.method)
  const { method } = row
  if (method.ModifyIndex !== data.methodIndex)
    throw new LoginDenied('the auth method was changed while the credential was verified')
  const target = tenancyOf(row, data.identity, views)
  const bindings = bind(row, data.identity, target, views)
  const expires = method.MaxTokenTTL === 0 ? undefined : formatTime(at + method.MaxTokenTTL / NS_PER_MS)
  return [
    tokenUpserted(target, data.newSecret, {
      AccessorID: data.newAccessor,
      Description: data.description,
      Policies: [],
      ...bindings,
      Local: method.TokenLocality !== 'global',
      AuthMethod: method.Name,
      ...(target.namespace === row.tenancy.namespace ? {} : { AuthMethodNamespace: row.tenancy.namespace }),
      ...(expires === undefined ? {} : { ExpirationTime: expires }),
      CreateTime: formatTime(at),
      CreateIndex: index,
      ModifyIndex: index
    })
  ]
}
