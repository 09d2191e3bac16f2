import { resourceEvents, type EventOf } from './envelope.js'
import {
  contentHash,
  indexes,
  noCreateTime,
  tenancy,
  writable,
  generated,
  defineResource,
  presenceTracked,
  textType,
  textListType
} from './definition/fields.js'
import type { Input, Stored } from './definition/types.js'

/** Spec: acl.md §4.1. */
export const policyDefinition = defineResource({
  name: 'Policy',
  example: {
    given: {
      Name: 'web-read',
      Description: 'Reads what web needs',
      Rules: 'key_prefix "web/" { policy = "read" }'
    },
    made: {
      ID: '2b2b769b-e960-463b-99ea-0d2ff1b0e0a4',
      Hash: '1lPic9SyasB1eNmJ8vHCZOpa1HfTuIgfdKY7kEH2BT8=',
      CreateIndex: 42,
      ModifyIndex: 42
    }
  },
  fields: {
    ID: generated(textType, 'UUID; set by the service'),
    Name: writable(textType, 'Letters, digits, - and _, at most 128'),
    Description: writable(textType, 'Free text'),
    Rules: writable(textType, 'Rules in HCL or JSON, kept exactly as given', { listed: 'never' }),
    Datacenters: presenceTracked(textListType, 'Where the policy is valid; empty means everywhere', {
      shown: 'filled',
      listed: 'nullable'
    }),
    ...tenancy,
    CreateTime: noCreateTime,
    Hash: contentHash,
    ...indexes
  },
  hashOrder: ['Name', 'Description', 'Rules', 'Datacenters']
})

export type Policy = Stored<typeof policyDefinition.fields>
export type PolicyInput = Input<typeof policyDefinition.fields>

export const POLICY_TOPIC = 'ACLPolicy'
export const policyEvents = resourceEvents({
  topic: POLICY_TOPIC,
  types: ['ACLPolicyUpserted', 'ACLPolicyDeleted'],
  payloadOf: (policy: Policy) => ({ ACLPolicy: policy }),
  keyOf: ({ ACLPolicy }) => ACLPolicy.ID,
  filterKeysOf: ({ ACLPolicy }) => [ACLPolicy.Name]
})
export type PolicyEvent = EventOf<typeof policyEvents>
export const isPolicyEvent = policyEvents.is

/** The built-in policy that grants all permissions. */
export const MANAGEMENT_POLICY_ID = '00000000-0000-0000-0000-000000000001'
