// The editor of a key, which never overwrites concurrent changes.
import { useState } from 'preact/hooks'
import { announce, Badge, ConfirmButton, DraftEditor, Field } from '../../../design/index.js'
import { useRoute } from '../../../session/use-response.js'
import { textOf } from '../../../resources/kind.js'
import type { PanelProps, ResourceView } from '../../resource/resource-view.js'
import { sendIfUnchanged } from '../../send.js'
import { folderAddress, folderOf, kvPath, valueOf, keyAddress, flagsOf, transact } from '../entry.js'
import { bytesOf, draftOf, readable } from './draft.js'
import { LockHolder } from './lock-holder.js'
import { ValueEditor } from './value-editor.js'
import { useDraft } from '../../../session/draft.js'

const KeyActions = ({ fields, id: key, place: space }: PanelProps) => {
  const { Key, Value, Session, ModifyIndex } = fields
  const Flags = flagsOf(fields)
  const [name, setName] = useState(key)
  const route = useRoute()
  const isHeld = textOf(Session) !== ''
  /** @param verb checks the index of the key, or deletes it */
  const copy = (title: string, verb: 'check-index' | 'delete-cas', disabled = false) => (
    <ConfirmButton
      label={`${title} key`}
      title={`${title} ${key}`}
      action={reason => {
        const copied = { Verb: 'set', Key: name, Value, Flags }
        const original = { Verb: verb, Key, Index: ModifyIndex }
        return transact(space, [{ Verb: 'check-not-exists', Key: name }, copied, original], reason)
      }}
      done={() => route(keyAddress(space, name))}
      disabled={disabled}
      isHarmless
    >
      <Field label="New name" value={name} change={setName} />
    </ConfirmButton>
  )
  const remove = async (reason: string): Promise<void> => {
    await sendIfUnchanged('DELETE', kvPath(key), { query: { ...space, cas: Number(ModifyIndex) }, reason })
    route(folderAddress(space, folderOf(key)))
  }
  return (
    <>
      {copy('Copy', 'check-index')}
      {copy('Rename', 'delete-cas', isHeld)}
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
      >
        <ValueEditor draft={value} change={draft.change} />
      </DraftEditor>
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
