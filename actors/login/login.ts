// Logins: what they change is a token (spec: auth.md §8).
import type { NodeIdentity, ServiceIdentity } from '../../events/grants.js'
import type { Link } from '../../events/shape/types.js'
import type { AuthMethod } from '../../events/auth-method.js'
import type { Event, Tenancy } from '../../events/envelope.js'
import { formatTime } from '../../events/time.js'
import type { AuthMethodRow } from '../../projections/acl/auth-method-row.js'
import { type BindingRuleRow, compileSelector } from '../../projections/acl/binding-rule-row.js'
import type { Identity } from '../../projections/acl/identity.js'
import { FilterError } from '../../projections/language/filter.js'
import { parseTemplate, TemplateError } from '../../projections/language/template.js'
import type { Views } from '../../projections/views.js'
import type { Aggregate, Effects } from '../aggregate.js'
import { isBindName } from '../binding-rule.js'
import type { Command } from '../command.js'
import { whyNotWritable } from '../tenancy.js'
import { type NewToken, tokenUpserted } from '../token.js'
import { LoginDenied, unknownMethod } from './login-denied.js'

// Commands

/** Makes the token of a login that was accepted. */
export type Login = Command<
  'Login',
  NewToken & {
    /** Name of the auth method, in any letter case; the command's tenancy is the method's. */
    readonly method: string
    /** ModifyIndex of the method by whose Config the identity was verified. */
    readonly methodIndex: number
    readonly identity: Identity
    readonly description: string
  }
>

const effects: Effects<Login> = {
  Login: 'change'
}

// Decisions: which token an identity gets (spec: auth.md §8; tenancy.md §11)

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

/**
 * Where the token is made: as the first namespace rule says that is for this identity, else with its method.
 */
const tenancyOf = ({ method, tenancy }: AuthMethodRow, identity: Identity, views: Views): Tenancy => {
  const rule = method.NamespaceRules.find(({ Selector }) => selects(Selector, method, identity))
  if (!rule) return tenancy
  const target = { partition: tenancy.partition, namespace: computed(rule.BindNamespace, identity) }
  const why = whyNotWritable(target, 'namespace', 'change', views)
  if (why) throw new LoginDenied(`a namespace rule gives a place that takes no token: ${why.message}`)
  return target
}

/** @throws LoginDenied; Refusal `denied` when the method is no longer there */
const decideLogin = ({ data, tenancy, at }: Login, views: Views, index: number): Event[] => {
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

// What binding rules give to an identity (spec: auth.md §8).

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
const bind = (method: AuthMethodRow, identity: Identity, tenancy: Tenancy, views: Views): Bindings => {
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

// The description of a token that a login made (spec: auth.md §8).

/** Given with a login; kept nowhere but in the description. */
export type Meta = Readonly<Record<string, string>>

const ESCAPED = /[<>&\u2028\u2029]/g
const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * What was done, and Meta as JSON with its keys in the order of their bytes and nothing in it that HTML would
 * mind.
 */
export const describe = (done: string, meta: Meta): string => {
  const entries = Object.entries(meta)
  if (entries.length === 0) return done
  const pairs = entries.toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const text = pairs.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')
  return `${done}: {${text}}`.replaceAll(ESCAPED, escape)
}

export const loginAggregate: Aggregate<Login> = { effects, decide: decideLogin }
