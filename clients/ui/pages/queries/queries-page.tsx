import type { Schemas } from '../../../typescript/typed/index.js'
import { Breadcrumbs, Heading } from '../../design/index.js'
import { queryKind } from '../../resources/kinds.js'
import { ResourceListPage } from '../resource-list-page.js'
import { parseExact } from '../../session/exact-json.js'
import { queryAddress, NEW_DEFINITION } from './query.js'
import { ExecuteQuery } from './execute-query.js'
import { useRoute } from '../../session/use-response.js'
import { QueryForm } from './query-view.js'
import { sendJson } from '../send.js'
import { useDraft } from '../../session/draft.js'

export const NewQueryPage = () => {
  const draft = useDraft({ text: NEW_DEFINITION }, 0)
  const route = useRoute()
  const save = async (reason: string): Promise<void> => {
    const write = { body: parseExact(draft.value.text), reason }
    route(queryAddress((await sendJson<Schemas['QueryID']>('POST', '/v1/query', write)).ID))
  }
  return (
    <main class="resource">
      <Breadcrumbs links={[['/ui/queries', 'Prepared queries']]} />
      <Heading>Create prepared query</Heading>
      <QueryForm draft={draft} definition={NEW_DEFINITION} save={save} />
    </main>
  )
}

export const QueriesPage = () => (
  <ResourceListPage
    kind={queryKind}
    hasNew
    controls={() => (
      <details>
        <summary>Find the query for a name</summary>
        <ExecuteQuery name="" isOpen />
      </details>
    )}
  />
)
