import { useState } from 'preact/hooks'
import { List, type ListColumn, SearchHeader, StreamNotice } from '../../../design/index.js'
import { ALL, useTenancy } from '../../../session/tenancy.js'
import { textOf } from '../../../resources/kind.js'
import { keyAddress } from '../entry.js'
import { KeyTime } from '../key/lock-holder.js'
import { nameOfSession, sessionAddress, useSessionInfo, useLocks, type Lock } from './use-locks.js'

const HeldBy = ({ lock: { session: id, space } }: { readonly lock: Lock }) => {
  const session = useSessionInfo(id, space)
  const ttl = textOf(session?.['TTL'])
  return (
    <>
      <a href={sessionAddress(space, id)} title={id}>
        {nameOfSession(id, session)}
      </a>
      {session && (
        <span class="index">
          {' '}
          on {textOf(session['Node'])}, {ttl ? `expires after ${ttl}` : 'does not expire'}
        </span>
      )}
    </>
  )
}

const COLUMNS: readonly ListColumn<Lock>[] = [
  {
    title: 'Key',
    width: 'minmax(0, 3fr)',
    cell: ({ key, space }) => <a href={keyAddress(space, key)}>{key}</a>,
    text: ({ key }) => key
  },
  { title: 'Held by', width: 'minmax(0, 4fr)', cell: lock => <HeldBy lock={lock} /> },
  {
    title: 'Since',
    width: '13rem',
    isWide: true,
    cell: ({ key, space, index }) => <KeyTime isOfLock name={key} space={space} index={index} />
  },
  { title: 'Times held', width: '7rem', isWide: true, cell: ({ lockIndex }) => lockIndex }
]

export const LocksPage = () => {
  const { ns, partition = 'default' } = useTenancy()
  const [search, setSearch] = useState('')
  const { locks, state, refusal } = useLocks({ ns, partition: partition === ALL ? 'default' : partition })
  const wanted = search.trim().toLowerCase()
  const found = wanted === '' ? locks : locks.filter(({ key }) => key.toLowerCase().includes(wanted))
  return (
    <main>
      <SearchHeader title="Locks" search={setSearch} />
      <StreamNotice
        state={state}
        count={found.length}
        total={locks.length}
        what={['lock', 'locks']}
        about="A lock is a key that a session holds, such as the lock of a leader. Clients acquire locks with PUT /v1/kv/KEY?acquire=SESSION."
        refusal={refusal}
      />
      <List
        label="Locks"
        columns={COLUMNS}
        listed={{ count: found.length, rowAt: place => found[place], see: () => {} }}
      />
    </main>
  )
}
