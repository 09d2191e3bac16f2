// Bodies and answers of the ACL system that are not of what is stored (spec: acl.md; api.md).
import * as Type from 'typebox'
import { tokenDefinition } from '../../events/token.js'
import { responseSchema, viewExample } from './definition-schemas.js'
import { tenancyView } from './shared-views.js'
import { strict, tenancyFields, text } from './strict.js'

const QUESTION = { Resource: 'key', Access: 'read', Segment: 'web/port' }
const TOKEN_ID = '14fae9d6-bf21-4003-8506-0d2ff1b0e0a4'

export const authorizeBody = Type.Array(
  strict(
    {
      Resource: text('Resource of the rule language'),
      Segment: text('Name of the resource'),
      Access: text('read, list, write or write-prefix'),
      ...tenancyFields
    },
    { $id: 'Question', examples: [QUESTION] }
  )
)

/** A question with its answer. */
export const authorization = Type.Object(
  {
    Resource: Type.String(),
    Segment: text('Name of the resource'),
    Access: Type.String(),
    ...tenancyView,
    Allow: Type.Boolean()
  },
  { $id: 'Authorization', examples: [{ Resource: 'key', Segment: 'web/port', Access: 'read', Allow: true }] }
)

export const explainBody = strict(
  {
    Token: text('Secret of the token to explain'),
    AccessorID: text('Accessor of the token to explain, in place of Token'),
    Resource: text('Resource of the rule language, or namespace'),
    Segment: text('Name of the resource'),
    Access: text('read, list, write or write-prefix'),
    Denial: text('The text of a 403, in place of all other fields'),
    ...tenancyFields
  },
  { $id: 'ExplainInput', examples: [{ AccessorID: TOKEN_ID, ...QUESTION }] }
)

export const validateBody = strict(
  { Rules: text('Rules in HCL or JSON'), ...tenancyFields },
  { $id: 'RulesInput', examples: [{ Rules: 'key_prefix "web/" { policy = "read" }' }] }
)

const fields = Type.Object

/** A token in answers. */
export const token = responseSchema(tokenDefinition)

/** The first management token. */
export const bootstrapped = fields(
  { ID: Type.String({ description: 'The SecretID, of old' }), ...token.properties },
  {
    $id: 'BootstrapToken',
    examples: [{ ID: tokenDefinition.example.made['SecretID'], ...viewExample(tokenDefinition, 'shown') }]
  }
)

/** The newest comparison of everything replicated with the primary. */
const reconciliation = Type.Object(
  {
    Running: Type.Boolean(),
    Began: Type.String(),
    Written: Type.Integer({ description: 'Resources created or updated here' }),
    Removed: Type.Integer({ description: 'Resources removed here, which the primary does not have' })
  },
  { description: 'Absent before the first one since the leader of a secondary was started' }
)

/** State of the replication of ACLs. */
export const replication = fields(
  {
    Enabled: Type.Boolean(),
    Running: Type.Boolean(),
    SourceDatacenter: Type.String(),
    ReplicationType: Type.String({ description: 'legacy, tokens or policies' }),
    ReplicatedIndex: Type.Integer(),
    ReplicatedRoleIndex: Type.Integer(),
    ReplicatedTokenIndex: Type.Integer(),
    LastSuccess: Type.String(),
    LastError: Type.String(),
    LastErrorMessage: Type.String(),
    Reconciliation: Type.Optional(reconciliation)
  },
  {
    $id: 'Replication',
    examples: [
      {
        Enabled: false,
        Running: false,
        SourceDatacenter: '',
        ReplicationType: '',
        ReplicatedIndex: 0,
        ReplicatedRoleIndex: 0,
        ReplicatedTokenIndex: 0,
        LastSuccess: '0001-01-01T00:00:00Z',
        LastError: '0001-01-01T00:00:00Z',
        LastErrorMessage: ''
      }
    ]
  }
)

const place = { Line: Type.Optional(Type.Integer()), Column: Type.Optional(Type.Integer()) }
const resource = { Kind: Type.String(), ID: text('Of a token, role or policy'), Name: text('Its name') }

/** A decision with its reason. */
export const explanation = fields(
  {
    Allowed: Type.Boolean(),
    DecidedBy: Type.String({ description: 'rule, default policy, or ACLs are disabled' }),
    Reason: Type.String({ description: 'For people' }),
    DefaultPolicy: text('allow or deny, where it decided'),
    Rule: Type.Optional(fields({ Text: Type.String(), Level: Type.String(), ...place })),
    Source: Type.Optional(fields({ ...resource, Links: Type.Array(fields(resource)) })),
    AccessorID: Type.String({ description: 'The token asked about' }),
    Resource: Type.String(),
    Access: Type.String(),
    Segment: text('Name of the resource'),
    ...tenancyView
  },
  {
    $id: 'Explanation',
    examples: [
      {
        Allowed: false,
        DecidedBy: 'default policy',
        Reason: 'no rule is about it, and the default policy is deny',
        DefaultPolicy: 'deny',
        AccessorID: TOKEN_ID,
        ...QUESTION
      }
    ]
  }
)

const noticed = fields(
  { Message: Type.String(), Line: Type.Integer(), Column: Type.Integer() },
  { $id: 'RuleNotice' }
)

const understood = fields(
  {
    Text: Type.String({ description: 'The head of the rule' }),
    Level: Type.String(),
    Intentions: text('Of a service: the level for its intentions'),
    ...tenancyView,
    Line: Type.Integer(),
    Column: Type.Integer()
  },
  { $id: 'UnderstoodRule' }
)

/** What a rule text means, or why it means nothing. */
export const validation = fields(
  {
    Valid: Type.Boolean(),
    Rules: Type.Array(understood),
    Errors: Type.Array(noticed),
    Warnings: Type.Array(noticed)
  },
  {
    $id: 'RuleValidation',
    examples: [
      {
        Valid: true,
        Rules: [{ Text: 'key_prefix "web/"', Level: 'read', Line: 1, Column: 1 }],
        Errors: [],
        Warnings: []
      }
    ]
  }
)

export const deleted = Type.Boolean()
