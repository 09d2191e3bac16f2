import test from 'ava'
import fc from 'fast-check'
import { JsonList } from '../../../../http/wire/reads/json-list.js'

test('texts of JSON make the array of what they stand for, however small the guess was', t => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), fc.nat({ max: 100 }), (values, expected) => {
      const list = new JsonList(expected)
      for (const value of values) list.push(JSON.stringify(value))
      t.is(list.end().toString(), JSON.stringify(values))
    })
  )
})
