import type { Schemas } from '../../../typescript/typed/index.js'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { useResources } from '../../live/use-resources.js'
import { Breadcrumbs, Heading, SearchHeader } from '../../design/index.js'
import { queryKind } from '../../resources/kinds.js'
import { ResourceRows } from '../resource-list-page.js'
import { send } from '../send.js'
import { parseExact } from '../../session/exact-json.js'
import { queryAddress, NEW_DEFINITION } from './query.js'
import { ExecuteQuery } from './execute-query.js'
import { useRoute } from '../../session/use-action.js'
import { QueryForm } from './query-view.js'

const NewQuery = () => {
  const [text, setText] = useState(NEW_DEFINITION)
  const route = useRoute()
  const save = async (reason: string): Promise<void> => {
    const answer = await send('POST', '/v1/query', { body: parseExact(text), reason })
    const { ID } = await answer.json<Schemas['QueryID']>()
    route(queryAddress(ID))
  }
  return (
    <main class="resource">
      <Breadcrumbs links={[['/ui/queries', 'Prepared queries']]} />
      <Heading>Create prepared query</Heading>
      <QueryForm value={text} change={setText} isSavable={text !== NEW_DEFINITION} save={save} />
    </main>
  )
}

const Queries = () => {
  const [search, setSearch] = useState('')
  const resources = useResources({ listing: 'queries', search })
  return (
    <main>
      <SearchHeader title="Prepared queries" search={setSearch} />
      <p class="choices">
        <a class="button" href="/ui/queries?new=query">
          Create prepared query
        </a>
      </p>
      <details>
        <summary>Find the query for a name</summary>
        <ExecuteQuery name="" isOpen />
      </details>
      <ResourceRows kind={queryKind} resources={resources} />
    </main>
  )
}

export const QueriesPage = () => (useLocation().query['new'] === undefined ? <Queries /> : <NewQuery />)
