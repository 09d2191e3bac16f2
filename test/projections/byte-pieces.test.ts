// Texts in pieces.
import test from 'ava'
import fc from 'fast-check'
import { BytePieces } from '../../projections/byte-pieces.js'

test('pieces are the text that their texts are together, however it is put together', t => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), texts => {
      const whole = texts.join('')
      const pieces = new BytePieces(texts.map(text => Buffer.from(text)))
      t.is(pieces.length, Buffer.byteLength(whole))
      t.is(pieces.toString(), whole)
      t.deepEqual(pieces.toBuffer(), Buffer.from(whole))
    })
  )
})
