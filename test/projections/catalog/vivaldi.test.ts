import fc from 'fast-check'
import test from 'ava'
import type { Coord, Coordinate } from '../../../events/node.js'
import { runAtOnce } from '../../../projections/steps.js'
import { distance, nearestFirst } from '../../../projections/catalog/vivaldi.js'

const coord = (x: number, Height = 0, Adjustment = 0): Coord => ({
  Vec: [x, 0, 0, 0, 0, 0, 0, 0],
  Error: 1,
  Adjustment,
  Height
})
const at = (x: number, Segment = ''): ReadonlyMap<string, Coordinate> =>
  new Map([[Segment, { Node: 'n', Segment, Coord: coord(x) }]])

test('height adds to the distance on both sides, also from a node to itself', t => {
  t.is(distance(coord(0, 0.25), coord(1, 0.5)), 1.75)
  t.is(distance(coord(0, 0.25), coord(0, 0.25)), 0.5)
})

test('an adjustment shifts the distance unless that would make it 0 or less', t => {
  t.is(distance(coord(0, 0, -0.25), coord(1)), 0.75)
  t.is(distance(coord(0, 0, -2), coord(1)), 1)
})

test('the distance is the same both ways and never negative', t => {
  const number = fc.double({ min: -10, max: 10, noNaN: true })
  const height = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(number, number, height, height, (a, b, c, d) => {
      const there = distance(coord(a, c), coord(b, d))
      t.is(there, distance(coord(b, d), coord(a, c)))
      t.true(there >= 0)
    })
  )
})

test('rows equally far stay in their order, those without coordinates stand at the end', t => {
  const rows = ['far', 'nowhere', 'b', 'a', 'lost']
  const places = new Map([
    ['far', at(9)],
    ['a', at(1)],
    ['b', at(1)]
  ])
  t.deepEqual(runAtOnce(nearestFirst(rows, at(0), row => places.get(row))), [
    'b',
    'a',
    'far',
    'nowhere',
    'lost'
  ])
})

test('coordinates of different network segments are not compared', t => {
  t.deepEqual(
    runAtOnce(nearestFirst(['other', 'own'], at(0, 'x'), row => at(1, row === 'own' ? 'x' : 'y'))),
    ['own', 'other']
  )
})
