// ACL roles: what a role is, and the events of its life.
import type { Link, NodeIdentity, ServiceIdentity } from './acl-links.js'
import type { Event } from './envelope.js'

/** A role: a set of links and identities that tokens share (spec: acl.md §5). */
export interface Role {
  readonly ID: string
  readonly Name: string
  readonly Description: string
  readonly Policies: readonly Link[]
  readonly ServiceIdentities: readonly ServiceIdentity[]
  readonly NodeIdentities: readonly NodeIdentity[]
  /** Base64 of 32 bytes; equal content gives an equal hash (acl.md §3.2). */
  readonly Hash: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

export const ROLE_TOPIC = 'ACLRole'
export type RoleUpserted = Event<typeof ROLE_TOPIC, 'ACLRoleUpserted', { readonly ACLRole: Role }>
export type RoleDeleted = Event<typeof ROLE_TOPIC, 'ACLRoleDeleted', { readonly ACLRole: Role }>
export type RoleEvent = RoleUpserted | RoleDeleted

/** Tells a role's events from others; what the log holds under this topic was written by us. */
export const isRoleEvent = (event: Event): event is RoleEvent => event.Topic === ROLE_TOPIC
