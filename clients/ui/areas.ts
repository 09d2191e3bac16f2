// All areas of the pages, in the order of the frame.
import { access } from './pages/access/area.js'
import { catalog } from './pages/catalog/area.js'
import { events } from './pages/events/area.js'
import { keys } from './pages/keys/area.js'
import { mesh } from './pages/mesh/area.js'
import { server } from './pages/server/area.js'

export const sections = [events, access, catalog, mesh, keys, server] as const

export const sectionPages = sections.flatMap(area => area.places)
