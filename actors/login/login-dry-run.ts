import type { Tenancy } from '../../events/envelope.js'
import type { AuthMethodRow } from '../../projections/acl/auth-methods.js'
import type { Identity } from '../../projections/acl/binding-rules.js'
import type { Views } from '../../projections/read-models.js'
import { configOf } from '../auth-method/stored-config.js'
import { invalid, LoginDenied } from '../refusal.js'
import {
  checkTokenTenancy,
  mergeRuleGrants,
  ruleGrantsOf,
  tenancyOf,
  type Bindings,
  type RuleGrant
} from './bindings.js'
import { identityOf, type Claims } from './jwt-verifier.js'
import { identityOfAccount } from './kubernetes.js'

interface LoginDryRun {
  readonly identity?: Identity
  readonly tenancy?: Tenancy
  readonly grants: readonly RuleGrant[]
  readonly bindings?: Bindings
  readonly reason?: string
}

const ACCOUNT = ['namespace', 'name', 'uid'] as const

/** @throws Refusal `invalid` for unknown claims */
const accountIn = (claims: Claims): Identity => {
  const unknown = Object.keys(claims).find(key => !ACCOUNT.some(known => known === key))
  if (unknown !== undefined)
    throw invalid(
      'acl.login.invalid',
      `Claims of a service account are ${ACCOUNT.join(', ')}: ${JSON.stringify(unknown)} is none`
    )
  const textOf = (key: (typeof ACCOUNT)[number]): string => {
    const value = claims[key] ?? ''
    if (typeof value !== 'string') throw invalid('acl.login.invalid', `Claims: ${key} must be a text`)
    return value
  }
  return identityOfAccount({ namespace: textOf('namespace'), name: textOf('name'), uid: textOf('uid') })
}

/** @throws LoginDenied, Refusal `invalid` */
const identityIn = ({ method }: AuthMethodRow, claims: Claims): Identity => {
  const config = configOf(method)
  return config.type === 'kubernetes' ? accountIn(claims) : identityOf(claims, config.claims)
}

/**
 * Runs a login with claims that count as verified: signature, issuer, audience and times are not checked. Costs as much as the decision on a login.
 * @param checkTenancy runs before anything in the tenancy of the token is looked up; throws when the caller may not read it
 * @throws Refusal `invalid` for claims that the type of the method cannot have
 */
export const dryRunLogin = (
  method: AuthMethodRow,
  claims: Claims,
  views: Views,
  checkTenancy: (tenancy: Tenancy) => void
): LoginDryRun => {
  let result: LoginDryRun = { grants: [] }
  try {
    const identity = identityIn(method, claims)
    result = { ...result, identity }
    const tenancy = tenancyOf(method, identity)
    checkTenancy(tenancy)
    checkTokenTenancy(tenancy, views)
    const grants = ruleGrantsOf(method, identity, tenancy, views)
    result = { ...result, tenancy, grants }
    return { ...result, bindings: mergeRuleGrants(grants, tenancy, views) }
  } catch (error) {
    if (!(error instanceof LoginDenied)) throw error
    return { ...result, reason: error.reason }
  }
}
