// The aggregate of coordinates.
import type { Coordinate } from '../../events/coordinate.js'
import type { Aggregate } from '../aggregate.js'
import type { Command } from '../command.js'
import { coordinateEvent } from './events.js'
import { coordinateLife } from './machine.js'

/** A coordinate of a node of this partition. */
export interface CoordinateUpdate {
  readonly partition: string
  readonly coordinate: Coordinate
}

/** Stores coordinates; those of unknown nodes are dropped, and those that did not move stay as they are. */
export type UpdateCoordinates = Command<
  'UpdateCoordinates',
  { readonly updates: readonly CoordinateUpdate[] }
>

export const coordinateAggregate: Aggregate<UpdateCoordinates> = {
  life: coordinateLife,
  decide: ({ data }, views) =>
    data.updates.flatMap(({ partition, coordinate }) => {
      if (!views.catalog.node(partition, coordinate.Node)) return []
      const before = views.coordinates.of(partition, coordinate.Node)?.get(coordinate.Segment)
      if (before && JSON.stringify(before) === JSON.stringify(coordinate)) return []
      return [coordinateEvent('CoordinateUpdated', partition, coordinate)]
    })
}
