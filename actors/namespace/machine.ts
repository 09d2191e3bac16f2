// The life of a namespace. Commands let only its end follow its mark; a restored snapshot may set every state.
import { setup } from 'xstate'
import { isNamespaceEvent, NAMESPACE_TOPIC, type NamespaceEvent } from '../../events/namespace.js'
import type { Life } from '../aggregate.js'

interface Happening {
  readonly type: NamespaceEvent['Type']
  readonly event: NamespaceEvent
}

const isMarked = ({ event }: Happening): boolean => event.Payload.Namespace.DeletedAt !== undefined
const isBuiltin = ({ event }: Happening): boolean => event.Key === 'default' && event.Partition === 'default'

const upserted = [
  { target: 'live', guard: 'isUnmarked' },
  { target: 'deleting', guard: 'isMarkable' }
] as const

const namespaceMachine = setup({
  types: { events: {} as Happening },
  guards: {
    isUnmarked: ({ event }) => !isMarked(event),
    isMarkable: ({ event }) => isMarked(event) && !isBuiltin(event)
  }
}).createMachine({
  id: NAMESPACE_TOPIC,
  initial: 'absent',
  states: {
    absent: { on: { NamespaceUpserted: upserted } },
    live: { on: { NamespaceUpserted: upserted, NamespaceDeleted: 'absent' } },
    deleting: { on: { NamespaceUpserted: upserted, NamespaceDeleted: 'absent' } }
  }
})

export const namespaceLife: Life = {
  topic: NAMESPACE_TOPIC,
  machine: namespaceMachine,
  stateOf: (views, event) => {
    if (!isNamespaceEvent(event)) return 'absent'
    const row = views.namespaces.get({ partition: event.Partition, namespace: event.Key })
    return row ? (row.isEnding ? 'deleting' : 'live') : 'absent'
  }
}
