import {
  type Coordinate,
  COORDINATE_TOPIC,
  coordinateEvents,
  type CoordinateEvent,
  isCoordinateEvent
} from '../events/node.js'
import type { Aggregate, Command } from './aggregate.js'
import { lifecycleOf } from './lifecycle.js'
import { keyOnNode, splitKeyOnNode } from './ref.js'

export interface CoordinateUpdate {
  readonly partition: string
  readonly coordinate: Coordinate
}

/** Stores coordinates. Those of unknown nodes are dropped, and unchanged ones skipped. */
type UpdateCoordinates = Command<'UpdateCoordinates', { readonly updates: readonly CoordinateUpdate[] }>

export const coordinateAggregate: Aggregate<UpdateCoordinates> = {
  lifecycle: lifecycleOf<CoordinateEvent>({
    topic: COORDINATE_TOPIC,
    states: {
      // A transaction may delete a node, create it again and delete it once more.
      absent: { CoordinateUpdated: 'known', CoordinateDeleted: 'absent' },
      known: { CoordinateUpdated: 'known', CoordinateDeleted: 'absent' }
    },
    stateOf: ({ coordinates }, { partition, key }) => {
      const [node, segment] = splitKeyOnNode(key)
      return coordinates.of(partition, node)?.has(segment) ? 'known' : 'absent'
    },
    keyOf: event => {
      if (!isCoordinateEvent(event)) return event.Key
      const { Node, Segment } = event.Payload.Coordinate
      return keyOnNode(Node.toLowerCase(), Segment)
    }
  }),
  decide: ({ data }, views) =>
    data.updates.flatMap(({ partition, coordinate }) => {
      if (!views.catalog.node(partition, coordinate.Node)) return []
      const before = views.coordinates.of(partition, coordinate.Node)?.get(coordinate.Segment)
      if (before && JSON.stringify(before) === JSON.stringify(coordinate)) return []
      return [coordinateEvent('CoordinateUpdated', partition, coordinate)]
    })
}

export const coordinateEvent = (
  type: CoordinateEvent['Type'],
  partition: string,
  coordinate: Coordinate
): CoordinateEvent => coordinateEvents.create(type, { partition, namespace: '' }, coordinate)
