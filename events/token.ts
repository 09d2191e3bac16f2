import { resourceEvents, type EventOf } from './envelope.js'
import { nodeIdentities, policyLinks, roleLinks, serviceIdentities } from './grants.js'
import {
  contentHash,
  indexes,
  tenancy,
  optionalWritable,
  inputOnly,
  computedField,
  writable,
  generated,
  optionallyGenerated,
  defineResource,
  optionalPresenceTracked,
  durationType,
  booleanType,
  secretType,
  textType,
  timeType
} from './definition/fields.js'
import type { Input, Stored } from './definition/types.js'

/** Spec: acl.md §3.1, stream.md §15. */
export const tokenDefinition = defineResource({
  name: 'Token',
  example: {
    given: {
      Description: 'of web',
      Policies: [{ Name: 'web-read' }],
      ServiceIdentities: [{ ServiceName: 'web' }]
    },
    made: {
      AccessorID: '14fae9d6-bf21-4003-8506-0d2ff1b0e0a4',
      SecretID: '049c4b06-7bff-40f3-a631-0d2ff1b0e0a4',
      Policies: [{ ID: '2b2b769b-e960-463b-99ea-0d2ff1b0e0a4', Name: 'web-read' }],
      Local: false,
      CreateTime: '2026-03-01T12:00:00Z',
      Hash: '2kz7LjOZ+xYlVvOFFRHyNhtP1HfTuIgfdKY7kEH2BT8=',
      CreateIndex: 43,
      ModifyIndex: 43
    }
  },
  fields: {
    AccessorID: writable(textType, 'Public identifier; made when not given', { hashed: false }),
    SecretID: writable(secretType, 'The credential; made when not given, <hidden> without acl:write', {
      filterable: false
    }),
    Description: writable(textType, 'Free text'),
    Policies: writable(policyLinks, 'Linked policies', { shown: 'nullable' }),
    Roles: writable(roleLinks, 'Linked roles', { shown: 'filled' }),
    ServiceIdentities: writable(serviceIdentities, 'Services that it grants the rights of', {
      shown: 'filled'
    }),
    NodeIdentities: writable(nodeIdentities, 'Nodes that it grants the rights of', { shown: 'filled' }),
    Rules: optionalWritable(textType, 'Rules in the legacy syntax; only imported tokens have them', {
      shown: 'as stored',
      listed: 'never'
    }),
    Local: writable(booleanType, 'Valid only in this datacenter'),
    AuthMethod: writable(textType, 'Name of the auth method that made it at a login', {
      shown: 'filled',
      hashed: false
    }),
    AuthMethodNamespace: optionallyGenerated(
      textType,
      'Namespace of that auth method, where it is not the own one'
    ),
    RotatedFrom: optionallyGenerated(textType, 'AccessorID of the token that it replaces, after a rotation'),
    RotatedTo: optionallyGenerated(textType, 'AccessorID of the token that replaces it, after a rotation'),
    Specification: optionalWritable(
      textType,
      'Owner label and name of its specification, as in OWNER/NAME; an update keeps it'
    ),
    ExpirationTime: optionalPresenceTracked(timeType, 'When it ends, RFC 3339', { hashed: false }),
    ExpirationTTL: inputOnly(
      durationType,
      'When it ends: a duration such as 1h30m, or a whole number of nanoseconds'
    ),
    CreateTime: generated(timeType, 'When it was made, RFC 3339; set by the service'),
    LastUsed: computedField(
      timeType,
      'Minute of the last use; absent when none is known, and in answers of writes'
    ),
    Hash: contentHash,
    ...tenancy,
    Namespace: { ...tenancy.Namespace, filterable: true },
    ...indexes
  },
  hashOrder: ['Description', 'Rules', 'Local', 'Policies', 'Roles', 'ServiceIdentities', 'NodeIdentities']
})

/** Events store it with an empty SecretID. */
export type Token = Stored<typeof tokenDefinition.fields>
export type TokenInput = Input<typeof tokenDefinition.fields>

/** Returns the owner label of a token of a specification; undefined for other tokens. */
export const ownerOfSpecification = ({
  Specification = ''
}: Pick<Token, 'Specification'>): string | undefined => {
  const slash = Specification.indexOf('/')
  return slash > 0 ? Specification.slice(0, slash) : undefined
}

export const TOKEN_TOPIC = 'ACLToken'
export const tokenEvents = resourceEvents({
  topic: TOKEN_TOPIC,
  types: ['ACLTokenUpserted', 'ACLTokenDeleted'],
  payloadOf: (token: Token) => ({ ACLToken: token }),
  keyOf: ({ ACLToken }) => ACLToken.AccessorID,
  filterKeysOf: ({ ACLToken: { AuthMethod, Policies, Roles } }) => {
    const linked = Policies.concat(Roles).map(({ ID }) => ID)
    return AuthMethod === '' ? linked : [AuthMethod, ...linked]
  }
})
export type TokenEvent = EventOf<typeof tokenEvents>
export const isTokenEvent = tokenEvents.is

export const ANONYMOUS_ACCESSOR = '00000000-0000-0000-0000-000000000002'
export const ANONYMOUS_SECRET = 'anonymous'
