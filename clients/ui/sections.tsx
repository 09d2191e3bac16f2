// The places of the navigation. A page is loaded when it is first opened.
import type { FunctionComponent } from 'preact'
import { lazy } from 'preact-iso'
import { OverviewPage } from './pages/overview/overview.js'
import type { Kind } from './resources/kind.js'
import {
  accessKinds,
  checks,
  config,
  keyKind,
  namespaces,
  nodes,
  partitions,
  queryKind,
  services as serviceKind,
  sessionKind
} from './resources/kinds.js'

/** A page that the frame leads to. */
export interface SectionPage {
  /** Below the origin: `/ui/…`. */
  readonly path: string
  readonly title: string
  /** The key that leads there, after `g`. */
  readonly key: string
  readonly page: FunctionComponent
  /** What it lists; each of them has a page of its own, below it. */
  readonly kind?: Kind
  /** Whether it shows what was, too, where somebody looks at the past; pages of kinds do. */
  readonly hasPast?: true
  /** Pages that its own leads to, and the frame does not. */
  readonly further?: readonly Pick<SectionPage, 'path' | 'page'>[]
}

export interface UiSection {
  readonly title: string
  readonly places: readonly SectionPage[]
}

type Pages<Name extends string> = Readonly<Record<Name, FunctionComponent>>

const page = <Name extends string>(load: () => Promise<Pages<Name>>, name: Name): FunctionComponent =>
  lazy(async () => (await load())[name])

const AccessList = lazy(async () => (await import('./pages/access/access-list.js')).AccessList)
const ResourceListPage = lazy(async () => (await import('./pages/resource-list-page.js')).ResourceListPage)

/** @param list a plain list when absent @param create creates a resource */
const listOf = (kind: Kind, list?: FunctionComponent, create?: FunctionComponent): SectionPage => ({
  path: `/ui/${kind.path}`,
  title: kind.title,
  key: kind.key,
  page: list ?? (() => <ResourceListPage key={kind.path} kind={kind} hasNew={create !== undefined} />),
  kind,
  further: create ? [{ path: `/ui/${kind.path}/new`, page: create }] : []
})

const overview: UiSection = {
  title: 'Overview',
  places: [{ path: '/ui/', title: 'Overview', key: 'f', page: OverviewPage }]
}

const audit = () => import('./pages/server/audit.js')

const activity: UiSection = {
  title: 'Activity',
  places: [
    {
      path: '/ui/events',
      title: 'Events',
      key: 'e',
      page: page(() => import('./pages/events/events.js'), 'EventsPage')
    },
    { path: '/ui/audit', title: 'Audit', key: 'u', page: page(audit, 'AuditPage') },
    { path: '/ui/denials', title: 'Denials', key: 'd', page: page(audit, 'DenialsPage') },
    {
      path: '/ui/explain',
      title: 'Explain a denial',
      key: 'y',
      page: page(() => import('./pages/access/explain.js'), 'ExplainPage')
    }
  ]
}

const newPages = () => import('./pages/access/new-pages.js')

/** The page that creates a resource, by the path of the kind. */
const NEW_PAGES: Readonly<Record<string, FunctionComponent>> = {
  tokens: page(newPages, 'NewTokenPage'),
  policies: page(newPages, 'NewPolicyPage'),
  roles: page(newPages, 'NewRolePage'),
  'auth-methods': page(newPages, 'NewAuthMethodPage'),
  'binding-rules': page(newPages, 'NewBindingRulePage')
}

const access: UiSection = {
  title: 'Access',
  places: accessKinds.map(kind =>
    listOf(kind, () => <AccessList key={kind.path} kind={kind} />, NEW_PAGES[kind.path])
  )
}

const ServicePage = page(() => import('./pages/catalog/service.js'), 'ServicePage')

const services: UiSection = {
  title: 'Services',
  places: [
    {
      ...listOf(
        serviceKind,
        page(() => import('./pages/catalog/services.js'), 'ServicesPage')
      ),
      further: [{ path: '/ui/service/one', page: ServicePage }]
    },
    listOf(
      nodes,
      page(() => import('./pages/catalog/nodes.js'), 'NodesPage')
    ),
    listOf(
      checks,
      page(() => import('./pages/catalog/checks.js'), 'ChecksPage')
    ),
    listOf(
      queryKind,
      page(() => import('./pages/queries/queries-page.js'), 'QueriesPage')
    )
  ]
}

const entries = () => import('./pages/mesh/config-pages.js')

const mesh: UiSection = {
  title: 'Mesh',
  places: [
    {
      path: '/ui/intentions',
      title: 'Intentions',
      key: 'i',
      page: page(() => import('./pages/mesh/intentions.js'), 'IntentionsPage'),
      hasPast: true
    },
    listOf(config, page(entries, 'ConfigPage'), page(entries, 'NewEntryPage'))
  ]
}

const keys: UiSection = {
  title: 'Keys & locks',
  places: [
    listOf(
      keyKind,
      page(() => import('./pages/keys/keys-page.js'), 'KeysPage')
    ),
    {
      path: '/ui/locks',
      title: 'Locks',
      key: 'l',
      page: page(() => import('./pages/keys/locks/locks-page.js'), 'LocksPage'),
      hasPast: true
    },
    listOf(
      sessionKind,
      page(() => import('./pages/keys/locks/sessions-page.js'), 'SessionsPage')
    )
  ]
}

const tenancy = () => import('./pages/server/tenancy/pages.js')

const operations: UiSection = {
  title: 'Operations',
  places: [
    {
      path: '/ui/server',
      title: 'Server',
      key: 'v',
      page: page(() => import('./pages/server/server.js'), 'ServerPage')
    },
    listOf(namespaces, undefined, page(tenancy, 'NewNamespacePage')),
    listOf(partitions, undefined, page(tenancy, 'NewPartitionPage')),
    {
      path: '/ui/datacenters',
      title: 'Datacenters',
      key: 'w',
      page: page(() => import('./pages/server/datacenters.js'), 'DatacentersPage')
    }
  ]
}

export const sections = [overview, activity, access, services, mesh, keys, operations] as const

export const sectionPages = sections.flatMap(section => section.places)
