import { ConfirmButton } from '../../components/confirm-button.js'
import { Refusal } from '../../components/notice.js'
import { useBlockingQuery } from '../../session/use-response.js'
import type { Fields } from '../../resources/kind.js'
import { versionViewFor } from '../../resources/versions.js'
import type { PanelProps } from '../resource/panel-props.js'
import { sendIfUnchanged } from '../send.js'
import { EntryForm } from './entry-form.js'

const writtenOf = ({ CreateIndex: _made, ModifyIndex: _changed, ...entry }: Fields): Fields => entry

export const EntryEditor = ({ named }: PanelProps) => {
  const { key, ns, partition } = named
  const [kind = '', ...rest] = String(key).split('/')
  const name = rest.join('/')
  const query = { ns, partition }
  const path = `/v1/config/${kind}/${encodeURIComponent(name)}`
  const { value, failure } = useBlockingQuery<Fields>(path, query)
  const index = Number(value?.['ModifyIndex'])
  const remove = (reason: string): Promise<void> =>
    sendIfUnchanged(
      'DELETE',
      path,
      { query: { ...query, cas: index }, reason },
      'Not deleted: someone else changed it first.'
    )
  return (
    <>
      <h2>Edit</h2>
      <Refusal text={failure} />
      {value && (
        <>
          <EntryForm saved={{ text: versionViewFor(writtenOf(value)), index }} query={query} />
          <div class="deletion">
            <ConfirmButton label="Delete" title={`Delete ${kind} ${name}?`} action={remove}>
              <p>The server rejects the deletion if other entries depend on it.</p>
            </ConfirmButton>
          </div>
        </>
      )}
    </>
  )
}
