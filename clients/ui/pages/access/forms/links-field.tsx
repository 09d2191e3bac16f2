import type { Schemas } from '../../../../typescript/typed/index.js'
import { useMemo } from 'preact/hooks'
import { Chips, Combobox, FieldGroup, Refusal } from '../../../design/index.js'
import type { TenancyQuery } from '../../../session/tenancy.js'
import { useResponse } from '../../../session/use-response.js'
import type { Link } from './form.js'
import { resourcePage } from '../../../resources/kind.js'

const KINDS = {
  policies: { title: 'Policies', one: 'policy', list: '/v1/acl/policies' },
  roles: { title: 'Roles', one: 'role', list: '/v1/acl/roles' }
} as const

interface Props {
  readonly kind: keyof typeof KINDS
  readonly place: TenancyQuery
  readonly value: readonly Link[]
  readonly change: (links: readonly Link[]) => void
}

export const LinksField = ({ kind, place, value: links, change }: Props) => {
  const { title, one, list } = KINDS[kind]
  const { value: all, failure } = useResponse<readonly (Schemas['PolicyEntry'] | Schemas['RoleEntry'])[]>(
    list,
    place
  )
  const options = useMemo(() => {
    const linked = new Set(links.map(({ ID }) => ID))
    return (all ?? [])
      .filter(({ ID }) => !linked.has(ID))
      .map(({ ID, Name, Description }) => ({ value: ID, label: Name, hint: Description }))
  }, [all, links])
  const add = (id: string): void => {
    const found = all?.find(({ ID }) => ID === id)
    if (found) change([...links, { ID: found.ID, Name: found.Name }])
  }
  return (
    <FieldGroup title={title} name={`${one}|${title}`}>
      {links.length > 0 && (
        <Chips
          what={one}
          chips={links.map(({ ID, Name }) => ({
            id: ID,
            name: Name || ID,
            address: resourcePage(kind, { key: ID })
          }))}
          remove={id => change(links.filter(({ ID }) => ID !== id))}
        />
      )}
      <Combobox label={`Add ${one}`} placeholder={`Add ${one} …`} options={options} choose={add} />
      <Refusal text={failure} />
    </FieldGroup>
  )
}
