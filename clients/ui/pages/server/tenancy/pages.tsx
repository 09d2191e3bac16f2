import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso'
import { announce, Breadcrumbs, Heading } from '../../../design/index.js'
import { useTenancy } from '../../../session/tenancy.js'
import { namespaces, partitions } from '../../../resources/kinds.js'
import type { Kind } from '../../../resources/kind.js'
import { NamespaceForm, PartitionForm } from './forms.js'

interface NewProps {
  readonly kind: Kind
  readonly title: string
  /** @param open opens the page of the created resource */
  readonly children: (open: (name: string, partition?: string) => void) => ComponentChildren
}

const New = ({ kind: { path, title: list }, title, children }: NewProps) => {
  const { route } = useLocation()
  const open = (name: string, partition?: string): void => {
    const named = { key: name, ...(partition === undefined ? {} : { partition }) }
    route(`/ui/${path}/one?${new URLSearchParams(named)}`)
    announce(`${name} was made.`)
  }
  return (
    <main class="resource">
      <Breadcrumbs links={[[`/ui/${path}`, list]]} />
      <Heading>{title}</Heading>
      {children(open)}
    </main>
  )
}

const newTarget = (path: string, partition?: string) => ({
  path,
  id: undefined,
  place: { ns: undefined, partition }
})

/** In the selected partition. */
export const NewNamespacePage = () => {
  const { partition: selected } = useTenancy()
  const partition = selected === '*' ? undefined : selected
  return (
    <New kind={namespaces} title={partition ? `New namespace in partition ${partition}` : 'New namespace'}>
      {open => (
        <NamespaceForm
          target={newTarget('/v1/namespace', partition)}
          stored={undefined}
          done={({ Name, Partition }) => open(Name, Partition)}
        />
      )}
    </New>
  )
}

export const NewPartitionPage = () => (
  <New kind={partitions} title="New partition">
    {open => (
      <PartitionForm target={newTarget('/v1/partition')} stored={undefined} done={({ Name }) => open(Name)} />
    )}
  </New>
)
