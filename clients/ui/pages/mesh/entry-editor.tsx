// A configuration entry besides its versions: an editor of what it is now, and its end.
import type { Query } from '../../../typescript/connection.js'
import { ConfirmButton } from '../../components/confirm-button.js'
import { Refusal } from '../../components/notice.js'
import { reasonHeaders } from '../../session/reason.js'
import { client } from '../../session/session.js'
import { useBlockingQuery } from '../../session/use-response.js'
import type { Fields } from '../../resources/kind.js'
import { versionViewFor } from '../../resources/versions.js'
import type { PanelProps } from '../resource/panel-props.js'
import { EntryForm } from './entry-form.js'

/** What people write of an entry. */
const writtenOf = ({ CreateIndex: _made, ModifyIndex: _changed, ...entry }: Fields): Fields => entry

interface DeletionProps {
  readonly path: string
  readonly name: string
  readonly query: Query
  readonly index: number
}

const Deletion = ({ path, name, query, index }: DeletionProps) => (
  <ConfirmButton
    label="Delete"
    title={`Delete ${name}?`}
    action={async reason => {
      const sent = { query: { ...query, cas: index }, headers: reasonHeaders(reason) }
      const answer = await client.value.connection.request('DELETE', path, sent)
      if (!(await answer.json<boolean>())) throw new Error('It was changed meanwhile: nothing was deleted.')
    }}
  >
    <p>What it says no longer counts. The server refuses it where other entries need it.</p>
  </ConfirmButton>
)

export const EntryEditor = ({ named }: PanelProps) => {
  const { key, ns, partition } = named
  const [kind = '', ...rest] = String(key).split('/')
  const name = rest.join('/')
  const query = { ns, partition }
  const path = `/v1/config/${kind}/${encodeURIComponent(name)}`
  const { value, failure } = useBlockingQuery<Fields>(path, query)
  const index = Number(value?.['ModifyIndex'])
  return (
    <>
      <h2>Edit</h2>
      <Refusal text={failure} />
      {value && (
        <>
          <EntryForm saved={{ text: versionViewFor(writtenOf(value)), index }} query={query} />
          <div class="deletion">
            <Deletion path={path} name={`${kind} ${name}`} query={query} index={index} />
          </div>
        </>
      )}
    </>
  )
}
