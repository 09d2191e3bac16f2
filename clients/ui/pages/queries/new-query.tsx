// The form of a new prepared query.
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Heading } from '../../parts/heading.js'
import { client } from '../../session/session.js'
import { bodyOf, NEW_DEFINITION, queryAddress } from './query.js'
import { QueryForm } from './query-form.js'

export const NewQuery = () => {
  const [text, setText] = useState(NEW_DEFINITION)
  const { route } = useLocation()
  const save = async (headers: Readonly<Record<string, string>>): Promise<void> => {
    const answer = await client.value.connection.request('POST', '/v1/query', { body: bodyOf(text), headers })
    const { ID } = await answer.json<{ readonly ID: string }>()
    route(queryAddress(ID))
  }
  return (
    <main class="thing">
      <nav aria-label="Path">
        <a href="/ui/queries">Prepared queries</a>
      </nav>
      <Heading>New query</Heading>
      <QueryForm value={text} change={setText} isSavable={text !== NEW_DEFINITION} save={save}>
        <a class="button" href="/ui/queries">
          Cancel
        </a>
      </QueryForm>
    </main>
  )
}
