// Lists of namespaces and partitions, and where they are made.
import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso'
import { Heading } from '../../../components/heading.js'
import { announce } from '../../../components/status-announcer.js'
import { useTenancy } from '../../../session/tenancy.js'
import { namespaces, partitions } from '../../../resources/kinds.js'
import type { Kind } from '../../../resources/kind.js'
import { ResourceListPage } from '../../resource-list-page.js'
import { NamespaceForm } from './namespace-form.js'
import { PartitionForm } from './partition-form.js'

const ListPage = ({ kind, one }: { readonly kind: Kind; readonly one: string }) => (
  <ResourceListPage kind={kind}>
    <a class="button" href={`/ui/${kind.path}/new`}>
      New {one}
    </a>
  </ResourceListPage>
)

export const NamespacesPage = () => <ListPage kind={namespaces} one="namespace" />
export const PartitionsPage = () => <ListPage kind={partitions} one="partition" />

interface NewProps {
  readonly kind: Kind
  readonly title: string
  readonly children: (made: (name: string, partition?: string) => void) => ComponentChildren
}

const New = ({ kind: { path, title: list }, title, children }: NewProps) => {
  const { route } = useLocation()
  const made = (name: string, partition?: string): void => {
    const named = { key: name, ...(partition === undefined ? {} : { partition }) }
    route(`/ui/${path}/one?${new URLSearchParams(named)}`)
    announce(`${name} was made.`)
  }
  return (
    <main class="resource">
      <nav aria-label="Path">
        <a href={`/ui/${path}`}>{list}</a>
      </nav>
      <Heading>{title}</Heading>
      {children(made)}
    </main>
  )
}

/** In the partition that is shown. */
export const NewNamespacePage = () => {
  const { partition } = useTenancy()
  const where = partition === '*' ? undefined : partition
  return (
    <New kind={namespaces} title={where ? `New namespace in partition ${where}` : 'New namespace'}>
      {made => (
        <NamespaceForm
          namespace={undefined}
          partition={where}
          done={({ Name, Partition }) => made(Name, Partition)}
        />
      )}
    </New>
  )
}

export const NewPartitionPage = () => (
  <New kind={partitions} title="New partition">
    {made => <PartitionForm partition={undefined} done={({ Name }) => made(Name)} />}
  </New>
)
