// Links and identities in tokens and roles (spec: acl.md §6, §7).
import {
  optionalWritable,
  writable,
  ignoredField,
  linksType,
  listType,
  objectType,
  textType,
  textListType
} from './definition/fields.js'
import type { Stored } from './definition/types.js'

const ignoredTenancy = {
  Namespace: ignoredField(textType, 'Ignored'),
  Partition: ignoredField(textType, 'Ignored')
}

const serviceIdentity = objectType({
  ServiceName: writable(textType, 'Service, 1 to 256 characters: lower-case letters, digits, - and _'),
  Datacenters: optionalWritable(textListType, 'Where it is valid; empty means everywhere'),
  ...ignoredTenancy
})

const nodeIdentity = objectType({
  NodeName: writable(textType, 'Node, 1 to 256 characters: lower-case letters, digits, - and _'),
  Datacenter: writable(textType, 'The one datacenter where it is valid'),
  ...ignoredTenancy
})

/** Valid in every datacenter when `Datacenters` is absent or empty. */
export type ServiceIdentity = Stored<typeof serviceIdentity.fields>
/** Valid only in its datacenter. */
export type NodeIdentity = Stored<typeof nodeIdentity.fields>

export const policyLinks = linksType('policy')
export const roleLinks = linksType('role')
export const serviceIdentities = listType(serviceIdentity)
export const nodeIdentities = listType(nodeIdentity)
