import { lazy } from 'preact-iso'
import type { UiSection } from './section.js'
import { access } from './pages/access/section.js'
import { services } from './pages/catalog/section.js'
import { EventsPage } from './pages/events/events.js'
import { keys } from './pages/keys/section.js'
import { mesh } from './pages/mesh/section.js'
import { OverviewPage } from './pages/overview/overview.js'
import { operations } from './pages/server/section-pages.js'

const AuditPage = lazy(async () => (await import('./pages/server/audit.js')).AuditPage)
const DenialsPage = lazy(async () => (await import('./pages/server/audit.js')).DenialsPage)
const ExplainPage = lazy(async () => (await import('./pages/access/explain.js')).ExplainPage)

const overview: UiSection = {
  title: 'Overview',
  places: [{ path: '/ui/', title: 'Overview', key: 'f', page: OverviewPage }]
}

const activity: UiSection = {
  title: 'Activity',
  places: [
    { path: '/ui/events', title: 'Events', key: 'e', page: EventsPage },
    { path: '/ui/audit', title: 'Audit', key: 'u', page: AuditPage },
    { path: '/ui/denials', title: 'Denials', key: 'd', page: DenialsPage },
    { path: '/ui/explain', title: 'Explain a denial', key: 'y', page: ExplainPage }
  ]
}

export const sections = [overview, activity, access, services, mesh, keys, operations] as const

export const sectionPages = sections.flatMap(section => section.places)
