// Where people choose the namespace and partition that the pages show. It is asked which there are when somebody looks.
import { useLocation } from 'preact-iso'
import { useEffect, useState } from 'preact/hooks'
import { ALL, selectTenancy, storeTenancy, useTenancy } from './tenancy.js'
import { useResponse } from './use-response.js'

/** More than so many are not to be chosen from in a list; their own page leads to each of them. */
const MOST = 200
const DEFAULT = 'default'

interface Named {
  readonly Name: string
}

interface SelectProps {
  readonly label: string
  readonly all: string
  readonly value: string
  readonly names: readonly string[]
  readonly areMore: boolean
  readonly choose: (name: string) => void
  readonly ask: () => void
}

const Select = ({ label, all, value, names, areMore, choose: chose, ask }: SelectProps) => (
  <select
    aria-label={label}
    title={label}
    value={value}
    onFocus={ask}
    onChange={({ currentTarget }) => chose(currentTarget.value)}
  >
    <option value={ALL}>{all}</option>
    {names.map(name => (
      <option key={name} value={name}>
        {`${label} ${name}`}
      </option>
    ))}
    {areMore && <option disabled>More are on their own page</option>}
  </select>
)

/** Names to choose from, with the one that is chosen. */
const namesOf = (found: readonly Named[] | undefined, value: string): readonly string[] => {
  const names = (found ?? []).map(({ Name }) => Name)
  return value === ALL || names.includes(value) ? names : [value, ...names]
}

const Switch = () => {
  const { url, path, query, route } = useLocation()
  const { ns, partition = DEFAULT, query: asked } = useTenancy()
  const [turn, setTurn] = useState(0)
  const ask = (): void => setTurn(before => before + 1)
  const namespaces = useResponse<readonly Named[]>(
    '/v1/namespaces',
    { partition: asked['partition'], limit: MOST },
    turn
  )
  const partitions = useResponse<readonly Named[]>('/v1/partitions', {}, turn)
  useEffect(() => {
    const to = storeTenancy(url, path, query)
    if (to !== url) route(to, true)
  }, [url])
  const isDivided = partition !== DEFAULT || (partitions.value?.length ?? 0) > 1
  return (
    <div class="tenancy" role="group" aria-label="Shown">
      {isDivided && (
        <Select
          label="Partition"
          all="All partitions"
          value={partition}
          names={namesOf(partitions.value, partition)}
          areMore={false}
          choose={name => route(selectTenancy(url, { partition: name, ns: ALL }), true)}
          ask={ask}
        />
      )}
      <Select
        label="Namespace"
        all="All namespaces"
        value={ns}
        names={namesOf(namespaces.value, ns)}
        areMore={namespaces.value?.length === MOST}
        choose={name => route(selectTenancy(url, { ns: name }), true)}
        ask={ask}
      />
    </div>
  )
}

/** Nothing where people say who they are. */
export const TenancySwitch = () => (useLocation().path === '/ui/enter' ? null : <Switch />)
