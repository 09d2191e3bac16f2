// Decisions on the network coordinates of nodes (spec: state.md §9).
import test from 'ava'
import { coordinateAggregate, coordinateEvent, type CoordinateUpdate } from '../../actors/coordinate.js'
import type { Coordinate } from '../../events/node.js'
import { nodeInput, registered } from '../support/catalog.js'
import { command, given } from '../support/decision-spec.js'

const node = registered(nodeInput('n'))
const at = (first: number, parts: Partial<Coordinate> = {}): Coordinate => ({
  Node: 'n',
  Segment: '',
  Coord: { Vec: [first, 0, 0, 0, 0, 0, 0, 0], Error: 1.5, Adjustment: 0, Height: 1e-5 },
  ...parts
})
const update = (...coordinates: readonly Coordinate[]) =>
  command('UpdateCoordinates', {
    updates: coordinates.map((coordinate): CoordinateUpdate => ({ partition: 'default', coordinate }))
  })
const known = (coordinate: Coordinate) => coordinateEvent('CoordinateUpdated', 'default', coordinate)

test('a coordinate of a node is stored as given', t =>
  given(...node)
    .when(coordinateAggregate, update(at(1)))
    .gives(t, ['CoordinateUpdated n/', { Coordinate: at(1) }]))

test('a coordinate of an unknown node is dropped, those beside it are not', t =>
  given(...node)
    .when(coordinateAggregate, update(at(1, { Node: 'm' }), at(2)))
    .gives(t, ['CoordinateUpdated n/', { Coordinate: at(2) }]))

test('a node of another partition is unknown', t =>
  given(...node)
    .when(
      coordinateAggregate,
      command('UpdateCoordinates', { updates: [{ partition: 'west', coordinate: at(1) }] })
    )
    .gives(t))

test('a node is found in any letter case, and has one coordinate', t =>
  given(...node, known(at(1)))
    .when(coordinateAggregate, update(at(2, { Node: 'N' })))
    .gives(t, ['CoordinateUpdated n/', { Coordinate: at(2, { Node: 'N' }) }]))

test('a node that has not moved stays as it is', t =>
  given(...node, known(at(1)))
    .when(coordinateAggregate, update(at(1)))
    .gives(t))

test('each network segment of a node has a coordinate of its own', t =>
  given(...node, known(at(1)))
    .when(coordinateAggregate, update(at(1, { Segment: 'lan' })))
    .gives(t, ['CoordinateUpdated n/lan', { Coordinate: at(1, { Segment: 'lan' }) }]))
