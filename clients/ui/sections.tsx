// The places of the navigation. A page is loaded when it is first opened.
import type { FunctionComponent } from 'preact'
import { Boxes, FolderTree, History, KeyRound, LayoutDashboard, Network, Server, type IconNode } from 'lucide'
import { lazy } from 'preact-iso'
import { OverviewPage } from './pages/overview/overview.js'
import type { Kind } from './resources/kind.js'
import {
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
import { accessKinds, proposals } from './resources/access-kinds.js'

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
  readonly hasPast?: boolean
  /** A list of what needs attention there. */
  readonly count?: { readonly of: string; readonly what: string }
  /** Pages that its own leads to, and the frame does not. */
  readonly further?: readonly Pick<SectionPage, 'path' | 'page'>[]
}

export interface UiSection {
  readonly title: string
  readonly icon: IconNode
  readonly places: readonly SectionPage[]
}

type Pages<Name extends string> = Readonly<Record<Name, FunctionComponent>>

const page = <Name extends string>(load: () => Promise<Pages<Name>>, name: Name): FunctionComponent =>
  lazy(async () => (await load())[name])

const AccessList = lazy(async () => (await import('./pages/access/access-list.js')).AccessList)
const ResourceListPage = lazy(async () => (await import('./pages/resource-list-page.js')).ResourceListPage)

const NewPage = lazy(async () => (await import('./pages/new-page.js')).NewPage)

const listOf = (kind: Kind, list: FunctionComponent, create?: FunctionComponent): SectionPage => ({
  path: `/ui/${kind.path}`,
  title: kind.title,
  key: kind.key,
  page: list,
  kind,
  further: create ? [{ path: `/ui/${kind.path}/new`, page: create }] : []
})

type ListPage = FunctionComponent<{ readonly kind: Kind; readonly hasNew: boolean }>

/** A list, and the page that creates a resource. */
const createdIn = (kind: Kind, List: ListPage): SectionPage =>
  listOf(
    kind,
    () => <List key={kind.path} kind={kind} hasNew />,
    () => <NewPage key={kind.path} kind={kind} />
  )

/** A place without a kind. @param at last segment of its address @param key opens it, after `g` */
const place = (
  at: string,
  title: string,
  key: string,
  component: FunctionComponent,
  hasPast = false
): SectionPage => ({
  path: `/ui/${at}`,
  title,
  key,
  page: component,
  ...(hasPast ? { hasPast } : {})
})

const audit = () => import('./pages/server/audit.js')
const catalog = () => import('./pages/catalog/lists.js')
const locks = () => import('./pages/keys/locks/locks-page.js')
const entries = () => import('./pages/mesh/config-pages.js')

const ServicesPage = page(catalog, 'ServicesPage')
const ChecksPage = page(catalog, 'ChecksPage')
const EventsPage = page(() => import('./pages/events/events.js'), 'EventsPage')
const ReviewPage = page(() => import('./pages/access/review.js'), 'ReviewPage')
const ReportPage = page(() => import('./pages/server/report.js'), 'ReportPage')
const ServerPage = page(() => import('./pages/server/server.js'), 'ServerPage')
const KeysPage = page(() => import('./pages/keys/keys-page.js'), 'KeysPage')
const QueriesPage = page(() => import('./pages/queries/execute-query.js'), 'QueriesPage')
const ExplainPage = page(() => import('./pages/access/explanation.js'), 'ExplainPage')
const ServicePage = page(() => import('./pages/catalog/service.js'), 'ServicePage')
const IntentionsPage = page(() => import('./pages/mesh/intentions.js'), 'IntentionsPage')
const DatacentersPage = page(() => import('./pages/server/datacenters.js'), 'DatacentersPage')

export const sections: readonly UiSection[] = [
  { title: 'Overview', icon: LayoutDashboard, places: [place('', 'Overview', 'f', OverviewPage)] },
  {
    title: 'Activity',
    icon: History,
    places: [
      place('events', 'Events', 'e', EventsPage),
      {
        ...place('audit', 'Audit', 'u', page(audit, 'AuditPage')),
        further: [{ path: '/ui/audit/report', page: ReportPage }]
      },
      place('denials', 'Denials', 'd', page(audit, 'DenialsPage')),
      place('explain', 'Explain a denial', 'y', ExplainPage)
    ]
  },
  {
    title: 'Access',
    icon: KeyRound,
    places: [
      ...accessKinds.map(kind =>
        kind === proposals
          ? listOf(kind, () => <AccessList key={kind.path} kind={kind} hasNew={false} />)
          : createdIn(kind, AccessList)
      ),
      place('review', 'Review', 'z', ReviewPage)
    ]
  },
  {
    title: 'Services',
    icon: Boxes,
    places: [
      {
        ...listOf(serviceKind, ServicesPage),
        further: [{ path: '/ui/service/one', page: ServicePage }]
      },
      listOf(nodes, page(catalog, 'NodesPage')),
      {
        ...listOf(checks, ChecksPage),
        count: { of: '/v1/health/state/critical', what: 'critical' }
      },
      createdIn(queryKind, QueriesPage)
    ]
  },
  {
    title: 'Mesh',
    icon: Network,
    places: [
      place('intentions', 'Intentions', 'i', IntentionsPage, true),
      listOf(config, page(entries, 'ConfigPage'), page(entries, 'NewEntryPage'))
    ]
  },
  {
    title: 'Keys & locks',
    icon: FolderTree,
    places: [
      listOf(keyKind, KeysPage),
      place('locks', 'Locks', 'l', page(locks, 'LocksPage'), true),
      listOf(sessionKind, page(locks, 'SessionsPage'))
    ]
  },
  {
    title: 'Operations',
    icon: Server,
    places: [
      place('server', 'Server', 'v', ServerPage),
      createdIn(namespaces, ResourceListPage),
      createdIn(partitions, ResourceListPage),
      place('datacenters', 'Datacenters', 'w', DatacentersPage)
    ]
  }
]

export const sectionPages = sections.flatMap(section => section.places)
