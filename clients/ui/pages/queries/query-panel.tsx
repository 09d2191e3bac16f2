// What the page of a prepared query has besides: its definition to edit, and its runs.
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { ConfirmButton } from '../../components/confirm-button.js'
import { Refusal } from '../../components/notice.js'
import { SideBySide } from '../../components/side-by-side.js'
import { reasonHeaders } from '../../session/reason.js'
import { client } from '../../session/session.js'
import { useResponse } from '../../session/use-response.js'
import { fieldsOf, textOf, type Fields } from '../../resources/kind.js'
import type { PanelProps } from '../resource/panel-props.js'
import { bodyOf, calledBy, definitionOf, isTemplate, queryPath } from './query.js'
import { QueryForm } from './query-form.js'
import { ExecuteQuery } from './execute-query.js'

/** What is written, over which version. */
interface Edited {
  readonly text: string
  readonly base: Fields
}

const indexOf = (query: Fields): number => Number(query['ModifyIndex'])

const Editor = ({ query }: { readonly query: Fields }) => {
  const [edited, setEdited] = useState<Edited>()
  const { route } = useLocation()
  const path = queryPath(textOf(query['ID']))
  const { text, base } = edited ?? { text: definitionOf(query), base: query }
  const isOutdated = edited !== undefined && indexOf(base) !== indexOf(query)
  const save = async (headers: Readonly<Record<string, string>>): Promise<void> => {
    const { connection } = client.value
    // The server takes any version of a query over any other: at least what is known of it is looked at again.
    const [stored] = await (await connection.request('GET', path)).json<readonly Fields[]>()
    if (!stored || indexOf(stored) !== indexOf(base))
      throw new Error('It was changed meanwhile: nothing was stored.')
    await connection.request('PUT', path, { body: bodyOf(text), headers })
    setEdited(undefined)
  }
  const remove = async (reason: string): Promise<void> => {
    await client.value.connection.request('DELETE', path, { headers: reasonHeaders(reason) })
    route('/ui/queries')
  }
  return (
    <>
      {isOutdated && (
        <div role="group" aria-label="Conflict" class="confirm">
          <p role="alert" class="refused">
            Somebody has changed it meanwhile.
          </p>
          <SideBySide
            before={{ title: 'Theirs', text: definitionOf(query) }}
            after={{ title: 'Yours', text }}
          />
          <p class="choices">
            <button type="button" onClick={() => setEdited(undefined)}>
              Take theirs
            </button>
            <button type="button" onClick={() => setEdited({ text, base: query })}>
              Keep yours
            </button>
          </p>
        </div>
      )}
      <QueryForm
        value={text}
        change={changed => setEdited({ text: changed, base })}
        isSavable={edited !== undefined && text !== definitionOf(base) && !isOutdated}
        save={save}
      >
        <ConfirmButton label="Delete" title={`Delete query ${calledBy(query)}?`} action={remove} />
      </QueryForm>
    </>
  )
}

interface Configuration {
  readonly domain?: string
}

/** How a query is asked for over DNS. */
const DnsName = ({ query }: { readonly query: Fields }) => {
  const { value } = useResponse<Configuration>('/v1/agent/configuration')
  const { domain } = value ?? {}
  const name = isTemplate(query) ? `${textOf(query['Name'])}*` : calledBy(query)
  return (
    <p>
      Over DNS:{' '}
      <code>{domain === undefined ? `${name}.query` : `${name}.query.${domain.replace(/\.$/, '')}`}</code>
      {domain === undefined && ', in the domain of the server'}
    </p>
  )
}

export const QueryPanel = ({ newest, turn }: PanelProps) => {
  const { ID } = fieldsOf(newest.Payload ?? {})
  // Its token is in no event, and shown only to who may see it.
  const { value, failure } = useResponse<readonly Fields[]>(queryPath(textOf(ID)), {}, turn)
  const query = value?.[0]
  if (!query) return <Refusal text={failure} />
  return (
    <>
      <h2>{isTemplate(query) ? 'Try a name' : 'Run'}</h2>
      <DnsName query={query} />
      <ExecuteQuery name={isTemplate(query) ? '' : calledBy(query)} isOpen={isTemplate(query)} />
      <section aria-label="Query">
        <h2>Definition</h2>
        <Refusal text={failure} />
        <Editor query={query} />
      </section>
    </>
  )
}
