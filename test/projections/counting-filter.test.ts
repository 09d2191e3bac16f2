import test from 'ava'
import fc from 'fast-check'
import { CountingFilter, hashOf } from '../../projections/watch.js'

test('whatever is in it, it may have; what was taken out as often as put in, it does not have', t => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.array(fc.string()), (staying, leaving) => {
      const filter = new CountingFilter()
      for (const text of [...staying, ...leaving]) filter.add(hashOf(text))
      for (const text of leaving) filter.remove(hashOf(text))
      if (!staying.every(text => filter.mayHave(hashOf(text)))) return false
      for (const text of staying) filter.remove(hashOf(text))
      return [...staying, ...leaving].every(text => !filter.mayHave(hashOf(text)))
    })
  )
  t.pass()
})

test('the hash of a text is that of its rest after its beginning', t => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.string(),
      (beginning, rest) => hashOf(beginning + rest) === hashOf(rest, hashOf(beginning))
    )
  )
  t.pass()
})

test('a slot that many share forgets nothing', t => {
  const filter = new CountingFilter()
  const hash = hashOf('a')
  for (let i = 0; i < 300; i++) filter.add(hash)
  for (let i = 0; i < 299; i++) filter.remove(hash)
  t.true(filter.mayHave(hash))
})

test('few of the texts outside pass for one inside', t => {
  const filter = new CountingFilter()
  for (let i = 0; i < 10_000; i++) filter.add(hashOf(`kv/default/default/waited/${i}`))
  let wrong = 0
  for (let i = 0; i < 10_000; i++) if (filter.mayHave(hashOf(`kv/default/default/other/${i}`))) wrong++
  t.true(wrong < 600, `${wrong} of 10,000`)
})
