// Keys that are held as locks, and who holds them.
import { useState } from 'preact/hooks'
import { useTenancy } from '../../../session/tenancy.js'
import { List, type ListColumn } from '../../../parts/list.js'
import { Refusal } from '../../../parts/refusal.js'
import { SearchHeader } from '../../../parts/search-header.js'
import { StreamNotice } from '../../../parts/stream-notice.js'
import { fieldsOf, textOf } from '../../../things/kind.js'
import { HELD, holderOf } from '../../../things/locks.js'
import type { ThingRow } from '../../../live/worker/protocol.js'
import { keyAddress } from '../entry.js'
import { Since } from '../key/holder.js'
import { nameOfSession, sessionAddress, useSessionInfo } from './session-link.js'
import { useAllowedThings } from '../../../live/use-allowed-things.js'

const COLUMNS: readonly ListColumn[] = [
  { title: 'Key', width: 'minmax(0, 3fr)' },
  { title: 'Held by', width: 'minmax(0, 4fr)' },
  { title: 'Since', width: '13rem', isWide: true },
  { title: 'Times held', width: '6rem', isWide: true }
]

const spaceOfRow = ({ event: { Namespace, Partition = 'default' } }: ThingRow) => ({
  ns: Namespace,
  partition: Partition
})

/** The session that holds a lock, and how long it holds it. */
const HeldBy = ({ row }: { readonly row: ThingRow }) => {
  const space = spaceOfRow(row)
  const id = holderOf(fieldsOf(row.event.Payload))
  const session = useSessionInfo(id, space)
  return (
    <>
      <a href={sessionAddress(space, id)} title={id}>
        {nameOfSession(id, session)}
      </a>
      {session && (
        <span class="index">
          {' '}
          on {textOf(session['Node'])},{' '}
          {textOf(session['TTL']) ? `TTL ${textOf(session['TTL'])}` : 'without TTL'},{' '}
          {textOf(session['Behavior'])}s
        </span>
      )}
    </>
  )
}

const cellOf = (row: ThingRow, column: number) => {
  const { Key, Payload } = row.event
  const { LockIndex, ModifyIndex } = fieldsOf(Payload)
  switch (column) {
    case 0:
      return <a href={keyAddress(spaceOfRow(row), Key)}>{Key}</a>
    case 1:
      return <HeldBy row={row} />
    case 2:
      return <Since name={Key} space={spaceOfRow(row)} index={Number(ModifyIndex)} />
    default:
      return textOf(LockIndex)
  }
}

export const LocksPage = () => {
  const { ofStream } = useTenancy()
  const [search, setSearch] = useState('')
  const things = useAllowedThings({ listing: 'locks', filter: HELD, search, ...ofStream })
  return (
    <main>
      <SearchHeader title="Locks" search={setSearch} />
      <Refusal text={things.denied} />
      <StreamNotice state={things.state} count={things.count} total={things.total} what="locks" />
      <List
        label="Locks"
        columns={COLUMNS}
        listed={things}
        cell={cellOf}
        titleOf={({ cells }, column) => (column < 2 ? (cells[column] ?? '') : '')}
      />
    </main>
  )
}
