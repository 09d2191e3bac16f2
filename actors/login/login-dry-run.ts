// What a login would come to, without one: for those who write binding rules.
import type { Tenancy } from '../../events/envelope.js'
import type { AuthMethodRow } from '../../projections/acl/auth-methods.js'
import type { Identity } from '../../projections/acl/binding-rules.js'
import type { Views } from '../../projections/read-models.js'
import { parseConfig } from '../auth-method/config.js'
import { invalid } from '../refusal.js'
import { mergeRuleGrants, ruleGrantsOf, tenancyOf, type Bindings, type RuleGrant } from './bindings.js'
import { identityOf, type Claims } from './claims.js'
import { identityOfAccount } from './kubernetes.js'
import { LoginDenied } from './login-denied.js'

/** What a login with some claims would come to. */
interface LoginDryRun {
  /** Undefined where the claims make none. */
  readonly identity?: Identity
  /** Where the token would be made; undefined where that cannot be said. */
  readonly tenancy?: Tenancy
  /** What each rule of the method gives. */
  readonly gifts: readonly RuleGrant[]
  /** What all of them together give; undefined where the login would be denied. */
  readonly bindings?: Bindings
  /** Why it would be denied. */
  readonly reason?: string
}

const ACCOUNT = ['namespace', 'name', 'uid'] as const

/** @throws Refusal `invalid` for claims that no service account has */
const accountIn = (claims: Claims): Identity => {
  const unknown = Object.keys(claims).find(key => !ACCOUNT.some(known => known === key))
  if (unknown !== undefined)
    throw invalid(`Claims of a service account are ${ACCOUNT.join(', ')}: ${JSON.stringify(unknown)} is none`)
  const textOf = (key: (typeof ACCOUNT)[number]): string => {
    const value = claims[key] ?? ''
    if (typeof value !== 'string') throw invalid(`Claims: ${key} must be a text`)
    return value
  }
  return identityOfAccount({ namespace: textOf('namespace'), name: textOf('name'), uid: textOf('uid') })
}

/** The identity that claims make. @throws LoginDenied, Refusal `invalid` */
const identityIn = ({ method }: AuthMethodRow, claims: Claims): Identity => {
  const config = parseConfig(method.Type, method.Config)
  return config.type === 'kubernetes' ? accountIn(claims) : identityOf(claims, config.claims)
}

/**
 * Tries a login with claims that are taken for verified: neither their signature nor their issuer, audience and times are
 * looked at. Costs what the decision on a login does.
 * @param mayLook asked for the tenancy of the token before anything in it is looked at; throws where that is not allowed
 * @throws Refusal `invalid` for claims that the type of the method cannot have
 */
export const dryRunLogin = (
  method: AuthMethodRow,
  claims: Claims,
  views: Views,
  mayLook: (tenancy: Tenancy) => void
): LoginDryRun => {
  let tried: LoginDryRun = { gifts: [] }
  try {
    const identity = identityIn(method, claims)
    tried = { ...tried, identity }
    const tenancy = tenancyOf(method, identity, views)
    mayLook(tenancy)
    const gifts = ruleGrantsOf(method, identity, tenancy, views)
    tried = { ...tried, tenancy, gifts }
    return { ...tried, bindings: mergeRuleGrants(gifts, tenancy, views) }
  } catch (error) {
    if (!(error instanceof LoginDenied)) throw error
    return { ...tried, reason: error.reason }
  }
}
