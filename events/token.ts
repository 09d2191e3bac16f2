// ACL tokens: what a token is, and the events of its life.
import type { Link, NodeIdentity, ServiceIdentity } from './acl-links.js'
import type { Event } from './envelope.js'

/** A token as an event carries it: the read form with an empty SecretID (spec: acl.md §3.1, stream.md §15). */
export interface Token {
  readonly AccessorID: string
  /** Always empty here; the real one travels in the event's `Secrets`. */
  readonly SecretID: ''
  readonly Description: string
  readonly Policies: readonly Link[]
  readonly Roles: readonly Link[]
  readonly ServiceIdentities: readonly ServiceIdentity[]
  readonly NodeIdentities: readonly NodeIdentity[]
  /** Rules in the legacy syntax; only tokens made by import have them. */
  readonly Rules?: string
  readonly Local: boolean
  /** Name of the auth method that made the token at a login; empty for others. */
  readonly AuthMethod: string
  /** Namespace of that auth method, where it is not the token's own. */
  readonly AuthMethodNamespace?: string
  /** RFC 3339 with the zone and precision that the caller gave. */
  readonly ExpirationTime?: string
  /** RFC 3339, UTC. */
  readonly CreateTime: string
  /** Base64 of 32 bytes; equal content gives an equal hash (acl.md §3.2). */
  readonly Hash: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

export const TOKEN_TOPIC = 'ACLToken'
export type TokenUpserted = Event<typeof TOKEN_TOPIC, 'ACLTokenUpserted', { readonly ACLToken: Token }>
export type TokenDeleted = Event<typeof TOKEN_TOPIC, 'ACLTokenDeleted', { readonly ACLToken: Token }>
export type TokenEvent = TokenUpserted | TokenDeleted

export const ANONYMOUS_ACCESSOR = '00000000-0000-0000-0000-000000000002'
export const ANONYMOUS_SECRET = 'anonymous'

/** Tells a token's events from others; what the log holds under this topic was written by us. */
export const isTokenEvent = (event: Event): event is TokenEvent => event.Topic === TOKEN_TOPIC
