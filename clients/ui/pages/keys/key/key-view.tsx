// The editor of a key, which never overwrites concurrent changes.
import { useState } from 'preact/hooks'
import { announce, Badge, ConfirmButton, DraftEditor, Field } from '../../../design/index.js'
import { useRoute } from '../../../session/use-response.js'
import { textOf } from '../../../resources/kind.js'
import type { PanelProps, ResourceView } from '../../resource/resource-view.js'
import { sendIfUnchanged } from '../../send.js'
import { folderAddress, folderOf, kvPath, valueOf, keyAddress, flagsOf } from '../entry.js'
import { bytesOf, draftOf, readable } from './draft.js'
import { LockHolder } from './lock-holder.js'
import { ValueEditor } from './value-editor.js'
import { transact } from '../transact.js'
import { useDraft } from '../../../session/draft.js'

const KeyActions = ({ fields, id: key, place: space }: PanelProps) => {
  const { Key, Value, Session, ModifyIndex } = fields
  const Flags = flagsOf(fields)
  const [name, setName] = useState(key)
  const route = useRoute()
  const isHeld = textOf(Session) !== ''
  const copied = (): readonly object[] => [
    { Verb: 'check-not-exists', Key: name },
    { Verb: 'set', Key: name, Value, Flags }
  ]
  const copy = async (reason: string): Promise<void> => {
    await transact(space, [{ Verb: 'check-index', Key, Index: ModifyIndex }, ...copied()], reason)
    route(keyAddress(space, name))
  }
  const rename = async (reason: string): Promise<void> => {
    await transact(space, [...copied(), { Verb: 'delete-cas', Key, Index: ModifyIndex }], reason)
    route(keyAddress(space, name))
  }
  const remove = async (reason: string): Promise<void> => {
    await sendIfUnchanged('DELETE', kvPath(key), { query: { ...space, cas: Number(ModifyIndex) }, reason })
    route(folderAddress(space, folderOf(key)))
  }
  return (
    <>
      <ConfirmButton label="Copy key" title={`Copy ${key}`} action={copy} isHarmless>
        <Field label="New name" value={name} change={setName} />
      </ConfirmButton>
      <ConfirmButton label="Rename key" title={`Rename ${key}`} action={rename} disabled={isHeld} isHarmless>
        <Field label="New name" value={name} change={setName} />
      </ConfirmButton>
      <ConfirmButton label="Delete key" title={`Delete ${key}?`} action={remove}>
        {isHeld && 'It is held as a lock. Its holder is not notified.'}
      </ConfirmButton>
    </>
  )
}

const KeyEditor = ({ fields, id: key, place }: PanelProps) => {
  const stored = draftOf({ bytes: valueOf(fields), flags: textOf(fields['Flags']) })
  const draft = useDraft(stored, Number(fields['ModifyIndex']))
  const { value, original } = draft
  const { type, flags } = value
  const save = async (reason: string): Promise<void> => {
    const query = { ...place, cas: draft.base, flags }
    await sendIfUnchanged('PUT', kvPath(key), { query, body: bytesOf(value), reason })
    draft.discard()
    announce('Saved.')
  }
  return (
    <section aria-label="Editor">
      <LockHolder entry={fields} space={place} />
      <h2>Value</h2>
      <DraftEditor
        draft={draft}
        stored={stored}
        save={save}
        texts={[readable(original, type), readable(stored, type)]}
        differences={
          new Set([original.flags, stored.flags, flags]).size > 1 && (
            <p>
              Flags: before {original.flags}, theirs {stored.flags}, yours {flags}.
            </p>
          )
        }
        fields={<ValueEditor draft={value} change={draft.change} />}
      />
    </section>
  )
}

export const keyView: ResourceView = {
  permission: ({ Key }) => ({ resource: 'key', segment: textOf(Key) }),
  status: ({ Session }) => textOf(Session) !== '' && <Badge tone="warn">locked</Badge>,
  summary: (fields, place) => {
    const folder = folderOf(textOf(fields['Key']))
    return [['Folder', folder !== '' && <a href={folderAddress(place, folder)}>{folder}</a>]]
  },
  Summary: KeyEditor,
  Actions: KeyActions
}
