// The permissions of a token in responses.
import * as Type from 'typebox'
import { tenancyView, flag, text, sample, view } from './view.js'

const linkFields = {
  Kind: Type.String(),
  ID: text('Of a role or policy'),
  Name: text('Its name of today, or that of an identity')
}
const link = Type.Object({
  ...linkFields,
  Kind: Type.String({ description: 'token, role, namespace default or role of a namespace default' })
})

const source = view('RuleSource', {
  ...linkFields,
  Kind: Type.String({ description: 'policy, service identity, node identity or legacy rules' }),
  Links: Type.Array(link, { description: 'Everything by which the token has it' })
})

const place = {
  Line: Type.Optional(Type.Integer({ description: 'Where the rule stands in the text of its policy' })),
  Column: Type.Optional(Type.Integer()),
  Source: Type.Optional(source)
}

const effectiveRule = view('EffectiveRule', {
  Text: Type.String({ description: 'The head of the rule' }),
  Resource: Type.String(),
  Level: Type.String({ description: 'deny, read, list or write' }),
  Intentions: text('Of a service: the level for its intentions'),
  IntentionsFrom: Type.Optional(
    Type.Object(place, { description: 'Where that comes from, if another rule says it' })
  ),
  Namespace: Type.String({
    description: 'Where the rule counts: a name, or a beginning with `*` behind it'
  }),
  Partition: Type.String({ description: 'As Namespace' }),
  ...place,
  IsDefault: flag(
    'Of the defaults of the namespace: counts only for what no other rule of the token is about'
  )
})

const RULE = {
  Text: 'key_prefix "web/"',
  Resource: 'key',
  Level: 'read',
  Namespace: 'default',
  Partition: 'default',
  Line: 1,
  Column: 1,
  Source: {
    Kind: 'policy',
    ID: '4b1b2b5c-3d6c-4a6e-8a0d-0d2ff1b0e0a4',
    Name: 'web',
    Links: [{ Kind: 'token' }]
  }
}

/** The rules that apply to a token. */
export const effectivePermissions = view('Rights', {
  AccessorID: sample.text('14fae9d6-bf21-4003-8506-0d2ff1b0e0a4'),
  ...tenancyView,
  Datacenter: sample.text('dc1', 'Where these rights are those of the token'),
  DefaultPolicy: sample.text('deny', 'allow or deny: the decision for a resource without a rule'),
  Rules: sample.of([RULE], Type.Array(effectiveRule))
})

// A token resolution that the primary datacenter sends to another one.

const texts = Type.Array(Type.String())
const identity = { ID: Type.String(), Name: Type.String() }
const links = Type.Array(Type.Object(identity))
const tenancy = Type.Object({ partition: Type.String(), namespace: Type.String() })
const serviceIdentities = Type.Array(
  Type.Object({ ServiceName: Type.String(), Datacenters: Type.Optional(texts) })
)
const nodeIdentities = Type.Array(Type.Object({ NodeName: Type.String(), Datacenter: Type.String() }))
const common = {
  Description: Type.String(),
  Hash: Type.String(),
  CreateIndex: Type.Integer(),
  ModifyIndex: Type.Integer()
}

const token = Type.Object({
  ...common,
  AccessorID: Type.String(),
  SecretID: Type.Literal(''),
  Policies: links,
  Roles: links,
  ServiceIdentities: serviceIdentities,
  NodeIdentities: nodeIdentities,
  Rules: Type.Optional(Type.String()),
  Local: Type.Boolean(),
  AuthMethod: Type.String(),
  AuthMethodNamespace: Type.Optional(Type.String()),
  ExpirationTime: Type.Optional(Type.String()),
  CreateTime: Type.String()
})

const policy = Type.Object({
  ...common,
  ...identity,
  Rules: Type.String(),
  Datacenters: texts
})

const role = Type.Object({
  ...common,
  ...identity,
  Policies: links,
  ServiceIdentities: serviceIdentities,
  NodeIdentities: nodeIdentities
})

/** Later versions may send further fields. */
export const tokenResolution = Type.Union([
  Type.Object({ kind: Type.Literal('local') }),
  Type.Object({ kind: Type.Literal('unknown') }),
  Type.Object({
    kind: Type.Literal('token'),
    token,
    tenancy,
    policies: Type.Array(Type.Object({ policy, tenancy })),
    roles: Type.Array(Type.Object({ role })),
    defaults: Type.Optional(Type.Object({ PolicyDefaults: links, RoleDefaults: links }))
  })
])
