// Keys that are held, and sessions with the keys that each holds.
import { stateOf, type Listing } from './listing.js'
import { field, fieldsOf, textOf, type Fields } from './kind.js'

/** Of all events of keys those by which one is held or let go: so nobody reads a million keys to see ten locks. */
export const HELD = 'Topic == "KV" and (Payload.KV.Session != "" or Type == "KVUnlock" or Type == "KVDelete")'

/** The same for the keys that one session holds. @param id of the session, as it was spelled when it was made */
export const heldBy = (id: string): string => HELD.replace('!= ""', `== ${JSON.stringify(id)}`)

/** The session that holds a key; empty for none. */
export const holderOf = (key: Fields): string => textOf(key['Session'])

interface LockRow {
  fields: Fields
}

/** Held keys alone. */
export const locks: Listing<LockRow> = {
  topics: ['KV'],
  columns: [field('Key'), field('Session'), field('LockIndex')].map(({ title, text }) => ({
    title,
    text: ({ fields }: LockRow) => text(fields)
  })),
  groups: {
    initial: { fields: {} },
    rowOf: thing => {
      const { Namespace, Partition = '', Key } = thing
      return holderOf(fieldsOf(thing.Payload)) === ''
        ? undefined
        : JSON.stringify([Partition, Namespace, Key])
    },
    fold: (row, _before, now) => {
      if (now) row.fields = stateOf(now)
    }
  }
}

export interface SessionRow {
  session: Fields
  keys: string[]
}

/** Sessions, each with the names of the keys that it holds. */
export const sessions: Listing<SessionRow> = {
  topics: ['Session', 'KV'],
  columns: [
    { title: 'Name', text: ({ session }, id) => textOf(session['Name']) || id },
    { title: 'ID', text: (_row, id) => id },
    { title: 'Node', text: ({ session }) => textOf(session['Node']) },
    { title: 'TTL', text: ({ session }) => textOf(session['TTL']) },
    { title: 'Behavior', text: ({ session }) => textOf(session['Behavior']) },
    {
      title: 'Holds',
      text: ({ keys }) => keys.join(', '),
      order: ({ keys }) => String(keys.length).padStart(9, '0')
    }
  ],
  groups: {
    initial: { session: {}, keys: [] },
    rowOf: ({ Topic, Key, Payload }) =>
      (Topic === 'Session' ? Key : holderOf(fieldsOf(Payload))).toLowerCase() || undefined,
    fold: (row, before, now) => {
      const { Topic, Key } = now ?? before ?? { Topic: '', Key: '' }
      if (Topic === 'Session') row.session = now ? stateOf(now) : {}
      else if (!now) row.keys = row.keys.filter(name => name !== Key)
      else if (!before) row.keys = [...row.keys, Key].toSorted()
    }
  }
}
