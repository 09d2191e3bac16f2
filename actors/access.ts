// The ACL bootstrap, and the tokens and the policy that the server creates itself (spec: acl.md §2).
import { type AccessBootstrapped, accessEvents } from '../events/cluster.js'
import { CLUSTER_TENANCY, DEFAULT_TENANCY, type Event } from '../events/envelope.js'
import { rethrowAs } from '../events/errors.js'
import { MANAGEMENT_POLICY_ID, type PolicyEvent } from '../events/policy.js'
import { formatTime, ZERO_TIME } from '../events/time.js'
import { ANONYMOUS_ACCESSOR, ANONYMOUS_SECRET, type TokenEvent } from '../events/token.js'
import { MANAGEMENT_POLICY_RULES } from '../projections/acl/rules/builtin.js'
import { RuleError } from '../projections/acl/rules/model.js'
import { parseLegacyRules } from '../projections/acl/rules/translate.js'
import type { Views } from '../projections/read-models.js'
import { type Aggregate, type Command, decideBy } from './aggregate.js'
import { lifecycleOf } from './lifecycle.js'
import { policyUpserted } from './policy.js'
import { invalid, Refusal } from './refusal.js'
import { type NewToken, tokenUpserted } from './token.js'

/** `resetIndex` is the number in the reset file of the data directory, undefined without a valid file. */
type Bootstrap = Command<'Bootstrap', NewToken & { readonly resetIndex: number | undefined }>
type CreateBuiltinPolicy = Command<'CreateBuiltinPolicy', null>
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

const namesItsToken = ({ Payload }: AccessBootstrapped): boolean => Payload.ACLBootstrap.AccessorID !== ''

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
  accessEvents.create('ACLBootstrapped', CLUSTER_TENANCY, { AccessorID, ResetIndex: index })

/** Returns a token that the server creates itself; `Rules` only for a legacy token. */
const builtinToken = (AccessorID: string, Description: string, index: number, Rules?: string) => ({
  AccessorID,
  Description,
  Policies: [],
  Roles: [],
  ServiceIdentities: [],
  NodeIdentities: [],
  ...(Rules === undefined ? {} : { Rules }),
  Local: false,
  AuthMethod: '',
  CreateTime: ZERO_TIME,
  CreateIndex: index,
  ModifyIndex: index
})

/** Creates a management token, and its policy unless that exists. */
const managementToken = (
  { data: { newAccessor }, at }: Bootstrap | CreateInitialManagement,
  secret: string,
  description: string,
  views: Views,
  index: number
): Event[] => {
  const Name = views.policyName(MANAGEMENT_POLICY_ID) ?? 'global-management'
  const token = {
    ...builtinToken(newAccessor, description, index),
    Policies: [{ ID: MANAGEMENT_POLICY_ID, Name }],
    CreateTime: formatTime(at)
  }
  return [...missingPolicy(views, index), tokenUpserted(DEFAULT_TENANCY, secret, token, 'management')]
}

/** @throws Refusal `denied` after an earlier bootstrap, `invalid` for a wrong reset index */
const bootstrap = (command: Bootstrap, views: Views, index: number): Event[] => {
  const { data } = command
  const before = views.access.bootstrap
  if (before) {
    if (!data.resetIndex)
      throw new Refusal(
        'acl.bootstrap.done',
        `Permission denied: ACL bootstrap no longer allowed (reset index: ${before.ResetIndex})`
      )
    if (data.resetIndex !== before.ResetIndex)
      throw invalid(
        'acl.bootstrap.reset-index-wrong',
        `Invalid bootstrap reset index (specified ${data.resetIndex}, reset index: ${before.ResetIndex})`
      )
  }
  return [
    bootstrapped(data.newAccessor, index),
    ...managementToken(command, data.newSecret, 'Bootstrap Token (Global Management)', views, index)
  ]
}

/** Detects that the token exists, or that the primary datacenter replicates its tokens to this one. */
const isKnown = (secret: string, { tokens, replication }: Views): boolean =>
  tokens.bySecret(secret) !== undefined || replication.position?.WithTokens === true

const initialManagement = (command: CreateInitialManagement, views: Views, index: number): Event[] => {
  const { newAccessor, secret } = command.data
  if (isKnown(secret, views)) return []
  return [
    ...(views.access.bootstrap ? [] : [bootstrapped(newAccessor, index)]),
    ...managementToken(command, secret, 'Initial Management Token', views, index)
  ]
}

const legacyToken = ({ data }: CreateLegacyToken, views: Views, index: number): TokenEvent[] => {
  if (isKnown(data.secret, views)) return []
  const fault = (message: string) =>
    invalid(
      'acl.policy.rules-invalid',
      `Rules of the legacy token "${data.name}" (acl.legacy_tokens): ${message}`
    )
  rethrowAs(() => parseLegacyRules(data.rules), RuleError, fault)
  const token = builtinToken(data.newAccessor, data.name, index, data.rules)
  return [tokenUpserted(DEFAULT_TENANCY, data.secret, token)]
}

const anonymousToken = (_command: CreateAnonymousToken, views: Views, index: number): TokenEvent[] => {
  if (views.tokens.get(ANONYMOUS_ACCESSOR)) return []
  const token = builtinToken(ANONYMOUS_ACCESSOR, 'Anonymous Token', index)
  return [tokenUpserted(DEFAULT_TENANCY, ANONYMOUS_SECRET, token)]
}

export const accessAggregate: Aggregate<AccessCommand> = {
  lifecycle: lifecycleOf<AccessBootstrapped>({
    topic: accessEvents.topic,
    states: {
      unbootstrapped: { ACLBootstrapped: { bootstrapped: namesItsToken } },
      bootstrapped: { ACLBootstrapped: { bootstrapped: namesItsToken } }
    },
    stateOf: views => (views.access.bootstrap ? 'bootstrapped' : 'unbootstrapped')
  }),
  decide: decideBy({
    Bootstrap: bootstrap,
    CreateBuiltinPolicy: (_command: CreateBuiltinPolicy, ...state: [Views, number]) =>
      missingPolicy(...state),
    CreateInitialManagement: initialManagement,
    CreateAnonymousToken: anonymousToken,
    CreateLegacyToken: legacyToken
  })
}
