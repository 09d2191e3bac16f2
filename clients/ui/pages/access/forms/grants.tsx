import type { TenancyQuery } from '../../../session/tenancy.js'
import { LinksField } from './links-field.js'
import { listOf, type Grants, type Link } from './form.js'
import { Button, FieldGroup } from '../../../design/index.js'

interface Identity {
  readonly name: string
  /** Names of datacenters, separated by commas. */
  readonly where: string
}

interface IdentitiesFieldProps {
  readonly title: string
  /** The singular, such as `service`. */
  readonly one: string
  readonly where: string
  readonly value: readonly Identity[]
  readonly change: (identities: readonly Identity[]) => void
}

const IdentitiesField = ({ title, one, where, value: identities, change }: IdentitiesFieldProps) => {
  const put = (at: number, part: Partial<Identity>): void =>
    change(identities.map((identity, place) => (place === at ? { ...identity, ...part } : identity)))
  return (
    <FieldGroup title={title} name={`${title.split(' ')[0]} identity`}>
      {identities.map((identity, at) => (
        <p class="choices" key={at}>
          <input
            aria-label={`Name of ${one} ${at + 1}`}
            placeholder={`Name of a ${one}`}
            required
            value={identity.name}
            onInput={({ currentTarget }) => put(at, { name: currentTarget.value.trim() })}
          />
          <input
            aria-label={`Datacenters of ${one} ${at + 1}`}
            placeholder={where}
            value={identity.where}
            onInput={({ currentTarget }) => put(at, { where: currentTarget.value })}
          />
          <Button
            label="×"
            act={() => change(identities.filter((_, place) => place !== at))}
            aria-label={`Remove ${one} ${identity.name || at + 1}`}
          />
        </p>
      ))}
      <p>
        <Button label={`Add ${one}`} act={() => change([...identities, { name: '', where: '' }])} />
      </p>
    </FieldGroup>
  )
}

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
