import test from 'ava'
import fc from 'fast-check'
import { JsonList } from '../../../../http/wire/reads/json-list.js'

test('elements of any length make the array of their values', t => {
  const value = fc.tuple(fc.string({ unit: 'binary' }), fc.constantFrom(1, 1, 1, 3000, 400_000))
  fc.assert(
    fc.property(fc.array(fc.tuple(value, fc.boolean())), elements => {
      const values = elements.map(([[text, length]]) => text + 'x'.repeat(length))
      const list = new JsonList()
      for (const [i, text] of values.entries())
        if (elements[i]?.[1]) list.pushJoined(Buffer.from(JSON.stringify(text)))
        else list.push(JSON.stringify(text))
      t.is(list.isEmpty, values.length === 0)
      t.is(list.end().toString(), JSON.stringify(values))
    }),
    { numRuns: 30 }
  )
})
