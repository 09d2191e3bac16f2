import { useMemo, useState } from 'preact/hooks'
import type { Schemas } from '../../../typescript/typed/index.js'
import type { Query } from '../../../typescript/connection.js'
import { FilterField, Select } from '../../design/index.js'
import { catalogListings } from '../../resources/catalog/listings.js'
import { checkId, nodeId, STATUSES, checkFacts } from '../../resources/catalog/facts.js'
import type { Kind } from '../../resources/kind.js'
import { checks, nodes, services } from '../../resources/kinds.js'
import { useBlockingQuery } from '../../session/use-response.js'
import { useTenancy } from '../../session/tenancy.js'
import { ResourceListPage } from '../resource-list-page.js'

/** A list of the API that evaluates filter expressions. */
interface ServerFilter<F> {
  readonly example: string
  readonly path: string
  /** Returns the ID of the row of an element. */
  readonly idOf: (found: F) => string
}

/** Returns the filters of a list with their inputs. @param query of requests that filter it */
export const useFilters = <F,>(filter: ServerFilter<F> | undefined, query: Query) => {
  const [status, setStatus] = useState('')
  const [expression, setExpression] = useState('')
  const { value: passing, failure } = useBlockingQuery<readonly F[]>(
    expression === '' ? undefined : filter?.path,
    { ...query, filter: expression }
  )
  return {
    filters: { scope: status, only: useMemo(() => filter && passing?.map(filter.idOf), [passing]) },
    statusFilter: (
      <Select
        isLabelHidden
        label="Status"
        options={[['', 'any status'], ...STATUSES]}
        value={status}
        change={setStatus}
      />
    ),
    filterField: filter && <FilterField example={filter.example} failure={failure} change={setExpression} />
  }
}

interface Props<F> {
  readonly kind: Kind
  readonly filter?: ServerFilter<F>
}

const CatalogPage = <F,>({ kind, filter }: Props<F>) => {
  const { filters, statusFilter, filterField } = useFilters(filter, useTenancy().query)
  return (
    <ResourceListPage
      class="catalog"
      kind={kind}
      columns={catalogListings[kind.path]?.columns ?? []}
      {...filters}
      controls={() => filterField}
    >
      {statusFilter}
    </ResourceListPage>
  )
}

export const ServicesPage = () => <CatalogPage kind={services} />

const CHECK_FILTER: ServerFilter<Schemas['HealthCheck']> = {
  example: 'Output contains "timeout"',
  path: '/v1/health/state/any',
  idOf: check => checkId(checkFacts({ ...check }))
}

export const ChecksPage = () => <CatalogPage kind={checks} filter={CHECK_FILTER} />

const NODE_FILTER: ServerFilter<Schemas['Node']> = {
  example: 'Meta.rack == "r1"',
  path: '/v1/catalog/nodes',
  idOf: ({ Node: node, Partition: partition = 'default' }) => nodeId({ node, partition })
}

export const NodesPage = () => <CatalogPage kind={nodes} filter={NODE_FILTER} />
