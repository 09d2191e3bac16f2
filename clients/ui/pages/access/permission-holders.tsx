// The tokens, roles and binding rules that have a permission on a resource.
import { useState } from 'preact/hooks'
import type { Schemas } from '../../../typescript/typed/index.js'
import { Button, Refusal, Section, Select, Table } from '../../design/index.js'
import type { TenancyQuery } from '../../session/tenancy.js'
import { usePages } from '../../session/use-pages.js'
import { sourceText } from './explanation.js'

type Holder = Schemas['PermissionHolder']

const PATHS: Readonly<Record<string, string>> = {
  token: 'tokens',
  login: 'tokens',
  role: 'roles',
  'binding rule': 'binding-rules'
}

const addressOf = ({ Kind, ID, Namespace, Partition }: Holder): string => {
  const named = Object.entries({ key: ID, ns: Namespace, partition: Partition }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined
  )
  return `/ui/${PATHS[Kind] ?? ''}/one?${new URLSearchParams(named)}`
}

interface Props {
  readonly resource: string
  readonly segment: string
  readonly tenancy: TenancyQuery
}

export const PermissionHolders = ({ resource, segment, tenancy }: Props) => {
  const [access, setAccess] = useState('')
  const path = access === '' ? undefined : '/v1/acl/who'
  const { rows, isLoading, failure, more } = usePages<Holder>(path, { resource, segment, access, ...tenancy })
  return (
    <Section title="Who has a permission">
      <Select label="Who can" options={['', 'read', 'write']} value={access} change={setAccess} />
      <Refusal text={failure} />
      {isLoading && <p role="status">Loading …</p>}
      {path !== undefined && !isLoading && failure === undefined && (
        <Table
          label={`Who can ${access} this`}
          head={['Kind', 'Name', 'Namespace', 'Rule', 'From', 'Selector']}
          none="Nothing has this permission."
          rows={rows.map(holder => [
            holder.Kind,
            <a key="name" href={addressOf(holder)}>
              {holder.Name ?? holder.ID}
            </a>,
            holder.Namespace,
            holder.Rule ? `${holder.Rule.Text} ${holder.Rule.Level}` : 'default policy',
            holder.Source && sourceText(holder.Source),
            holder.Selector
          ])}
        />
      )}
      {more && <Button label="Load more" act={more} />}
    </Section>
  )
}
