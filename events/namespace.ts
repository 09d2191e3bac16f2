// Namespaces: what a namespace is, and the events of its life.
import type { Link } from './acl-links.js'
import type { Event } from './envelope.js'

/** Policies and roles that every token of a namespace has besides its own; they stand in namespace `default`. */
export interface NamespaceAcls {
  readonly PolicyDefaults: readonly Link[]
  readonly RoleDefaults: readonly Link[]
}

/** A namespace (spec: tenancy.md §2.1). Fields that were not given are absent. */
export interface Namespace {
  readonly Name: string
  readonly Description?: string
  readonly ACLs?: NamespaceAcls
  readonly Meta?: Readonly<Record<string, string>>
  /** RFC 3339, UTC; there from the moment it is marked for deletion. */
  readonly DeletedAt?: string
  /** Only where it is not `default`. */
  readonly Partition?: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

export const NAMESPACE_TOPIC = 'Namespace'
/** Also when the namespace is marked for deletion: then `DeletedAt` is there. */
export type NamespaceUpserted = Event<
  typeof NAMESPACE_TOPIC,
  'NamespaceUpserted',
  { readonly Namespace: Namespace }
>
/** Finally removed: nothing was left in it. */
export type NamespaceDeleted = Event<
  typeof NAMESPACE_TOPIC,
  'NamespaceDeleted',
  { readonly Namespace: Namespace }
>
export type NamespaceEvent = NamespaceUpserted | NamespaceDeleted

/** Tells a namespace's events from others; what the log holds under this topic was written by us. */
export const isNamespaceEvent = (event: Event): event is NamespaceEvent => event.Topic === NAMESPACE_TOPIC
