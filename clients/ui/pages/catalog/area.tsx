// What runs where, and how it is.
import type { Area, Place } from '../../area.js'
import { checks, nodes, services } from '../../things/kinds/catalog.js'
import type { Kind } from '../../things/kind.js'
import { ChecksPage } from './checks.js'
import { NodesPage } from './nodes.js'
import { ServicePage } from './service.js'
import { ServicesPage } from './services.js'

const place = (kind: Kind, page: Place['page'], further: Place['further'] = []): Place => ({
  path: `/ui/${kind.path}`,
  title: kind.title,
  key: kind.key,
  page,
  kind,
  further
})

export const catalog: Area = {
  title: 'Catalog',
  places: [
    place(services, ServicesPage, [{ path: '/ui/service/one', page: ServicePage }]),
    place(nodes, NodesPage),
    place(checks, ChecksPage)
  ]
}
