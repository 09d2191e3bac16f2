// What tokens and roles grant: links to policies and roles, and identities (spec: acl.md §6, §7).
import { added, given, ignored } from './shape/fields.js'
import { links, list, object, text, texts } from './shape/forms.js'
import type { Stored } from './shape/types.js'

const ignoredTenancy = {
  Namespace: ignored(text, 'Ignored'),
  Partition: ignored(text, 'Ignored')
}

const serviceIdentity = object({
  ServiceName: given(text, 'Service, 1 to 256 characters: lower-case letters, digits, - and _'),
  Datacenters: added(texts, 'Where it is valid; empty means everywhere'),
  ...ignoredTenancy
})

const nodeIdentity = object({
  NodeName: given(text, 'Node, 1 to 256 characters: lower-case letters, digits, - and _'),
  Datacenter: given(text, 'The one datacenter where it is valid'),
  ...ignoredTenancy
})

/** Valid in every datacenter when `Datacenters` is absent or empty. */
export type ServiceIdentity = Stored<typeof serviceIdentity.fields>
/** Valid only in its datacenter. */
export type NodeIdentity = Stored<typeof nodeIdentity.fields>

export const policyLinks = links('policy')
export const roleLinks = links('role')
export const serviceIdentities = list(serviceIdentity)
export const nodeIdentities = list(nodeIdentity)
