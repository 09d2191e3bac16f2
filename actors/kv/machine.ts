// The life of a KV entry: whether it is there, and whether a session holds it.
import { setup } from 'xstate'
import { isKvEvent, KV_TOPIC, type KvEvent } from '../../events/kv.js'
import type { Event } from '../../events/envelope.js'
import type { Views } from '../../projections/views.js'
import type { Life } from '../aggregate.js'

interface Happening {
  readonly type: KvEvent['Type']
  readonly event: KvEvent
}

const kvMachine = setup({ types: { events: {} as Happening } }).createMachine({
  id: KV_TOPIC,
  initial: 'absent',
  states: {
    absent: { on: { KVSet: 'free', KVLock: 'held' } },
    free: { on: { KVSet: 'free', KVLock: 'held', KVDelete: 'absent' } },
    held: { on: { KVSet: 'held', KVLock: 'held', KVUnlock: 'free', KVDelete: 'absent' } }
  }
})

const stateOf = (views: Views, event: Event): 'absent' | 'free' | 'held' => {
  if (!isKvEvent(event)) return 'absent'
  const row = views.kv.get({ partition: event.Partition, namespace: event.Namespace }, event.Key)
  if (!row) return 'absent'
  return row.session === '' ? 'free' : 'held'
}

export const kvLife: Life = {
  topic: KV_TOPIC,
  machine: kvMachine,
  stateOf,
  restoredBy: (views, wanted) => {
    if (!isKvEvent(wanted)) return wanted
    const { Session, ...entry } = wanted.Payload.KV
    // A lock comes back only with the session that holds it.
    if (Session !== undefined && views.sessions.get(Session)) return { ...wanted, Type: 'KVLock' }
    const Type = stateOf(views, wanted) === 'held' ? 'KVUnlock' : 'KVSet'
    return { ...wanted, Type, Payload: { KV: entry } }
  }
}
