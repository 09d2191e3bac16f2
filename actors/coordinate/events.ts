// Makes the events of coordinates.
import { COORDINATE_TOPIC, type Coordinate, type CoordinateEvent } from '../../events/coordinate.js'
import { makeEvent } from '../make-event.js'

/** Coordinates have no namespace. */
export const coordinateEvent = (
  type: CoordinateEvent['Type'],
  partition: string,
  coordinate: Coordinate
): CoordinateEvent => ({
  ...makeEvent({
    Topic: COORDINATE_TOPIC,
    Type: type,
    Key: `${coordinate.Node.toLowerCase()}/${coordinate.Segment}`,
    Payload: { Coordinate: coordinate }
  }),
  Partition: partition
})
