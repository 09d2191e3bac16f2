// Coordinates that follow what is measured.
import test from 'ava'
import { distance, VivaldiCoordinate, ORIGIN } from '../../../projections/catalog/vivaldi.js'
import { seeded } from '../../support/random.js'

test('servers that measure each other come to lie as far apart as the times say', t => {
  const numbers = seeded(7)
  const random = (): number => numbers.next()
  // Where they really are, in seconds; each has a way of its own to the network besides.
  const real = [
    [0, 0, 0.001],
    [0.08, 0, 0.002],
    [0, 0.12, 0.001],
    [0.09, 0.13, 0.004]
  ] as const
  const seconds = (a: number, b: number): number => {
    const [[ax, ay, ah], [bx, by, bh]] = [real[a] ?? real[0], real[b] ?? real[0]]
    return Math.hypot(ax - bx, ay - by) + ah + bh
  }
  const coords = real.map(() => new VivaldiCoordinate(random))
  t.deepEqual(coords[0]?.coord, ORIGIN)
  for (let round = 0; round < 3000; round++)
    for (const [a, one] of coords.entries())
      for (const [b, other] of coords.entries())
        // Each time is a little longer or shorter.
        if (a !== b) one.observe(other.coord, seconds(a, b) * (0.95 + random() / 10))
  for (const [a, one] of coords.entries())
    for (const [b, other] of coords.entries()) {
      if (a === b) continue
      const [estimated, is] = [distance(one.coord, other.coord), seconds(a, b)]
      t.true(Math.abs(estimated - is) < is * 0.15, `${a} to ${b}: ${estimated} in place of ${is}`)
    }
  for (const { coord } of coords) {
    t.is(coord.Vec.length, 8)
    t.true(coord.Error < 0.3, String(coord.Error))
    t.true(coord.Height >= ORIGIN.Height)
  }
})
