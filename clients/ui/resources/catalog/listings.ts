// The lists of the catalog, whose rows combine services, checks and nodes.
import type { EventMessage } from '../../../typescript/events.js'
import type { ResourceRow } from '../../live/worker/protocol.js'
import type { Listing, RowContent, RowModel } from '../../live/worker/row-model.js'
import type { Column } from '../kind.js'
import { CatalogState, type Instance, type NodeRow } from './catalog-state.js'
import {
  metaText,
  type CheckFacts,
  checkPage,
  instancePage,
  nodePage,
  servicePage,
  STATUSES,
  STATUS_TITLES,
  worstOf,
  type ServiceSummary,
  type Status
} from './facts.js'

interface CatalogListing<T> {
  readonly topics: readonly string[]
  readonly columns: readonly Column<T>[]
  readonly idsOf: (catalog: CatalogState) => Iterable<string>
  readonly rowOf: (catalog: CatalogState, id: string) => T | undefined
  readonly statusOf: (row: T) => Status
}

type Name = 'services' | 'instances' | 'checks' | 'nodes'

class CatalogModel<T> implements RowModel {
  readonly #catalog = new CatalogState()

  constructor(
    private readonly name: Name,
    private readonly listing: CatalogListing<T>
  ) {}

  get ids(): Iterable<string> {
    return this.listing.idsOf(this.#catalog)
  }

  /** Of the service, in a list of its instances. */
  get summary(): ServiceSummary | undefined {
    const [id] = this.name === 'instances' ? this.#catalog.services : []
    return id === undefined ? undefined : this.#catalog.service(id)
  }

  apply(messages: readonly EventMessage[]): Iterable<string> {
    return this.#catalog.apply(messages)[this.name]
  }

  /** @param scope a status; empty for all */
  contentOf(id: string, scope: string): RowContent | undefined {
    const row = this.listing.rowOf(this.#catalog, id)
    if (row === undefined) return undefined
    const { columns, statusOf } = this.listing
    return { cells: columns.map(({ text }) => text(row)), isIn: scope === '' || statusOf(row) === scope }
  }

  linksOf(id: string): ResourceRow['links'] {
    const row = this.listing.rowOf(this.#catalog, id)
    return row === undefined ? [] : this.listing.columns.map(({ link }) => link?.(row))
  }

  clear(): void {
    this.#catalog.clear()
    this.#catalog.apply([])
  }
}

const listing = <T>(name: Name, declared: CatalogListing<T>): Listing => ({
  ...declared,
  createModel: () => new CatalogModel(name, declared)
})

/** The numbers of resources by status. */
const counts = <T>(countsOf: (row: T) => Readonly<Record<Status, number>>): readonly Column<T>[] =>
  STATUSES.map(status => ({
    title: STATUS_TITLES[status],
    width: '5rem',
    text: row => String(countsOf(row)[status])
  }))

/** The worst is first in the order of the texts. */
const statusColumn: Column<{ readonly status: Status }> = {
  title: 'Status',
  width: '6rem',
  text: ({ status }) => status,
  order: text => String(STATUSES.length - STATUSES.findIndex(status => status === text))
}

const endpointOf = ({ address, port }: Instance['facts']): string => {
  const host = address.includes(':') ? `[${address}]` : address
  return port === 0 ? address : `${host}:${port}`
}

const services = listing<ServiceSummary>('services', {
  topics: ['Service', 'Check'],
  idsOf: catalog => catalog.services,
  rowOf: (catalog, id) => catalog.service(id),
  statusOf: row => worstOf(row.counts),
  columns: [
    { title: 'Service', width: 'minmax(5rem, 3fr)', text: ({ service }) => service, link: servicePage },
    { title: 'Instances', width: '5.5rem', text: ({ instances }) => String(instances), isWide: true },
    ...counts<ServiceSummary>(row => row.counts),
    {
      title: 'Tags',
      width: 'minmax(6rem, 3fr)',
      text: ({ tags }) => Object.keys(tags).toSorted().join(', '),
      isWide: true
    },
    { title: 'Kind', width: '9.5rem', text: ({ kind }) => kind, isWide: true },
    { title: 'Namespace', width: '7rem', text: ({ namespace }) => namespace, isWide: true }
  ]
})

const checks = listing<CheckFacts>('checks', {
  topics: ['Check'],
  idsOf: catalog => catalog.checks.keys(),
  rowOf: (catalog, id) => catalog.checks.get(id),
  statusOf: ({ status }) => status,
  columns: [
    statusColumn,
    {
      title: 'Check',
      width: 'minmax(5rem, 2fr)',
      isTitle: true,
      text: ({ name, id }) => name || id,
      link: checkPage
    },
    { title: 'Service', text: ({ serviceId, serviceName }) => serviceName || serviceId || 'node' },
    { title: 'Node', text: ({ node }) => node },
    { title: 'Output', width: 'minmax(8rem, 4fr)', text: ({ output }) => output, isWide: true }
  ]
})

const nodes = listing<NodeRow>('nodes', {
  topics: ['Node', 'Service', 'Check'],
  idsOf: catalog => catalog.nodes.keys(),
  rowOf: (catalog, id) => catalog.node(id),
  statusOf: ({ counts: of }) => worstOf(of),
  columns: [
    {
      title: 'Node',
      width: 'minmax(5rem, 2fr)',
      text: ({ facts }) => facts.node,
      link: ({ facts }) => nodePage(facts)
    },
    { title: 'Services', width: '5.5rem', text: row => String(row.instances), isWide: true },
    ...counts<NodeRow>(row => row.counts),
    { title: 'Address', text: ({ facts }) => facts.address, isWide: true },
    { title: 'Meta', width: 'minmax(6rem, 2fr)', text: ({ facts }) => metaText(facts.meta), isWide: true }
  ]
})

const instances = listing<Instance>('instances', {
  topics: ['Service', 'Check'],
  idsOf: catalog => catalog.instances.keys(),
  rowOf: (catalog, id) => catalog.instance(id),
  statusOf: ({ status }) => status,
  columns: [
    statusColumn,
    {
      title: 'Instance',
      width: 'minmax(4rem, 2fr)',
      isTitle: true,
      text: ({ facts }) => facts.id,
      link: ({ facts }) => instancePage(facts)
    },
    {
      title: 'Node',
      text: ({ facts }) => facts.node,
      link: ({ facts: { nodeKey: key, partition } }) => nodePage({ key, partition })
    },
    { title: 'Address', width: 'minmax(6rem, 1.5fr)', text: ({ facts }) => endpointOf(facts) },
    { title: 'Tags', text: ({ facts }) => facts.tags.join(', '), isWide: true },
    {
      title: 'Weights',
      width: '5.5rem',
      text: ({ facts: { weights } }) => `${weights.passing} / ${weights.warning}`,
      isWide: true
    },
    { title: 'Meta', text: ({ facts }) => metaText(facts.meta), isWide: true },
    { title: 'Checks', width: '4.8rem', text: row => String(row.checks) }
  ]
})

/** By their names in a request. */
export const catalogListings: Readonly<Record<string, Listing>> = { services, checks, nodes, instances }
