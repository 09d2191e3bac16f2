// The page that creates a key, or a folder: a key whose name ends with a slash.
import type { Place } from '../../../session/tenancy.js'
import { useState } from 'preact/hooks'
import { ActionForm, Field, Guard, Heading, ReasonInput, SubmitButton } from '../../../design/index.js'
import { sendIfUnchanged } from '../../send.js'
import { folderAddress, keyAddress, kvPath } from '../entry.js'
import { Crumbs } from '../folder/cells.js'
import { bytesOf, type Draft } from './draft.js'
import { useRoute } from '../../../session/use-response.js'
import { ValueEditor } from './value-editor.js'

const EMPTY: Draft = { text: '', type: 'text', withCarriageReturns: false, flags: '0' }

export const NewKey = ({ space, under }: { readonly space: Place; readonly under: string }) => {
  const [name, setName] = useState(under)
  const [draft, setDraft] = useState(EMPTY)
  const route = useRoute()
  const isFolder = name !== under && name.endsWith('/')
  const save = async (reason: string): Promise<void> => {
    const content = isFolder ? EMPTY : draft
    const query = { ...space, cas: 0, flags: content.flags }
    const write = { query, body: bytesOf(content), reason }
    await sendIfUnchanged('PUT', kvPath(name), write, 'Not created: the key already exists.')
    route(isFolder ? folderAddress(space, name) : keyAddress(space, name))
  }
  return (
    <main class="resource">
      <Crumbs space={space} path={under} />
      <Heading>Create key</Heading>
      <Guard resource="key" place={space}>
        <ActionForm class="fields wide-form" action={save}>
          <Field
            label="Name"
            hint="A slash separates folders. A name that ends with a slash creates an empty folder."
            value={name}
            change={setName}
          />
          {!isFolder && <ValueEditor draft={draft} change={setDraft} />}
          <p class="choices">
            <ReasonInput />
            <SubmitButton
              label={isFolder ? 'Create folder' : 'Create key'}
              class="primary"
              disabled={name === '' || name === under}
            />
            <a class="button" href={folderAddress(space, under)}>
              Cancel
            </a>
          </p>
        </ActionForm>
      </Guard>
    </main>
  )
}
