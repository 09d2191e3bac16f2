import { access } from './pages/access/section.js'
import { catalog } from './pages/catalog/section.js'
import { events } from './pages/events/events.js'
import { keys } from './pages/keys/section.js'
import { mesh } from './pages/mesh/section.js'
import { server } from './pages/server/section-pages.js'

export const sections = [events, access, catalog, mesh, keys, server] as const

export const sectionPages = sections.flatMap(area => area.places)
