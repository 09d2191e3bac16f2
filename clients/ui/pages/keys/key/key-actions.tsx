// What is done with a whole key: copied, renamed, deleted, released.
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { Query } from '../../../../typescript/connection.js'
import { ConfirmButton } from '../../../components/confirm-button.js'
import { reasonHeaders } from '../../../session/reason.js'
import { client } from '../../../session/session.js'
import { textOf, type Fields } from '../../../resources/kind.js'
import { folderAddress, folderOf, keyAddress, flagsOf, kvPath, keySpaceOf } from '../entry.js'
import { transact } from '../transact.js'

interface Props {
  readonly entry: Fields
  readonly named: Query
}

/** A field for the name that a key gets. */
const NewName = ({ value, change }: { readonly value: string; readonly change: (name: string) => void }) => (
  <label>
    New name
    <input value={value} onInput={({ currentTarget }) => change(currentTarget.value)} />
  </label>
)

export const KeyActions = ({ entry, named }: Props) => {
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
    const answer = await client.value.connection.request('DELETE', kvPath(key), {
      query: { ...space, cas: Number(ModifyIndex) },
      headers: reasonHeaders(reason)
    })
    if (!(await answer.json<boolean>())) throw new Error('It was changed meanwhile: nothing was deleted.')
    route(folderAddress(space, folderOf(key)))
  }
  return (
    <>
      <ConfirmButton label="Copy" title={`Copy ${key}`} action={copy} isHarmless>
        <NewName value={name} change={setName} />
      </ConfirmButton>
      <ConfirmButton label="Rename" title={`Rename ${key}`} action={rename} disabled={isHeld} isHarmless>
        <NewName value={name} change={setName} />
      </ConfirmButton>
      <ConfirmButton label="Delete" title={`Delete ${key}?`} action={remove}>
        {isHeld && 'It is held as a lock, and its holder is not notified.'}
      </ConfirmButton>
    </>
  )
}
