import { resourceEvents, type EventOf } from './envelope.js'
import {
  indexes,
  defineResource,
  generated,
  optionallyGenerated,
  optionalPresenceTracked,
  optionalWritable,
  writable,
  booleanType,
  mapType,
  objectType,
  textType,
  timeType
} from './definition/fields.js'
import type { Input, Stored } from './definition/types.js'
import { policyLinks, roleLinks } from './grants.js'

/** Spec: tenancy.md §4.1. Omitted fields are absent. */
export const partitionDefinition = defineResource({
  name: 'Partition',
  example: {
    given: { Name: 'east', Description: 'What runs in the east' },
    made: { CreateIndex: 48, ModifyIndex: 48 }
  },
  fields: {
    Name: generated(textType, 'A DNS label: 1 to 63 letters, digits and hyphens'),
    Description: optionalWritable(textType, 'Free text'),
    DisableGossip: optionalWritable(booleanType, 'Kept; has no effect'),
    DeletedAt: optionallyGenerated(timeType, 'There while it is being deleted, RFC 3339; set by the service'),
    ...indexes
  }
})

export type Partition = Stored<typeof partitionDefinition.fields>
export type PartitionInput = Input<typeof partitionDefinition.fields>

export const PARTITION_TOPIC = 'Partition'
/** `DeletedAt` marks a partition whose deletion has begun; `PartitionDeleted` completes it. */
export const partitionEvents = resourceEvents({
  topic: PARTITION_TOPIC,
  types: ['PartitionUpserted', 'PartitionDeleted'],
  payloadOf: (partition: Partition) => ({ Partition: partition }),
  keyOf: payload => payload.Partition.Name
})
export type PartitionEvent = EventOf<typeof partitionEvents>
export const isPartitionEvent = partitionEvents.is

/** Policies and roles that all tokens of a namespace have in addition to their own; all belong to namespace `default`. */
const acls = objectType({
  PolicyDefaults: writable(
    policyLinks,
    'Policies of namespace default that every token of the namespace has'
  ),
  RoleDefaults: writable(roleLinks, 'Roles of namespace default that every token of the namespace has')
})
export type NamespaceAcls = Stored<typeof acls.fields>

/** Spec: tenancy.md §2.1. Omitted fields are absent. */
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
export type NamespaceInput = Input<typeof namespaceDefinition.fields>

export const NAMESPACE_TOPIC = 'Namespace'
/** `DeletedAt` marks a namespace whose deletion has begun; `NamespaceDeleted` completes it. */
export const namespaceEvents = resourceEvents({
  topic: NAMESPACE_TOPIC,
  types: ['NamespaceUpserted', 'NamespaceDeleted'],
  payloadOf: (namespace: Namespace) => ({ Namespace: namespace }),
  keyOf: payload => payload.Namespace.Name
})
export type NamespaceEvent = EventOf<typeof namespaceEvents>
export const isNamespaceEvent = namespaceEvents.is
