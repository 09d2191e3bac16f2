import type { Schemas } from '../../../typescript/typed/index.js'
import {
  announce,
  ConfirmButton,
  CodeEditor,
  DraftEditor,
  fieldOf,
  Refusal,
  Section
} from '../../design/index.js'
import { useResponse } from '../../session/use-response.js'
import { textIn, textOf, type Fields } from '../../resources/kind.js'
import type { PanelProps, ResourceView } from '../resource/resource-view.js'
import { parseExact } from '../../session/exact-json.js'
import { send, sendJson } from '../send.js'
import {
  calledBy,
  definitionOf,
  isTemplate,
  NEW_DEFINITION,
  queryPath,
  ExecuteQuery
} from './execute-query.js'
import { readJson } from '../../session/session.js'
import { type Draft, useDraft } from '../../session/draft.js'

interface Props {
  readonly draft: Draft<{ readonly text: string }>
  /** The stored definition; the initial one of a new query. */
  readonly definition: string
  readonly save: (reason: string) => Promise<void>
}

const QueryForm = ({ draft, definition, save }: Props) => {
  const { text } = draft.value
  return (
    <DraftEditor draft={draft} stored={{ text: definition }} save={save}>
      <CodeEditor label="Definition" language="json" {...fieldOf(draft, 'text')} />
      {text.includes('"<hidden>"') && (
        <p role="status">The token is hidden. Enter it again, or remove the field.</p>
      )}
    </DraftEditor>
  )
}

const New: ResourceView['New'] = ({ done }) => {
  const draft = useDraft({ text: NEW_DEFINITION }, 0)
  const save = async (reason: string): Promise<void> => {
    const write = { body: parseExact(draft.value.text), reason }
    done((await sendJson<Schemas['QueryID']>('POST', '/v1/query', write)).ID)
  }
  return <QueryForm draft={draft} definition={NEW_DEFINITION} save={save} />
}

const indexOf = (query: Fields): number => Number(query['ModifyIndex'])

const Editor = ({ query }: { readonly query: Fields }) => {
  const path = queryPath(textOf(query['ID']))
  const definition = definitionOf(query)
  const draft = useDraft({ text: definition }, indexOf(query))
  const save = async (reason: string): Promise<void> => {
    // The API has no check-and-set write for queries.
    const [stored] = await readJson<readonly Fields[]>(path)
    if (!stored || indexOf(stored) !== draft.base)
      throw new Error('Not saved: someone else changed it first.')
    await send('PUT', path, { body: parseExact(draft.value.text), reason })
    draft.discard()
    announce('Saved.')
  }
  return <QueryForm draft={draft} definition={definition} save={save} />
}

const DnsName = ({ query }: { readonly query: Fields }) => {
  const { value } = useResponse<{ readonly domain?: string }>('/v1/agent/configuration')
  const { domain } = value ?? {}
  const name = isTemplate(query) ? `${textOf(query['Name'])}*` : calledBy(query)
  return (
    <p>
      DNS name:{' '}
      <code>{domain === undefined ? `${name}.query` : `${name}.query.${domain.replace(/\.$/, '')}`}</code>
      {domain === undefined && ', in the domain of the server'}
    </p>
  )
}

const QueryPanel = ({ id, newest }: PanelProps) => {
  // Events do not contain its token. The server returns it only with permission.
  const { value, failure } = useResponse<readonly Fields[]>(queryPath(id), {}, newest.Index)
  const query = value?.[0]
  if (!query) return <Refusal text={failure} />
  return (
    <>
      <h2>{isTemplate(query) ? 'Test a name' : 'Run'}</h2>
      <DnsName query={query} />
      <ExecuteQuery name={isTemplate(query) ? '' : calledBy(query)} isOpen={isTemplate(query)} />
      <Section title="Definition" label="Query" failure={failure}>
        <Editor query={query} />
      </Section>
    </>
  )
}

const Delete = ({ id, fields }: PanelProps) => (
  <ConfirmButton
    label="Delete query"
    title={`Delete query ${calledBy(fields)}?`}
    action={reason => send('DELETE', queryPath(id), { reason })}
  />
)

export const queryView: ResourceView = {
  permission: ({ Name }) => ({ resource: 'query', segment: textOf(Name) }),
  summary: fields => [
    ['Type', isTemplate(fields) ? 'template' : 'query'],
    ['Service', textIn(fields['Service'], 'Service')],
    ['ID', textOf(fields['ID'])]
  ],
  New,
  Summary: QueryPanel,
  Actions: Delete
}
