// A token resolution that the primary datacenter sends to another one.
import * as Type from 'typebox'

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
