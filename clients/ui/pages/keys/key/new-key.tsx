// A key that is not there yet, or a folder: a key whose name ends with a slash.
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Heading } from '../../../components/heading.js'
import { ReasonInput } from '../../../components/reason-input.js'
import { Refusal } from '../../../components/notice.js'
import { reasonHeaders } from '../../../session/reason.js'
import { client } from '../../../session/session.js'
import { useAction } from '../../../session/use-action.js'
import { folderAddress, keyAddress, kvPath, type KeySpace } from '../entry.js'
import { Crumbs } from '../folder/crumbs.js'
import { bytesOf, type Draft } from './draft.js'
import { ValueEditor } from './value-editor.js'

const EMPTY: Draft = { text: '', type: 'text', withCarriageReturns: false, flags: '0' }

interface Props {
  readonly space: KeySpace
  /** The folder that it is made in. */
  readonly under: string
}

export const NewKey = ({ space, under }: Props) => {
  const [name, setName] = useState(under)
  const [draft, setDraft] = useState(EMPTY)
  const [reason, setReason] = useState('')
  const { failure, run } = useAction()
  const { route } = useLocation()
  const isFolder = name !== under && name.endsWith('/')
  const save = (): void =>
    run(async () => {
      const content = isFolder ? EMPTY : draft
      const answer = await client.value.connection.request('PUT', kvPath(name), {
        query: { ...space, cas: 0, flags: content.flags },
        body: bytesOf(content),
        headers: reasonHeaders(reason)
      })
      if (!(await answer.json<boolean>())) throw new Error('There is such a key already: nothing was stored.')
      route(isFolder ? folderAddress(space, name) : keyAddress(space, name))
    })
  return (
    <main class="resource">
      <Crumbs space={space} path={under} />
      <Heading>New key</Heading>
      <form
        class="new-key"
        onSubmit={event => {
          event.preventDefault()
          save()
        }}
      >
        <label class="name">
          Name
          <input
            value={name}
            spellcheck={false}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
        <p role="status">Each / in the name makes a folder; a name that ends with / makes an empty one.</p>
        {!isFolder && <ValueEditor draft={draft} change={setDraft} />}
        <p class="choices">
          <ReasonInput value={reason} change={setReason} />
          <button type="submit" class="primary" disabled={name === '' || name === under}>
            {isFolder ? 'Make folder' : 'Save'}
          </button>
          <a class="button" href={folderAddress(space, under)}>
            Cancel
          </a>
        </p>
      </form>
      <Refusal text={failure} />
    </main>
  )
}
