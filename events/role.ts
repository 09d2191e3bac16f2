import { resourceEvents, type EventOf } from './envelope.js'
import { nodeIdentities, policyLinks, serviceIdentities } from './grants.js'
import {
  contentHash,
  indexes,
  noCreateTime,
  tenancy,
  writable,
  generated,
  defineResource,
  textType
} from './definition/fields.js'
import type { Input, Stored } from './definition/types.js'

/** Spec: acl.md §5. */
export const roleDefinition = defineResource({
  name: 'Role',
  example: {
    given: { Name: 'web', Description: 'All that web may do', Policies: [{ Name: 'web-read' }] },
    made: {
      ID: '23095777-7986-4fc3-a9b4-0d2ff1b0e0a4',
      Policies: [{ ID: '2b2b769b-e960-463b-99ea-0d2ff1b0e0a4', Name: 'web-read' }],
      Hash: '4k1RolC3myo49QtWZXfgIpUp1HfTuIgfdKY7kEH2BT8=',
      CreateIndex: 44,
      ModifyIndex: 44
    }
  },
  fields: {
    ID: generated(textType, 'UUID; set by the service'),
    Name: writable(textType, 'Letters, digits, - and _, at most 256'),
    Description: writable(textType, 'Free text'),
    Policies: writable(policyLinks, 'Linked policies', { shown: 'filled' }),
    ServiceIdentities: writable(serviceIdentities, 'Services that it grants the rights of', {
      shown: 'filled'
    }),
    NodeIdentities: writable(nodeIdentities, 'Nodes that it grants the rights of', { shown: 'filled' }),
    ...tenancy,
    CreateTime: noCreateTime,
    Hash: contentHash,
    ...indexes
  },
  hashOrder: ['Name', 'Description', 'Policies', 'ServiceIdentities', 'NodeIdentities']
})

export type Role = Stored<typeof roleDefinition.fields>
export type RoleInput = Input<typeof roleDefinition.fields>

export const ROLE_TOPIC = 'ACLRole'
export const roleEvents = resourceEvents({
  topic: ROLE_TOPIC,
  types: ['ACLRoleUpserted', 'ACLRoleDeleted'],
  payloadOf: (role: Role) => ({ ACLRole: role }),
  keyOf: ({ ACLRole }) => ACLRole.ID,
  filterKeysOf: ({ ACLRole }) => [ACLRole.Name]
})
export type RoleEvent = EventOf<typeof roleEvents>
export const isRoleEvent = roleEvents.is
