// Bodies of tokens, policies and roles (spec: acl.md §3 to §5; api.md, ACL token).
import * as Type from 'typebox'
import { shownTenancy } from './shown.js'
import { flag, setByService, strict, tenancyFields, text, texts } from './strict.js'

const link = strict({
  ID: text('ID of what is linked; when given it alone decides'),
  Name: text('Name of what is linked; its letter case does not matter')
})

export const links = (description: string) => Type.Optional(Type.Array(link, { description }))

const serviceIdentity = strict({
  ServiceName: text('Service, 1 to 256 characters: lower-case letters, digits, - and _'),
  Datacenters: texts('Where it is valid; empty means everywhere'),
  ...tenancyFields
})
const nodeIdentity = strict({
  NodeName: text('Node, 1 to 256 characters: lower-case letters, digits, - and _'),
  Datacenter: text('The one datacenter where it is valid'),
  ...tenancyFields
})

/** What tokens and roles grant. */
export const grantFields = {
  Policies: links('Linked policies'),
  ServiceIdentities: Type.Optional(Type.Array(serviceIdentity)),
  NodeIdentities: Type.Optional(Type.Array(nodeIdentity))
}

const duration = Type.Optional(
  Type.Union([Type.String(), Type.Integer()], {
    description: 'A duration such as 1h30m, or a whole number of nanoseconds'
  })
)

export const tokenBody = strict({
  AccessorID: text('Public identifier; made when not given'),
  SecretID: text('The credential; made when not given'),
  Description: text('Free text'),
  ...grantFields,
  Roles: links('Linked roles'),
  Local: flag('Valid only in this datacenter'),
  Rules: text('Only legacy tokens have rules of their own'),
  AuthMethod: text('Auth method that made the token'),
  AuthMethodNamespace: text('Namespace of that auth method'),
  ExpirationTime: text('When the token ends, RFC 3339'),
  ExpirationTTL: duration,
  LastUsed: text('Set by the service'),
  ...tenancyFields,
  ...setByService
})

export const roleBody = strict({
  ID: text('Set by the service'),
  Name: text('Letters, digits, - and _, at most 256'),
  Description: text('Free text'),
  ...grantFields,
  ...tenancyFields,
  ...setByService
})

export const authorizeBody = Type.Array(
  strict({
    Resource: text('Resource of the rule language'),
    Segment: text('Name of the thing'),
    Access: text('read, list, write or write-prefix'),
    ...tenancyFields
  })
)

/** A question with its answer. */
export const authorization = Type.Object(
  {
    Resource: Type.String(),
    Segment: text('Name of the thing'),
    Access: Type.String(),
    ...shownTenancy,
    Allow: Type.Boolean()
  },
  { $id: 'Authorization', examples: [{ Resource: 'key', Segment: 'web/port', Access: 'read', Allow: true }] }
)

export const explainBody = strict({
  Token: text('Secret of the token to explain'),
  AccessorID: text('Accessor of the token to explain, in place of Token'),
  Resource: text('Resource of the rule language, or namespace'),
  Segment: text('Name of the thing'),
  Access: text('read, list, write or write-prefix'),
  Denial: text('The text of a 403, in place of all other fields'),
  ...tenancyFields
})

export const validateBody = strict({
  Rules: text('Rules in HCL or JSON'),
  ...tenancyFields
})

const answer = Type.Object({}, { additionalProperties: true })
const fields = Type.Object
const shownLink = fields({ ID: Type.String(), Name: Type.String() })
const common = { ...shownTenancy, CreateIndex: Type.Integer(), ModifyIndex: Type.Integer() }

/** A token in answers. */
export const token = fields({
  AccessorID: Type.String(),
  SecretID: Type.String({ description: '<hidden> without acl:write' }),
  Description: Type.String(),
  Policies: Type.Union([Type.Array(shownLink), Type.Null()]),
  Roles: Type.Optional(Type.Array(shownLink)),
  ServiceIdentities: Type.Optional(Type.Array(answer)),
  NodeIdentities: Type.Optional(Type.Array(answer)),
  Local: Type.Boolean(),
  AuthMethod: Type.Optional(Type.String()),
  ExpirationTime: Type.Optional(Type.String()),
  CreateTime: Type.String(),
  LastUsed: Type.Optional(
    Type.String({
      description: 'Minute of the last use; absent when none is known, and in answers of writes'
    })
  ),
  Hash: Type.String(),
  ...common
})

/** The first management token. */
export const bootstrapped = fields({
  ID: Type.String({ description: 'The SecretID, of old' }),
  ...token.properties
})

/** A role in answers. */
export const role = fields({
  ID: Type.String(),
  Name: Type.String(),
  Description: Type.String(),
  Policies: Type.Optional(Type.Array(shownLink)),
  ServiceIdentities: Type.Optional(Type.Array(answer)),
  NodeIdentities: Type.Optional(Type.Array(answer)),
  Hash: Type.String(),
  ...common
})

/** State of the replication of ACLs. */
export const replication = fields({
  Enabled: Type.Boolean(),
  Running: Type.Boolean(),
  SourceDatacenter: Type.String(),
  ReplicationType: Type.String({ description: 'legacy, tokens or policies' }),
  ReplicatedIndex: Type.Integer(),
  ReplicatedRoleIndex: Type.Integer(),
  ReplicatedTokenIndex: Type.Integer(),
  LastSuccess: Type.String(),
  LastError: Type.String(),
  LastErrorMessage: Type.String()
})

const place = { Line: Type.Optional(Type.Integer()), Column: Type.Optional(Type.Integer()) }
const thing = {
  Kind: Type.String(),
  ID: text('Of a token, role or policy'),
  Name: text('Its name')
}
const QUESTION = { Resource: 'key', Access: 'read', Segment: 'web/port' }
const TOKEN_ID = '14fae9d6-bf21-4003-8506-0d2ff1b0e0a4'

/** A decision with its reason. */
export const explanation = fields(
  {
    Allowed: Type.Boolean(),
    DecidedBy: Type.String({ description: 'rule, default policy, or ACLs are disabled' }),
    Reason: Type.String({ description: 'For people' }),
    DefaultPolicy: text('allow or deny, where it decided'),
    Rule: Type.Optional(fields({ Text: Type.String(), Level: Type.String(), ...place })),
    Source: Type.Optional(fields({ ...thing, Links: Type.Array(fields(thing)) })),
    AccessorID: Type.String({ description: 'The token asked about' }),
    Resource: Type.String(),
    Access: Type.String(),
    Segment: text('Name of the thing'),
    ...shownTenancy
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
    ...shownTenancy,
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
