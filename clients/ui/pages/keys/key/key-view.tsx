// The editor of a key, which never overwrites concurrent changes.
import { useState } from 'preact/hooks'
import {
  Button,
  announce,
  Badge,
  ReasonInput,
  Refusal,
  TextDiff,
  ConfirmButton,
  Field
} from '../../../design/index.js'
import { useAction } from '../../../session/use-action.js'
import { textOf, type Fields } from '../../../resources/kind.js'
import type { PanelProps, ResourceView } from '../../resource/resource-view.js'
import { sendIfUnchanged } from '../../send.js'
import { folderAddress, folderOf, kvPath, valueOf, keyAddress, flagsOf } from '../entry.js'
import { bytesOf, draftOf, type Content, type Draft, readable } from './draft.js'
import { LockHolder } from './lock-holder.js'
import { ValueEditor } from './value-editor.js'
import { applyPatch, createPatch } from 'diff'
import { useLocation } from 'preact-iso'
import { transact } from '../transact.js'

const KeyActions = ({ fields, id: key, place: space }: PanelProps) => {
  const { Key, Value, Session, ModifyIndex } = fields
  const Flags = flagsOf(fields)
  const [name, setName] = useState(key)
  const { route } = useLocation()
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
    const query = { ...space, cas: Number(ModifyIndex) }
    const failure = 'Not deleted: someone else changed it first.'
    await sendIfUnchanged('DELETE', kvPath(key), { query, reason }, failure)
    route(folderAddress(space, folderOf(key)))
  }
  return (
    <>
      <ConfirmButton label="Copy" title={`Copy ${key}`} action={copy} isHarmless>
        <Field label="New name" value={name} change={setName} />
      </ConfirmButton>
      <ConfirmButton label="Rename" title={`Rename ${key}`} action={rename} disabled={isHeld} isHarmless>
        <Field label="New name" value={name} change={setName} />
      </ConfirmButton>
      <ConfirmButton label="Delete" title={`Delete ${key}?`} action={remove}>
        {isHeld && 'It is held as a lock. Its holder is not notified.'}
      </ConfirmButton>
    </>
  )
}

interface Props {
  /** The version before both changes. */
  readonly was: Content
  readonly theirs: Content
  readonly yours: Draft
  readonly takeTheirs: () => void
  /** Continues with a text that replaces the other change. */
  readonly keep: (text: string) => void
}

const Conflict = ({ was, theirs, yours, takeTheirs, keep }: Props) => {
  const { type, text } = yours
  const before = readable(was, type)
  const now = readable(theirs, type)
  // Changes of the same lines cannot be merged.
  const both = applyPatch(text, createPatch('value', before, now))
  const flags = [was.flags, theirs.flags, yours.flags]
  return (
    <div role="group" aria-label="Conflict" class="confirm">
      <p role="alert" class="refused">
        Someone else changed it while you were editing.
      </p>
      <h3>Their change</h3>
      <TextDiff before={before} after={now} titles={['Before', 'Theirs']} />
      <h3>Your change</h3>
      <TextDiff before={before} after={text} titles={['Before', 'Yours']} />
      {new Set(flags).size > 1 && (
        <p>
          Flags: before {was.flags}, theirs {theirs.flags}, yours {yours.flags}.
        </p>
      )}
      <p class="choices">
        <Button label="Use their version" act={takeTheirs} />
        <Button label="Keep your version" act={() => keep(text)} />
        {both !== false && both !== text && both !== now && (
          <Button label="Merge both" act={() => keep(both)} />
        )}
      </p>
    </div>
  )
}

interface Stored extends Content {
  readonly index: number
}

const storedOf = (entry: Fields): Stored => ({
  bytes: valueOf(entry),
  flags: textOf(entry['Flags']),
  index: Number(entry['ModifyIndex'])
})

interface Edited {
  readonly draft: Draft
  readonly base: Stored
}

const KeyEditor = ({ fields: entry, id: key, place }: PanelProps) => {
  const stored = storedOf(entry)
  const [edited, setEdited] = useState<Edited>()
  const [reason, setReason] = useState('')
  const { failure, run } = useAction()
  const { draft, base } = edited ?? { draft: draftOf(stored), base: stored }
  const isOutdated = edited !== undefined && base.index !== stored.index
  const asStored = draftOf(base, undefined)
  const isSame = draft.type === asStored.type && draft.text === asStored.text && draft.flags === base.flags
  const save = (): void =>
    run(async () => {
      const query = { ...place, cas: base.index, flags: draft.flags }
      const write = { query, body: bytesOf(draft), reason }
      await sendIfUnchanged('PUT', kvPath(key), write, 'Not saved: someone else changed it first.')
      setEdited(undefined)
      setReason('')
      announce('Saved.')
    })
  return (
    <section aria-label="Editor">
      <h2>Value</h2>
      <LockHolder entry={entry} space={place} />
      <ValueEditor draft={draft} change={changed => setEdited({ draft: changed, base })} />
      {isOutdated && (
        <Conflict
          was={base}
          theirs={stored}
          yours={draft}
          takeTheirs={() => setEdited(undefined)}
          keep={text => setEdited({ draft: { ...draft, text }, base: stored })}
        />
      )}
      <p class="choices">
        <ReasonInput value={reason} change={setReason} />
        <Button
          label="Save"
          act={save}
          class="primary"
          disabled={edited === undefined || isSame || isOutdated}
        />
        {edited !== undefined && !isOutdated && <Button label="Discard" act={() => setEdited(undefined)} />}
      </p>
      <Refusal text={failure} />
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
