import test from 'ava'
import { parseTilePath, tilePath } from '../../../events/log/tree/tiles.js'

const PATHS = {
  '0/000': { level: 0, number: 0, width: 256 },
  '1/002.p/3': { level: 1, number: 2, width: 3 },
  '0/x001/x234/067': { level: 0, number: 1_234_067, width: 256 },
  '0/x001/000.p/255': { level: 0, number: 1000, width: 255 },
  '63/999': { level: 63, number: 999, width: 256 }
}

test('a tile has one path, as tlog-tiles says', t => {
  for (const [path, tile] of Object.entries(PATHS)) {
    t.is(tilePath(tile), path)
    t.deepEqual(parseTilePath(path), tile)
  }
})

for (const path of [
  '',
  '0',
  '00/000',
  '64/000',
  '-1/000',
  '0/0',
  '0/0000',
  '0/x000/001',
  '0/001/002',
  '0/x001',
  '0/001.p',
  '0/001.p/0',
  '0/001.p/256',
  '0/001.p/01',
  '0/001.q/1',
  '0/001/1',
  '0/x001.p/000',
  `0/${'x999/'.repeat(6)}999`
])
  test(`${JSON.stringify(path)} is no path of a tile`, t => t.is(parseTilePath(path), undefined))
