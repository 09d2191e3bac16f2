import type { Schemas } from '../../../typescript/typed/index.js'
import { nodeId, nodePage } from './page-links.js'
import type { CatalogState } from './catalog-state.js'
import { metaText, type NodeFacts } from './catalog-details.js'
import { CatalogPage, StatusCount, textColumn, type CatalogColumn, type CatalogListOptions } from './list.js'
import { STATUSES, worstOf } from './summary.js'

const TOPICS = ['Node', 'Service', 'Check']

type Found = Schemas['Node']

const COLUMNS: readonly CatalogColumn<NodeFacts>[] = [
  {
    title: 'Node',
    width: 'minmax(5rem, 2fr)',
    cell: facts => <a href={nodePage(facts)}>{facts.node}</a>,
    text: ({ node }) => node
  },
  {
    title: 'Services',
    width: '5.5rem',
    cell: (facts, catalog) => catalog.tallyOf(nodeId(facts)).services,
    isWide: true
  },
  ...STATUSES.map(status => ({
    title: status,
    width: '4.8rem',
    cell: (facts: NodeFacts, catalog: CatalogState) => (
      <StatusCount status={status} count={catalog.tallyOf(nodeId(facts))[status]} />
    )
  })),
  textColumn('Address', ({ address }) => address, { isWide: true }),
  textColumn('Meta', ({ meta }) => metaText(meta), { width: 'minmax(6rem, 2fr)', isWide: true })
]

const OPTIONS: CatalogListOptions<NodeFacts, Found> = {
  title: 'Nodes',
  what: ['node', 'nodes'],
  columns: COLUMNS,
  idsOf: ({ nodes }) => nodes.ids,
  rowOf: ({ nodes }, id) => nodes.get(id),
  statusOf: (facts, catalog) => worstOf(catalog.tallyOf(nodeId(facts))),
  textsOf: ({ node, address, meta }) => [node, address, metaText(meta)]
}

export const NodesPage = () => (
  <CatalogPage<NodeFacts, Found>
    topics={TOPICS}
    optionsFor={({ partition }) => ({
      ...OPTIONS,
      filter: {
        example: 'Meta.rack == "r1"',
        path: '/v1/catalog/nodes',
        query: { partition },
        idOf: ({ Node }) => Node,
        idOfRow: ({ node }) => node
      }
    })}
  />
)
