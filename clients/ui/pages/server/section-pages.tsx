import { lazy } from 'preact-iso'
import type { UiSection } from '../../section.js'
import { namespaces, partitions } from '../../resources/kinds.js'
import { listSectionPage } from '../resource-list-page.js'

const ServerPage = lazy(async () => (await import('./server.js')).ServerPage)
const DatacentersPage = lazy(async () => (await import('./datacenters.js')).DatacentersPage)
const NewNamespacePage = lazy(async () => (await import('./tenancy/pages.js')).NewNamespacePage)
const NewPartitionPage = lazy(async () => (await import('./tenancy/pages.js')).NewPartitionPage)

export const operations: UiSection = {
  title: 'Operations',
  places: [
    { path: '/ui/server', title: 'Server', key: 'v', page: ServerPage },
    listSectionPage(namespaces, undefined, NewNamespacePage),
    listSectionPage(partitions, undefined, NewPartitionPage),
    { path: '/ui/datacenters', title: 'Datacenters', key: 'w', page: DatacentersPage }
  ]
}
