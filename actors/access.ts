// The ACL bootstrap, and the tokens and the policy that the server creates itself (spec: acl.md §2).
import { setup } from 'xstate'
import { ACCESS_KEY, type AccessBootstrapped, OPERATOR_TOPIC } from '../events/cluster.js'
import { DEFAULT_TENANCY, type Event } from '../events/envelope.js'
import { MANAGEMENT_POLICY_ID, type PolicyEvent } from '../events/policy.js'
import { formatTime, ZERO_TIME } from '../events/time.js'
import { ANONYMOUS_ACCESSOR, ANONYMOUS_SECRET, type TokenEvent } from '../events/token.js'
import { MANAGEMENT_POLICY_RULES } from '../projections/acl/rules/builtin.js'
import { RuleError } from '../projections/acl/rules/rule-error.js'
import { parseLegacyRules } from '../projections/acl/rules/translate.js'
import type { Views } from '../projections/read-models.js'
import type { Aggregate } from './aggregate.js'
import type { Command } from './command.js'
import type { Lifecycle, MachineEvent } from './lifecycle.js'
import { createEvent } from './create-event.js'
import { policyUpserted } from './policy.js'
import { invalid, Refusal } from './refusal.js'
import { type NewToken, tokenUpserted } from './token.js'

/** `resetIndex` is the number in the reset file of the data directory, undefined without a valid file. */
type Bootstrap = Command<'Bootstrap', NewToken & { readonly resetIndex: number | undefined }>
/** Creates the built-in policy unless it exists. */
type CreateBuiltinPolicy = Command<'CreateBuiltinPolicy', null>
/** Creates the anonymous token unless it exists. */
type CreateAnonymousToken = Command<'CreateAnonymousToken', null>
/** Creates the management token of the configuration unless its secret is in use; counts as the bootstrap. */
type CreateInitialManagement = Command<
  'CreateInitialManagement',
  { readonly newAccessor: string; readonly secret: string }
>
/** Creates a legacy token with rules of its own, unless its secret is in use (acl.md §13.2). */
type CreateLegacyToken = Command<
  'CreateLegacyToken',
  {
    readonly newAccessor: string
    readonly secret: string
    readonly name: string
    /** Rules in the legacy syntax, in which labels are prefixes. */
    readonly rules: string
  }
>
export type AccessCommand =
  Bootstrap | CreateBuiltinPolicy | CreateAnonymousToken | CreateInitialManagement | CreateLegacyToken

const accessMachine = setup({
  types: { events: {} as MachineEvent<AccessBootstrapped> },
  guards: { namesItsToken: ({ event }) => event.event.Payload.ACLBootstrap.AccessorID !== '' }
}).createMachine({
  id: OPERATOR_TOPIC,
  initial: 'unbootstrapped',
  states: {
    unbootstrapped: { on: { ACLBootstrapped: { target: 'bootstrapped', guard: 'namesItsToken' } } },
    bootstrapped: { on: { ACLBootstrapped: { target: 'bootstrapped', guard: 'namesItsToken' } } }
  }
})

const accessLifecycle: Lifecycle = {
  topic: OPERATOR_TOPIC,
  machine: accessMachine,
  endings: [],
  stateOf: views => (views.access.bootstrap ? 'bootstrapped' : 'unbootstrapped')
}

const builtinPolicy = (index: number): PolicyEvent =>
  policyUpserted(DEFAULT_TENANCY, {
    ID: MANAGEMENT_POLICY_ID,
    Name: 'global-management',
    Description: 'Builtin Policy that grants unlimited access',
    Rules: MANAGEMENT_POLICY_RULES,
    Datacenters: [],
    CreateIndex: index,
    ModifyIndex: index
  })

const missingPolicy = (views: Views, index: number): PolicyEvent[] =>
  views.policies.get(MANAGEMENT_POLICY_ID) ? [] : [builtinPolicy(index)]

const bootstrapped = (AccessorID: string, index: number): AccessBootstrapped =>
  createEvent({
    Topic: OPERATOR_TOPIC,
    Type: 'ACLBootstrapped',
    Key: ACCESS_KEY,
    Payload: { ACLBootstrap: { AccessorID, ResetIndex: index } }
  })

interface NewManagementToken {
  readonly accessor: string
  readonly secret: string
  readonly description: string
  readonly at: number
}

const managementToken = (token: NewManagementToken, views: Views, index: number): TokenEvent =>
  tokenUpserted(
    DEFAULT_TENANCY,
    token.secret,
    {
      AccessorID: token.accessor,
      Description: token.description,
      Policies: [
        { ID: MANAGEMENT_POLICY_ID, Name: views.policyName(MANAGEMENT_POLICY_ID) ?? 'global-management' }
      ],
      Roles: [],
      ServiceIdentities: [],
      NodeIdentities: [],
      Local: false,
      AuthMethod: '',
      CreateTime: formatTime(token.at),
      CreateIndex: index,
      ModifyIndex: index
    },
    'management'
  )

const bootstrap = ({ data, at }: Bootstrap, views: Views, index: number): Event[] => {
  const before = views.access.bootstrap
  if (before) {
    if (!data.resetIndex)
      throw new Refusal(
        'denied',
        `Permission denied: ACL bootstrap no longer allowed (reset index: ${before.ResetIndex})`
      )
    if (data.resetIndex !== before.ResetIndex)
      throw invalid(
        `Invalid bootstrap reset index (specified ${data.resetIndex}, reset index: ${before.ResetIndex})`
      )
  }
  const token = {
    accessor: data.newAccessor,
    secret: data.newSecret,
    description: 'Bootstrap Token (Global Management)',
    at
  }
  return [
    bootstrapped(data.newAccessor, index),
    ...missingPolicy(views, index),
    managementToken(token, views, index)
  ]
}

/** Detects that the token exists, or that the primary datacenter replicates its tokens to this one. */
const isKnown = (secret: string, { tokens, replication }: Views): boolean =>
  tokens.bySecret(secret) !== undefined || replication.position?.WithTokens === true

const initialManagement = ({ data, at }: CreateInitialManagement, views: Views, index: number): Event[] => {
  if (isKnown(data.secret, views)) return []
  const token = {
    accessor: data.newAccessor,
    secret: data.secret,
    description: 'Initial Management Token',
    at
  }
  return [
    ...(views.access.bootstrap ? [] : [bootstrapped(data.newAccessor, index)]),
    ...missingPolicy(views, index),
    managementToken(token, views, index)
  ]
}

const withoutLinks = { Policies: [], Roles: [], ServiceIdentities: [], NodeIdentities: [] }

const legacyToken = ({ data }: CreateLegacyToken, views: Views, index: number): TokenEvent[] => {
  if (isKnown(data.secret, views)) return []
  try {
    parseLegacyRules(data.rules)
  } catch (error) {
    if (error instanceof RuleError)
      throw invalid(`Rules of the legacy token "${data.name}" (acl.legacy_tokens): ${error.message}`)
    throw error
  }
  return [
    tokenUpserted(DEFAULT_TENANCY, data.secret, {
      AccessorID: data.newAccessor,
      Description: data.name,
      ...withoutLinks,
      Rules: data.rules,
      Local: false,
      AuthMethod: '',
      CreateTime: ZERO_TIME,
      CreateIndex: index,
      ModifyIndex: index
    })
  ]
}

const anonymousToken = (views: Views, index: number): TokenEvent[] =>
  views.tokens.get(ANONYMOUS_ACCESSOR)
    ? []
    : [
        tokenUpserted(DEFAULT_TENANCY, ANONYMOUS_SECRET, {
          AccessorID: ANONYMOUS_ACCESSOR,
          Description: 'Anonymous Token',
          ...withoutLinks,
          Local: false,
          AuthMethod: '',
          CreateTime: ZERO_TIME,
          CreateIndex: index,
          ModifyIndex: index
        })
      ]

/** @throws Refusal `denied` after an earlier bootstrap, `invalid` for a wrong reset index or legacy rules */
const decideAccess = (command: AccessCommand, views: Views, index: number): readonly Event[] => {
  switch (command.name) {
    case 'Bootstrap':
      return bootstrap(command, views, index)
    case 'CreateBuiltinPolicy':
      return missingPolicy(views, index)
    case 'CreateInitialManagement':
      return initialManagement(command, views, index)
    case 'CreateAnonymousToken':
      return anonymousToken(views, index)
    case 'CreateLegacyToken':
      return legacyToken(command, views, index)
  }
}

export const accessAggregate: Aggregate<AccessCommand> = { lifecycle: accessLifecycle, decide: decideAccess }
