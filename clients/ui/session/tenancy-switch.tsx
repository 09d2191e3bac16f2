// The selection of the displayed namespace and partition. The options are loaded when a list receives the focus.
import type { Schemas } from '../../typescript/typed/index.js'
import { useLocation } from 'preact-iso'
import { useEffect } from 'preact/hooks'
import { Select } from '../design/index.js'
import { useTurn } from './use-task.js'
import { ALL, selectTenancy, storeTenancy, useTenancy } from './tenancy.js'
import { usePermission, useResponse } from './use-response.js'

/** The maximum number of options. The page of namespaces lists all. */
const MAX_OPTIONS = 200
const DEFAULT = 'default'
const EVERYWHERE = { ns: undefined, partition: undefined }

type Named = Schemas['NamespaceEntry']

/** Returns the options, including the selected name. */
const optionsOf = (label: string, found: readonly Named[] | undefined, value: string) => {
  const names = (found ?? []).map(({ Name }) => Name)
  const all = value === ALL || names.includes(value) ? names : [value, ...names]
  return [
    [ALL, `All ${label.toLowerCase()}s`],
    ...all.map(name => [name, `${label} ${name}`] as const)
  ] as const
}

const Switch = () => {
  const { url, path, query, route } = useLocation()
  const { ns, partition = DEFAULT, query: tenancyQuery } = useTenancy()
  const [turn, load] = useTurn()
  const namespaces = useResponse<readonly Named[]>(
    '/v1/namespaces',
    { partition: tenancyQuery['partition'], limit: MAX_OPTIONS },
    turn
  )
  // Without permission, the request would be recorded as a denied attempt.
  const mayDivide = usePermission('read', 'operator', EVERYWHERE)
  const partitions = useResponse<readonly Named[]>(mayDivide ? '/v1/partitions' : undefined, {}, turn)
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
          isLabelHidden
          label="Partition"
          options={optionsOf('Partition', partitions.value, partition)}
          value={partition}
          change={name => route(selectTenancy(url, { partition: name, ns: ALL }), true)}
          onFocus={load}
        />
      )}
      <Select
        isLabelHidden
        label="Namespace"
        options={optionsOf('Namespace', namespaces.value, ns)}
        value={ns}
        change={name => route(selectTenancy(url, { ns: name }), true)}
        onFocus={load}
      >
        {namespaces.value?.length === MAX_OPTIONS && (
          <option disabled>All namespaces are under Operations</option>
        )}
      </Select>
    </div>
  )
}

/** Renders nothing on the sign-in page. */
export const TenancySwitch = () => (useLocation().path === '/ui/sign-in' ? null : <Switch />)
