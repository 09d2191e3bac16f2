// Bodies of namespaces and admin partitions (spec: tenancy.md §2.1, §4.1).
import * as Type from 'typebox'
import { flag, integer, strict, text } from './strict.js'
import { links } from './acl.js'

const setByService = {
  DeletedAt: text('Set by the service'),
  CreateIndex: integer('Set by the service'),
  ModifyIndex: integer('Set by the service')
}

export const namespaceBody = strict({
  Name: text('A DNS label: 1 to 63 letters, digits and hyphens'),
  Description: text('Free text'),
  ACLs: Type.Optional(
    strict({
      PolicyDefaults: links('Policies of namespace default that every token of the namespace has'),
      RoleDefaults: links('Roles of namespace default that every token of the namespace has')
    })
  ),
  Meta: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: 'At most 64 pairs, keys of at most 128 characters, values of at most 512'
    })
  ),
  Partition: text('Admin partition of the namespace'),
  ...setByService
})

export const partitionBody = strict({
  Name: text('A DNS label: 1 to 63 letters, digits and hyphens'),
  Description: text('Free text'),
  DisableGossip: flag('Kept; has no effect'),
  ...setByService
})

const answered = {
  DeletedAt: Type.Optional(Type.String({ description: 'There while it is being deleted, RFC 3339' })),
  CreateIndex: Type.Integer(),
  ModifyIndex: Type.Integer()
}
const shownLinks = Type.Array(Type.Object({ ID: Type.String(), Name: Type.String() }))

/** A namespace in answers. */
export const namespace = Type.Object({
  Name: Type.String(),
  Description: Type.Optional(Type.String()),
  ACLs: Type.Optional(Type.Object({ PolicyDefaults: shownLinks, RoleDefaults: shownLinks })),
  Meta: Type.Optional(Type.Record(Type.String(), Type.String())),
  Partition: Type.Optional(Type.String({ description: 'Where it is not default' })),
  ...answered
})

/** An admin partition in answers. */
export const partition = Type.Object({
  Name: Type.String(),
  Description: Type.Optional(Type.String()),
  DisableGossip: Type.Optional(Type.Boolean()),
  ...answered
})
