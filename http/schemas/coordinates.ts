// Network coordinates in bodies and responses (spec: state.md §9).
import * as Type from 'typebox'
import { integer, strict, text, sample, view } from './view.js'

const COORD = { Vec: [0, 0, 0, 0, 0, 0, 0, 0], Error: 1.5, Adjustment: 0, Height: 0.00001 }
const numberField = (description: string) => Type.Optional(Type.Number({ description }))

export const coordinateBody = strict(
  {
    Datacenter: text('Datacenter of the node, which executes the request; the own one unless given'),
    Node: text('Node that it is of'),
    Segment: text('Network segment'),
    Partition: text('Partition of the node'),
    Coord: Type.Optional(
      strict({
        Vec: Type.Optional(Type.Array(Type.Number())),
        Error: numberField('Confidence'),
        Adjustment: numberField('Seconds'),
        Height: numberField('Seconds')
      })
    ),
    CreateIndex: integer('Ignored'),
    ModifyIndex: integer('Ignored')
  },
  { $id: 'CoordinateInput', examples: [{ Node: 'node-1', Coord: COORD }] }
)

/** The network coordinate of a node. */
export const coord = Type.Object(
  {
    Vec: Type.Array(Type.Number()),
    Error: Type.Number(),
    Adjustment: Type.Number({ description: 'Seconds' }),
    Height: Type.Number({ description: 'Seconds' })
  },
  { $id: 'Coord', examples: [COORD] }
)

export const coordinate = view('Coordinate', {
  Node: sample.text('node-1'),
  Segment: sample.text(''),
  Coord: sample.of(COORD, coord)
})

/** The coordinates of the servers of a datacenter. */
export const datacenterCoordinates = view('DatacenterCoordinates', {
  Datacenter: Type.String({ examples: ['dc1'] }),
  AreaID: Type.String({ examples: ['wan'] }),
  Coordinates: Type.Array(coordinate)
})
