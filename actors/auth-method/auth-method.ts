// Auth methods (spec: auth.md §1).
import {
  AUTH_METHOD_TYPES,
  type AuthMethod,
  type AuthMethodEvent,
  authMethodEvents,
  type AuthMethodInput,
  authMethodDefinition,
  type AuthMethodType,
  CONFIG_SECRETS,
  type AuthMethodConfigInput,
  LOCALITIES,
  type NamespaceRule,
  secretsOf
} from '../../events/auth-method.js'
import { bindingRuleEvents } from '../../events/binding-rule.js'
import { UnknownSecret } from '../../events/check-secrets.js'
import { formatDuration } from '../../events/duration.js'
import { recover, rethrowAs } from '../../events/errors.js'
import type { Event, Tenancy } from '../../events/envelope.js'
import { HIDDEN } from '../../events/values.js'
import type { AuthMethodRow } from '../../projections/acl/auth-methods.js'
import { compileSelector } from '../../projections/acl/binding-rules.js'
import { FilterError } from '../../projections/language/filter.js'
import { parseTemplate, TemplateError, type Variables } from '../../projections/language/template.js'
import type { Views } from '../../projections/read-models.js'
import { type Aggregate, type Command, decideBy } from '../aggregate.js'
import { contentsOf } from '../content.js'
import { twoStateLifecycle } from '../lifecycle.js'
import { oidcRequestClosed } from '../oidc-request.js'
import { checkAclName } from '../named-resource.js'
import { invalidWith, invalid } from '../refusal.js'
import { isTenancyName } from '../tenancy.js'
import { tokenDeleted } from '../token.js'
import { ConfigError, ConfigValues } from './config-values.js'
import { type AuthConfig, CONFIG_KEYS, parseConfig } from './config.js'
import { placeholdersOf } from './stored-config.js'

const invalidMethod = invalidWith('acl.auth-method.invalid')

type PutAuthMethod = Command<'PutAuthMethod', AuthMethodInput>
type DeleteAuthMethod = Command<'DeleteAuthMethod', { readonly name: string }>
type AuthMethodCommand = PutAuthMethod | DeleteAuthMethod

// Decisions (spec: auth.md §1.3, §1.4; decisions.md 16, 18)

const typeOf = (value: string, row: AuthMethodRow | undefined): AuthMethodType => {
  if (row && value !== '' && value !== row.method.Type)
    throw invalidMethod('the Type field of an Auth Method is immutable')
  const type = row?.method.Type ?? AUTH_METHOD_TYPES.find(known => known === value)
  if (!type)
    throw invalidMethod(`Invalid Auth Method: Type should be one of: [${AUTH_METHOD_TYPES.join(' ')}]`)
  return type
}

const checkTtl = (ns: number, type: AuthMethodType, { settings: { tokenLife } }: Views): void => {
  if (ns === 0 && type === 'oidc')
    throw invalidMethod('Invalid Auth Method: MaxTokenTTL must be set for type "oidc"')
  if (ns === 0) return
  if (ns < tokenLife.min)
    throw invalidMethod(
      `MaxTokenTTL ${formatDuration(ns)} cannot be less than ${formatDuration(tokenLife.min)}`
    )
  if (ns > tokenLife.max)
    throw invalidMethod(
      `MaxTokenTTL ${formatDuration(ns)} cannot be more than ${formatDuration(tokenLife.max)}`
    )
}

const localityOf = (value: string, { settings }: Views): AuthMethod['TokenLocality'] => {
  const locality = LOCALITIES.find(known => known === value)
  if (locality === undefined)
    throw invalid(
      'acl.auth-method.invalid',
      "Invalid Auth Method: TokenLocality should be one of 'local' or 'global'"
    )
  if (locality === 'global' && !settings.isPrimary)
    throw invalid(
      'acl.auth-method.invalid',
      "TokenLocality 'global' can only be used in the primary datacenter"
    )
  return locality
}

/** A secret that the caller writes back as the placeholder keeps its value. @throws Refusal `invalid` if none is stored */
const unhidden = (config: AuthMethodConfigInput, row: AuthMethodRow | undefined): AuthMethodConfigInput => {
  const hidden = CONFIG_SECRETS.filter(key => config[key] === HIDDEN)
  const stored = row?.method.Config ?? {}
  const missing = hidden.find(key => stored[key] === undefined)
  if (missing !== undefined)
    throw invalidMethod(`Invalid Auth Method: ${new UnknownSecret(`Config.${missing}`).message}`)
  return { ...config, ...Object.fromEntries(hidden.map(key => [key, stored[key]])) }
}

/** Returns a valid Config whose secrets are texts, which events store apart from their payload. */
const withTextSecrets = (config: AuthMethodConfigInput): AuthMethodConfigInput => {
  const values = new ConfigValues(config, CONFIG_KEYS)
  const given = CONFIG_SECRETS.filter(key => values.isGiven(key))
  return { ...config, ...Object.fromEntries(given.map(key => [key, values.text(key)])) }
}

/** @throws Refusal `invalid` */
const checkConfig = (type: AuthMethodType, config: AuthMethodConfigInput): AuthConfig =>
  rethrowAs(
    () => parseConfig(type, config),
    ConfigError,
    message => invalidMethod(`Invalid Auth Method: ${message}`)
  )

/** Computes the namespace once with placeholders. @throws Refusal `invalid` */
const checkBindNamespace = (template: string, placeholders: Variables, place: string): void => {
  if (template === '') throw invalidMethod(`${place}: no BindNamespace is set`)
  const name = recover(
    () => parseTemplate(template).render(placeholders),
    TemplateError,
    ({ message }) => {
      throw invalidMethod(`${place}: invalid BindNamespace: ${message}`)
    }
  )
  if (!isTenancyName(name.toLowerCase()))
    throw invalidMethod(
      `${place}: invalid BindNamespace: "${name}" must be a DNS label of 1 to 63 letters, digits and hyphens`
    )
}

const checkNamespaceRules = (
  rules: readonly NamespaceRule[],
  config: AuthConfig,
  { namespace }: Tenancy
): void => {
  if (rules.length > 0 && namespace !== 'default')
    throw invalidMethod('Invalid Auth Method: NamespaceRules may be set only in the namespace "default"')
  for (const [i, { Selector, BindNamespace }] of rules.entries()) {
    const place = `Invalid Auth Method: NamespaceRules[${i}]`
    checkBindNamespace(BindNamespace, placeholdersOf(config), place)
    recover(
      () => compileSelector(Selector, config.type),
      FilterError,
      ({ message }) => {
        throw invalidMethod(`${place}: Selector is invalid: ${message}`)
      }
    )
  }
}

const contentOf = contentsOf(authMethodDefinition)

/** A validated input, except for checks that need the network. */
interface PlannedMethod {
  readonly method: Omit<AuthMethod, 'ModifyIndex' | 'CreateIndex'>
  readonly config: AuthConfig
}

/** Checks an input in the order of the spec. @throws Refusal `invalid` */
export const planMethod = (input: AuthMethodInput, tenancy: Tenancy, views: Views): PlannedMethod => {
  checkAclName('acl.auth-method', 'Auth Method', input.Name, 128)
  const row = views.authMethods.named(tenancy, input.Name)
  const Type = typeOf(input.Type, row)
  checkTtl(input.MaxTokenTTL, Type, views)
  const TokenLocality = localityOf(input.TokenLocality, views)
  const Config = unhidden(input.Config, row)
  const config = checkConfig(Type, Config)
  checkNamespaceRules(input.NamespaceRules, config, tenancy)
  return { method: contentOf(input, { Type, TokenLocality, Config: withTextSecrets(Config) }), config }
}

const put = ({ data, tenancy }: PutAuthMethod, views: Views, index: number): Event[] => {
  const { method } = planMethod(data, tenancy, views)
  const row = views.authMethods.named(tenancy, data.Name)
  // The name is the events' key: a change of letter case is another key, and the former one must end.
  const isRenamed = row !== undefined && row.method.Name !== method.Name
  return [
    ...(isRenamed ? [authMethodDeleted(tenancy, row.method)] : []),
    authMethodUpserted(tenancy, {
      ...method,
      CreateIndex: row?.method.CreateIndex ?? index,
      ModifyIndex: index
    })
  ]
}

/** Deletes everything that the method created, whatever its locality is now. A secondary datacenter keeps the primary's tokens of a method of this name. */
const remove = ({ data, tenancy }: DeleteAuthMethod, views: Views): Event[] => {
  const row = views.authMethods.named(tenancy, data.name)
  if (!row) return []
  const { Name } = row.method
  const tokens = views.tokens.createdByLogin(tenancy, Name).filter(created => created.isOwned(views.settings))
  return [
    ...tokens.map(({ token, tenancy: own }) => tokenDeleted(own, token)),
    ...views.bindingRules
      .ofMethod(tenancy, Name)
      .map(({ rule }) => bindingRuleEvents.create('ACLBindingRuleDeleted', tenancy, rule)),
    ...views.oidcRequests.ofMethod(tenancy, Name).map(({ request }) => oidcRequestClosed(tenancy, request)),
    authMethodDeleted(tenancy, row.method)
  ]
}

// Events: the secrets of Config are not part of the payload

export const authMethodUpserted = (tenancy: Tenancy, method: AuthMethod): AuthMethodEvent =>
  authMethodEvents.create('ACLAuthMethodUpserted', tenancy, method, secretsOf(method))

const authMethodDeleted = (tenancy: Tenancy, method: AuthMethod): AuthMethodEvent =>
  authMethodEvents.create('ACLAuthMethodDeleted', tenancy, method)

export const authMethodAggregate: Aggregate<AuthMethodCommand> = {
  lifecycle: twoStateLifecycle(authMethodEvents, ({ authMethods }, ref) => authMethods.named(ref, ref.key)),
  removals: ['DeleteAuthMethod'],
  decide: decideBy({
    PutAuthMethod: put,
    DeleteAuthMethod: remove
  })
}
