import test from 'ava'
import fc from 'fast-check'
import { indentedJson } from '../../../http/wire/indented-json.js'
import { runAtOnce } from '../../../projections/steps.js'
import { BytePieces } from '../../../projections/byte-pieces.js'

const indent = (pieces: readonly Uint8Array[]): string =>
  runAtOnce(indentedJson(new BytePieces(pieces))).toString()

/** Cuts bytes into pieces of these lengths, over and over. */
const cut = (bytes: Buffer, lengths: readonly number[]): readonly Buffer[] => {
  const pieces: Buffer[] = []
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const length = lengths[i % lengths.length] ?? 1
    pieces.push(bytes.subarray(at, at + length))
    at += length
  }
  return pieces
}

test('any JSON text is indented like JSON.stringify does, in whatever pieces it comes', t => {
  const lengths = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 })
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), lengths, fc.boolean(), (value, sizes, isSpaced) => {
      const text = JSON.stringify(value, undefined, isSpaced ? ' \t' : undefined)
      const expected = `${JSON.stringify(value, undefined, 4)}\n`
      return indent(cut(Buffer.from(text), sizes)) === expected
    })
  )
  t.pass()
})

test('numbers beyond 2^53 and the order of members stay as they are', t => {
  const text = '{"b":18446744073709551615,"10":1.50,"2":[{},[],"a\\\\\\"[{:,"]}'
  t.is(
    indent([Buffer.from(text)]),
    [
      '{',
      '    "b": 18446744073709551615,',
      '    "10": 1.50,',
      '    "2": [',
      '        {},',
      '        [],',
      '        "a\\\\\\"[{:,"',
      '    ]',
      '}',
      ''
    ].join('\n')
  )
})
