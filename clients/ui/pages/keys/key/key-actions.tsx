import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { Query } from '../../../../typescript/connection.js'
import { ConfirmButton, Field } from '../../../design/index.js'
import { textOf, type Fields } from '../../../resources/kind.js'
import { folderAddress, folderOf, keyAddress, flagsOf, kvPath, keySpaceOf } from '../entry.js'
import { sendIfUnchanged } from '../../send.js'
import { transact } from '../transact.js'

export const KeyActions = ({ entry, named }: { readonly entry: Fields; readonly named: Query }) => {
  const { Key, Value, Session, ModifyIndex } = entry
  const Flags = flagsOf(entry)
  const key = textOf(Key)
  const space = keySpaceOf(named)
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
