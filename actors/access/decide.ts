// Decides the commands on the ACL system (spec: acl.md §2).
import { ACCESS_KEY, OPERATOR_TOPIC, type AccessBootstrapped } from '../../events/access.js'
import { DEFAULT_TENANCY, type Event } from '../../events/envelope.js'
import { MANAGEMENT_POLICY_ID, type PolicyEvent } from '../../events/policy.js'
import { formatTime, ZERO_TIME } from '../../events/time.js'
import { ANONYMOUS_ACCESSOR, ANONYMOUS_SECRET, type TokenEvent } from '../../events/token.js'
import { MANAGEMENT_POLICY_RULES } from '../../projections/acl/rules/builtin.js'
import { RuleError } from '../../projections/acl/rules/rule-error.js'
import { parseLegacyRules } from '../../projections/acl/rules/translate.js'
import type { Views } from '../../projections/views.js'
import { makeEvent } from '../make-event.js'
import { policyUpserted } from '../policy/events.js'
import { invalid, Refusal } from '../refusal.js'
import { tokenUpserted } from '../token/events.js'
import type { AccessCommand, Bootstrap, CreateInitialManagement, CreateLegacyToken } from './commands.js'

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
  makeEvent({
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

const initialManagement = ({ data, at }: CreateInitialManagement, views: Views, index: number): Event[] => {
  if (views.tokens.bySecret(data.secret)) return []
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
  if (views.tokens.bySecret(data.secret)) return []
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

/** @throws Refusal `denied` when bootstrapped already, `invalid` for a wrong reset index or legacy rules */
export const decideAccess = (command: AccessCommand, views: Views, index: number): readonly Event[] => {
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
