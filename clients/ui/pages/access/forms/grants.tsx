import type { TenancyQuery } from '../../../session/tenancy.js'
import { IdentitiesField, type Identity } from './identities-field.js'
import { LinksField } from './links-field.js'
import { listOf, type Grants, type Link } from './acl-resources.js'

interface GrantsDraft {
  readonly policies: readonly Link[]
  readonly services: readonly Identity[]
  readonly nodes: readonly Identity[]
}

export const grantsDraft = ({ Policies, ServiceIdentities, NodeIdentities }: Grants): GrantsDraft => ({
  policies: Policies ?? [],
  services: (ServiceIdentities ?? []).map(({ ServiceName, Datacenters = [] }) => ({
    name: ServiceName,
    where: Datacenters.join(', ')
  })),
  nodes: (NodeIdentities ?? []).map(({ NodeName, Datacenter }) => ({ name: NodeName, where: Datacenter }))
})

/** Returns the fields of a request body. */
export const grantsOf = ({ policies, services, nodes }: GrantsDraft) => ({
  Policies: policies.map(({ ID }) => ({ ID })),
  ServiceIdentities: services.map(({ name, where }) => ({ ServiceName: name, Datacenters: listOf(where) })),
  NodeIdentities: nodes.map(({ name, where }) => ({ NodeName: name, Datacenter: where.trim() }))
})

interface Props {
  readonly place: TenancyQuery
  readonly value: GrantsDraft
  readonly change: (part: Partial<GrantsDraft>) => void
}

export const GrantsFields = ({ place, value: { policies, services, nodes }, change }: Props) => (
  <>
    <LinksField
      kind="policies"
      place={place}
      value={policies}
      change={links => change({ policies: links })}
    />
    <IdentitiesField
      title="Service identities"
      one="service"
      where="all datacenters"
      value={services}
      change={identities => change({ services: identities })}
    />
    <IdentitiesField
      title="Node identities"
      one="node"
      where="its datacenter"
      value={nodes}
      change={identities => change({ nodes: identities })}
    />
  </>
)
