import type { Schemas } from '../../../typescript/typed/index.js'
import { Status } from '../../design/index.js'
import { checkPage } from './page-links.js'
import type { CatalogState } from './catalog-state.js'
import type { CheckFacts } from './catalog-details.js'
import { CatalogPage, textColumn, type CatalogColumn, type CatalogListOptions } from './list.js'
import { STATUSES } from './summary.js'

const TOPICS = ['Check']
const WORST_FIRST = STATUSES.toReversed()

const COLUMNS: readonly CatalogColumn<CheckFacts>[] = [
  { title: 'Status', width: '6rem', cell: ({ status }) => <Status of={status} /> },
  {
    title: 'Check',
    width: 'minmax(5rem, 2fr)',
    isTitle: true,
    cell: check => <a href={checkPage(check)}>{check.name || check.id}</a>,
    text: ({ name }) => name
  },
  textColumn('Service', ({ serviceId, serviceName }) => serviceName || serviceId || 'node'),
  textColumn('Node', ({ node }) => node),
  textColumn('Output', ({ output }) => output, { width: 'minmax(8rem, 4fr)', isWide: true })
]

const worstFirst = ({ checks }: CatalogState, ids: readonly string[]): readonly string[] =>
  WORST_FIRST.flatMap(status => ids.filter(id => checks.get(id)?.status === status))

type Found = Schemas['HealthCheck']

const OPTIONS: CatalogListOptions<CheckFacts, Found> = {
  title: 'Checks',
  what: ['check', 'checks'],
  columns: COLUMNS,
  idsOf: ({ checks }) => checks.ids,
  rowOf: ({ checks }, id) => checks.get(id),
  statusOf: ({ status }) => status,
  textsOf: ({ name, id, serviceName, node, output }) => [name, id, serviceName, node, output],
  sort: worstFirst
}

export const ChecksPage = () => (
  <CatalogPage<CheckFacts, Found>
    topics={TOPICS}
    optionsFor={query => ({
      ...OPTIONS,
      filter: {
        example: 'Output contains "timeout"',
        path: '/v1/health/state/any',
        query,
        idOf: ({ Node, CheckID }) => JSON.stringify([Node, CheckID]),
        idOfRow: ({ node, id }) => JSON.stringify([node, id])
      }
    })}
  />
)
