// The selection of the displayed namespace and partition. The options are loaded when a list receives the focus.
import type { Schemas } from '../../typescript/typed/index.js'
import { useLocation } from 'preact-iso'
import { useEffect, useState } from 'preact/hooks'
import { ALL, selectTenancy, storeTenancy, useTenancy } from './tenancy.js'
import { useResponse } from './use-response.js'

/** The maximum number of options. The page of namespaces lists all. */
const MAX_OPTIONS = 200
const DEFAULT = 'default'

type Named = Schemas['NamespaceEntry']

interface SelectProps {
  readonly label: string
  readonly all: string
  readonly value: string
  readonly names: readonly string[]
  readonly areMore: boolean
  readonly choose: (name: string) => void
  readonly load: () => void
}

const Select = ({ label, all, value, names, areMore, choose, load }: SelectProps) => (
  <select
    aria-label={label}
    title={label}
    value={value}
    onFocus={load}
    onChange={({ currentTarget }) => choose(currentTarget.value)}
  >
    <option value={ALL}>{all}</option>
    {names.map(name => (
      <option key={name} value={name}>
        {`${label} ${name}`}
      </option>
    ))}
    {areMore && <option disabled>All namespaces are under Operations</option>}
  </select>
)

/** Returns the options, including the selected name. */
const namesOf = (found: readonly Named[] | undefined, value: string): readonly string[] => {
  const names = (found ?? []).map(({ Name }) => Name)
  return value === ALL || names.includes(value) ? names : [value, ...names]
}

const Switch = () => {
  const { url, path, query, route } = useLocation()
  const { ns, partition = DEFAULT, query: tenancyQuery } = useTenancy()
  const [turn, setTurn] = useState(0)
  const load = (): void => setTurn(before => before + 1)
  const namespaces = useResponse<readonly Named[]>(
    '/v1/namespaces',
    { partition: tenancyQuery['partition'], limit: MAX_OPTIONS },
    turn
  )
  const partitions = useResponse<readonly Named[]>('/v1/partitions', {}, turn)
  useEffect(() => {
    const to = storeTenancy(url, path, query)
    if (to !== url) route(to, true)
  }, [url])
  const isDivided = partition !== DEFAULT || (partitions.value?.length ?? 0) > 1
  const hasNamespaces = ![ALL, DEFAULT].includes(ns) || (namespaces.value?.length ?? 0) > 1
  if (!isDivided && !hasNamespaces) return null
  return (
    <div class="tenancy" role="group" aria-label="Tenancy">
      {isDivided && (
        <Select
          label="Partition"
          all="All partitions"
          value={partition}
          names={namesOf(partitions.value, partition)}
          areMore={false}
          choose={name => route(selectTenancy(url, { partition: name, ns: ALL }), true)}
          load={load}
        />
      )}
      <Select
        label="Namespace"
        all="All namespaces"
        value={ns}
        names={namesOf(namespaces.value, ns)}
        areMore={namespaces.value?.length === MAX_OPTIONS}
        choose={name => route(selectTenancy(url, { ns: name }), true)}
        load={load}
      />
    </div>
  )
}

/** Renders nothing on the sign-in page. */
export const TenancySwitch = () => (useLocation().path === '/ui/sign-in' ? null : <Switch />)
