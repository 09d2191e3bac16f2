// The server and where its things are.
import { lazy } from 'preact-iso'
import type { Area } from '../../area.js'
import { operatorKinds } from '../../things/kinds/operator.js'
import { listPlace } from '../list-place.js'

const ServerPage = lazy(async () => (await import('./server.js')).ServerPage)
const DatacentersPage = lazy(async () => (await import('./datacenters.js')).DatacentersPage)
const AuditPage = lazy(async () => (await import('./audit.js')).AuditPage)

export const server: Area = {
  title: 'Server',
  places: [
    ...operatorKinds.map(listPlace),
    { path: '/ui/datacenters', title: 'Datacenters', key: 'w', page: DatacentersPage },
    { path: '/ui/audit', title: 'Audit', key: 'u', page: AuditPage },
    { path: '/ui/server', title: 'Server', key: 'v', page: ServerPage }
  ]
}
