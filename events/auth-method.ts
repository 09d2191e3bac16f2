// Auth methods: what a method is, and the events of its life.
import type { Event } from './envelope.js'

export type AuthMethodType = 'jwt' | 'kubernetes' | 'oidc'

/** Config as a caller gave it: values keep the JSON types in which they came. */
export type GivenConfig = Readonly<Record<string, unknown>>

/** Where the tokens of a method are made: the first rule whose selector holds decides (tenancy.md §11). */
export interface NamespaceRule {
  readonly Selector: string
  readonly BindNamespace: string
}

/** An auth method in its read form (spec: auth.md §1.2). */
export interface AuthMethod {
  /** Letters, digits, `-` and `_`; unique within its namespace without regard to letter case. */
  readonly Name: string
  readonly Type: AuthMethodType
  readonly DisplayName: string
  readonly Description: string
  /** Longest life of a token of this method, nanoseconds; 0 for no limit. */
  readonly MaxTokenTTL: number
  readonly TokenLocality: '' | 'local' | 'global'
  /** In an event, secrets stand as `redacted`; they travel in its `Secrets`. */
  readonly Config: GivenConfig
  readonly NamespaceRules: readonly NamespaceRule[]
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

/** Keys of Config that are secrets. */
export const CONFIG_SECRETS = ['OIDCClientSecret', 'ServiceAccountJWT'] as const

/** What stands in an event for a secret of Config. */
const REDACTED = 'redacted'

/** The secrets of a method's Config. */
export const secretsOf = ({ Config }: AuthMethod): Readonly<Record<string, string>> => {
  const secrets: Record<string, string> = {}
  for (const key of CONFIG_SECRETS) if (typeof Config[key] === 'string') secrets[key] = Config[key]
  return secrets
}

/** The method as events carry it. */
export const redacted = (method: AuthMethod): AuthMethod => {
  const secrets = Object.keys(secretsOf(method)).map(key => [key, REDACTED])
  return { ...method, Config: { ...method.Config, ...Object.fromEntries(secrets) } }
}

export const AUTH_METHOD_TOPIC = 'ACLAuthMethod'
interface AuthMethodPayload {
  readonly AuthMethod: AuthMethod
}
export type AuthMethodUpserted = Event<typeof AUTH_METHOD_TOPIC, 'ACLAuthMethodUpserted', AuthMethodPayload>
export type AuthMethodDeleted = Event<typeof AUTH_METHOD_TOPIC, 'ACLAuthMethodDeleted', AuthMethodPayload>
export type AuthMethodEvent = AuthMethodUpserted | AuthMethodDeleted

/** Tells a method's events from others; what the log holds under this topic was written by us. */
export const isAuthMethodEvent = (event: Event): event is AuthMethodEvent => event.Topic === AUTH_METHOD_TOPIC
