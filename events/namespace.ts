// Namespaces: what a namespace is, and the events of its life.
import type { Event } from './envelope.js'
import { policyLinks, roleLinks } from './grants.js'
import { indexes } from './definition/common.js'
import {
  optionalWritable,
  writable,
  generated,
  optionallyGenerated,
  defineResource,
  optionalPresenceTracked
} from './definition/fields.js'
import { mapType, objectType, textType, timeType } from './definition/value-types.js'
import type { Input, Stored } from './definition/types.js'

/** Policies and roles that every token of a namespace has besides its own; they stand in namespace `default`. */
const acls = objectType({
  PolicyDefaults: writable(
    policyLinks,
    'Policies of namespace default that every token of the namespace has'
  ),
  RoleDefaults: writable(roleLinks, 'Roles of namespace default that every token of the namespace has')
})
export type NamespaceAcls = Stored<typeof acls.fields>

/** A namespace (spec: tenancy.md §2.1). Fields that were not given are absent. */
export const namespaceDefinition = defineResource({
  name: 'Namespace',
  example: {
    given: { Name: 'team', Description: 'What the team runs', Meta: { owner: 'team@example' } },
    made: { CreateIndex: 47, ModifyIndex: 47 }
  },
  fields: {
    Name: generated(textType, 'A DNS label: 1 to 63 letters, digits and hyphens'),
    Description: optionalWritable(textType, 'Free text'),
    ACLs: optionalPresenceTracked(acls, 'What every token of the namespace has besides its own links'),
    Meta: optionalWritable(
      mapType(textType),
      'At most 64 pairs, keys of at most 128 characters, values of at most 512'
    ),
    DeletedAt: optionallyGenerated(timeType, 'There while it is being deleted, RFC 3339; set by the service'),
    Partition: optionallyGenerated(
      textType,
      'Admin partition of the namespace; answers have it where it is not default'
    ),
    ...indexes
  }
})

export type Namespace = Stored<typeof namespaceDefinition.fields>
/** What a caller says of a namespace. */
export type NamespaceInput = Input<typeof namespaceDefinition.fields>

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
