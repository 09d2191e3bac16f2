// Bodies and responses of the ACL system other than stored resources (spec: acl.md; api.md).
import * as Type from 'typebox'
import { tokenDefinition } from '../../events/token.js'
import { REVIEW_CHECKS } from '../../projections/acl/review.js'
import { responseSchema, viewExample } from './definition-schemas.js'
import { tenancyView, strict, tenancyFields, text, sample, view } from './view.js'

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

/** A question with its decision. */
export const authorization = view('Authorization', {
  Resource: sample.text('key'),
  Segment: sample.of('web/port', text('Name of the resource')),
  Access: sample.text('read'),
  ...tenancyView,
  Allow: sample.flag(true)
})

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

/** A token in responses. */
export const token = responseSchema(tokenDefinition)

/** The first management token. */
export const bootstrapped = Type.Object(
  { ID: Type.String({ description: 'The SecretID, of old' }), ...token.properties },
  {
    $id: 'BootstrapToken',
    examples: [{ ID: tokenDefinition.example.made['SecretID'], ...viewExample(tokenDefinition, 'shown') }]
  }
)

export const bootstrap = view('Bootstrap', {
  Allowed: sample.flag(true, 'The bootstrap will create a token')
})

/** The last full comparison with the primary datacenter. */
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
export const replication = view('Replication', {
  Enabled: sample.flag(false),
  Running: sample.flag(false),
  SourceDatacenter: sample.text(''),
  ReplicationType: sample.text('', 'legacy, tokens or policies'),
  ReplicatedIndex: sample.integer(0),
  ReplicatedRoleIndex: sample.integer(0),
  ReplicatedTokenIndex: sample.integer(0),
  LastSuccess: sample.text('0001-01-01T00:00:00Z'),
  LastError: sample.text('0001-01-01T00:00:00Z'),
  LastErrorMessage: sample.text(''),
  Reconciliation: Type.Optional(reconciliation)
})

const place = { Line: Type.Optional(Type.Integer()), Column: Type.Optional(Type.Integer()) }
const resource = { Kind: Type.String(), ID: text('Of a token, role or policy'), Name: text('Its name') }

const decision = {
  DecidedBy: sample.text('default policy', 'rule, default policy, or ACLs are disabled'),
  Reason: sample.text('no rule is about it, and the default policy is deny', 'For people'),
  DefaultPolicy: sample.of('deny', text('allow or deny, where it decided')),
  Rule: Type.Optional(Type.Object({ Text: Type.String(), Level: Type.String(), ...place })),
  Source: Type.Optional(Type.Object({ ...resource, Links: Type.Array(Type.Object(resource)) }))
}

/** A token, role or binding rule with a permission. */
export const permissionHolder = view('PermissionHolder', {
  Kind: sample.text('token', 'token, login (a token that an auth method created), role or binding rule'),
  ID: sample.text(TOKEN_ID, 'AccessorID of a token, otherwise the ID'),
  Name: sample.of('web on host 1', text('Name of a role, description of a token or binding rule')),
  ...tenancyView,
  AuthMethod: text('Auth method of a login or binding rule'),
  Selector: text('The identities that a binding rule selects; absent for all'),
  BindType: text('Of a binding rule: service, node or role'),
  BindName: text('Of a binding rule: the name that it binds, or a template'),
  ...decision,
  DecidedBy: sample.text('rule', 'rule or default policy'),
  Reason: sample.text('The rule key_prefix "web/", has the level read, which grants key:read', 'For people'),
  DefaultPolicy: text('allow, where it decided')
})

/** A finding of the review of access control. */
export const reviewFinding = view('AclFinding', {
  Check: sample.text('unused-token', REVIEW_CHECKS.join(', ')),
  Kind: sample.text('token', 'token, role or policy'),
  ID: sample.text(TOKEN_ID, 'AccessorID of a token, otherwise the ID'),
  Name: sample.of('web on host 1', text('Name of a role or policy, description of a token')),
  ...tenancyView,
  Message: sample.text('The token has no known use', 'For people'),
  Fix: sample.of(
    [`annals token delete ${TOKEN_ID}`],
    Type.Array(Type.String(), { description: 'Commands that fix it' })
  )
})

/** A decision with its reason. */
export const explanation = view('Explanation', {
  Allowed: sample.flag(false),
  ...decision,
  AccessorID: sample.text(TOKEN_ID, 'The token asked about'),
  Resource: sample.text(QUESTION.Resource),
  Access: sample.text(QUESTION.Access),
  Segment: sample.of(QUESTION.Segment, text('Name of the resource')),
  ...tenancyView
})

const notices = Type.Array(
  view('RuleNotice', { Message: Type.String(), Line: Type.Integer(), Column: Type.Integer() })
)

const rule = view('UnderstoodRule', {
  Text: Type.String({ description: 'The head of the rule' }),
  Level: Type.String(),
  Intentions: text('Of a service: the level for its intentions'),
  ...tenancyView,
  Line: Type.Integer(),
  Column: Type.Integer()
})

/** The result of parsing a rule text. */
export const validation = view('RuleValidation', {
  Valid: sample.flag(true),
  Rules: sample.of([{ Text: 'key_prefix "web/"', Level: 'read', Line: 1, Column: 1 }], Type.Array(rule)),
  Errors: sample.of([], notices),
  Warnings: sample.of([], notices)
})

export const deleted = Type.Boolean()
