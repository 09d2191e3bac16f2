// The life of a prepared query.
import { setup } from 'xstate'
import { isQueryEvent, QUERY_TOPIC, type QueryEvent } from '../../events/prepared-query.js'
import type { Life } from '../aggregate.js'

interface Happening {
  readonly type: QueryEvent['Type']
  readonly event: QueryEvent
}

const queryMachine = setup({ types: { events: {} as Happening } }).createMachine({
  id: QUERY_TOPIC,
  initial: 'absent',
  states: {
    absent: { on: { PreparedQueryUpserted: 'live' } },
    live: { on: { PreparedQueryUpserted: 'live', PreparedQueryDeleted: 'absent' } }
  }
})

export const queryLife: Life = {
  topic: QUERY_TOPIC,
  machine: queryMachine,
  stateOf: (views, event) => (isQueryEvent(event) && views.queries.get(event.Key) ? 'live' : 'absent')
}
