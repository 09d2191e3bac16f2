// Links to policies and roles, and the identities of tokens and roles.
import { InvalidArgumentError } from 'commander'
import { texts, type FlagDefinition } from '../remote/flags.js'
import { safe } from '../remote/output.js'
import type { Grants, Link, NodeIdentity, ServiceIdentity } from './acl-resources.js'

const serviceIdentityOf = (input: string): ServiceIdentity => {
  const [ServiceName = '', datacenters, ...more] = input.split(':')
  if (ServiceName === '' || more.length > 0 || datacenters === '')
    throw new InvalidArgumentError('It is written SERVICE, or SERVICE:DATACENTER,DATACENTER.')
  return { ServiceName, ...(datacenters === undefined ? {} : { Datacenters: datacenters.split(',') }) }
}

const nodeIdentityOf = (input: string): NodeIdentity => {
  const [NodeName = '', Datacenter = '', ...more] = input.split(':')
  if (NodeName === '' || Datacenter === '' || more.length > 0)
    throw new InvalidArgumentError('It is written NODE:DATACENTER.')
  return { NodeName, Datacenter }
}

const listed = <Element>(
  value: string,
  about: string,
  parseElement: (input: string) => Element
): FlagDefinition<readonly Element[]> => ({
  about: `${about} (repeatable)`,
  value,
  initial: [],
  parse: (input, before) => [...before, parseElement(input)]
})

type Links = readonly Link[] | null | undefined

export const policyFlags = {
  policyId: texts('id', 'ID of a policy to link'),
  policyName: texts('name', 'name of a policy to link')
}

export const roleFlags = {
  roleId: texts('id', 'ID of a role to link'),
  roleName: texts('name', 'name of a role to link')
}

export const identityFlags = {
  serviceIdentity: listed(
    'service[:dc,…]',
    'service whose rights are given, and in which datacenters',
    serviceIdentityOf
  ),
  nodeIdentity: listed('node:dc', 'node whose rights are given', nodeIdentityOf)
}

export const linksOf = (ids: readonly string[], names: readonly string[]): readonly Link[] => [
  ...ids.map(ID => ({ ID })),
  ...names.map(Name => ({ Name }))
]

/** Replaces equal elements and appends the others. */
export const merged = <Element>(
  before: readonly Element[] | null | undefined,
  added: readonly Element[],
  isSame: (one: Element, other: Element) => boolean
): readonly Element[] => [...(before ?? []).filter(one => !added.some(other => isSame(one, other))), ...added]

export const isSameLink = (one: Link, other: Link): boolean =>
  other.ID === undefined ? one.Name === other.Name : one.ID === other.ID

export const isSameService = (one: ServiceIdentity, other: ServiceIdentity): boolean =>
  one.ServiceName === other.ServiceName

export const isSameNode = (one: NodeIdentity, other: NodeIdentity): boolean =>
  one.NodeName === other.NodeName && one.Datacenter === other.Datacenter

const section = <Element>(
  heading: string,
  elements: readonly Element[] | null | undefined,
  line: (element: Element) => string
): readonly string[] =>
  elements && elements.length > 0
    ? [`${heading}:`, ...elements.map(element => `   ${safe(line(element))}`)]
    : []

const linkLines = (heading: string, links: Links): readonly string[] =>
  section(heading, links, ({ ID = '', Name = '' }) => `${ID} - ${Name}`)

/** Returns a section for each kind of grants that is not empty. */
export const grantLines = (grants: Grants & { readonly Roles?: Links }): readonly string[] => [
  ...linkLines('Policies', grants.Policies),
  ...linkLines('Roles', grants.Roles),
  ...section(
    'Service Identities',
    grants.ServiceIdentities,
    ({ ServiceName, Datacenters }) => `${ServiceName} (Datacenters: ${Datacenters?.join(', ') || 'all'})`
  ),
  ...section(
    'Node Identities',
    grants.NodeIdentities,
    ({ NodeName, Datacenter }) => `${NodeName} (Datacenter: ${Datacenter})`
  )
]

export const namesOf = (links: Links): string =>
  (links ?? []).map(({ ID = '', Name = ID }) => Name).join(', ')
