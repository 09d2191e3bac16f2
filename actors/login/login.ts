// Logins, which create a token (spec: auth.md §8).
import type { Event } from '../../events/envelope.js'
import { formatTime } from '../../events/time.js'
import type { Identity } from '../../projections/acl/binding-rules.js'
import type { Views } from '../../projections/read-models.js'
import type { Aggregate, Command } from '../aggregate.js'
import { type NewToken, tokenUpserted } from '../token.js'
import { checkTokenTenancy, mergeRuleGrants, ruleGrantsOf, tenancyOf } from './bindings.js'
import { LoginDenied, unknownMethod } from '../refusal.js'

type Login = Command<
  'Login',
  NewToken & {
    /** Name of the auth method, in any letter case; the command's tenancy is the method's. */
    readonly method: string
    /** ModifyIndex of the method whose Config verified the identity. */
    readonly methodIndex: number
    readonly identity: Identity
    readonly description: string
  }
>

const NS_PER_MS = 1e6

/** @throws LoginDenied; Refusal `denied` when the method no longer exists */
const decideLogin = ({ data, tenancy, at }: Login, views: Views, index: number): Event[] => {
  const row = views.authMethods.named(tenancy, data.method)
  if (!row) throw unknownMethod(data.method)
  const { method } = row
  if (method.ModifyIndex !== data.methodIndex)
    throw new LoginDenied('the auth method was changed while the credential was verified')
  const target = tenancyOf(row, data.identity)
  checkTokenTenancy(target, views)
  const bindings = mergeRuleGrants(ruleGrantsOf(row, data.identity, target, views), target, views)
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

/** Sent with a login and stored only in the description. */
export type Meta = Readonly<Record<string, string>>

const ESCAPED = /[<>&\u2028\u2029]/g
const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Returns a prefix and Meta as JSON, with keys in byte order and HTML characters escaped. */
export const describe = (prefix: string, meta: Meta): string => {
  const entries = Object.entries(meta)
  if (entries.length === 0) return prefix
  const pairs = entries.toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const text = pairs.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')
  return `${prefix}: {${text}}`.replaceAll(ESCAPED, escape)
}

export const loginAggregate: Aggregate<Login> = { decide: decideLogin }
