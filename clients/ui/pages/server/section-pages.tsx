// The pages of the section Server.
import { lazy } from 'preact-iso'
import type { UiSection, SectionPage } from '../../section.js'
import type { Kind } from '../../resources/kind.js'
import { namespaces, partitions } from '../../resources/kinds.js'

const ServerPage = lazy(async () => (await import('./server.js')).ServerPage)
const DatacentersPage = lazy(async () => (await import('./datacenters.js')).DatacentersPage)
const AuditPage = lazy(async () => (await import('./audit.js')).AuditPage)
const NamespacesPage = lazy(async () => (await import('./tenancy/pages.js')).NamespacesPage)
const NewNamespacePage = lazy(async () => (await import('./tenancy/pages.js')).NewNamespacePage)
const PartitionsPage = lazy(async () => (await import('./tenancy/pages.js')).PartitionsPage)
const NewPartitionPage = lazy(async () => (await import('./tenancy/pages.js')).NewPartitionPage)

/** A kind with a separate page for its form. */
const place = (kind: Kind, page: SectionPage['page'], make: SectionPage['page']): SectionPage => ({
  path: `/ui/${kind.path}`,
  title: kind.title,
  key: kind.key,
  page,
  kind,
  further: [{ path: `/ui/${kind.path}/new`, page: make }]
})

export const server: UiSection = {
  title: 'Server',
  places: [
    place(namespaces, NamespacesPage, NewNamespacePage),
    place(partitions, PartitionsPage, NewPartitionPage),
    { path: '/ui/datacenters', title: 'Datacenters', key: 'w', page: DatacentersPage },
    { path: '/ui/audit', title: 'Audit', key: 'u', page: AuditPage },
    { path: '/ui/server', title: 'Server', key: 'v', page: ServerPage }
  ]
}
