// The life of a node's coordinate.
import { setup } from 'xstate'
import { COORDINATE_TOPIC, isCoordinateEvent, type CoordinateEvent } from '../../events/coordinate.js'
import type { Life } from '../aggregate.js'

interface Happening {
  readonly type: CoordinateEvent['Type']
  readonly event: CoordinateEvent
}

const coordinateMachine = setup({ types: { events: {} as Happening } }).createMachine({
  id: COORDINATE_TOPIC,
  initial: 'absent',
  states: {
    // A transaction may remove a node, make it again and remove it once more.
    absent: { on: { CoordinateUpdated: 'known', CoordinateDeleted: 'absent' } },
    known: { on: { CoordinateUpdated: 'known', CoordinateDeleted: 'absent' } }
  }
})

export const coordinateLife: Life = {
  topic: COORDINATE_TOPIC,
  machine: coordinateMachine,
  stateOf: (views, event) => {
    if (!isCoordinateEvent(event)) return 'absent'
    const { Node, Segment } = event.Payload.Coordinate
    return views.coordinates.of(event.Partition, Node)?.has(Segment) ? 'known' : 'absent'
  }
}
