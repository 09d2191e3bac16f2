// What headers a request can have.
import test from 'ava'
import fc from 'fast-check'
import { canHave, filterOf } from '../../http/header-filter.js'

const name = fc.stringMatching(/^[A-Za-z0-9-]{1,30}$/)

test('a name that was put in is never left out, whatever its letter case', t => {
  fc.assert(
    fc.property(fc.array(fc.tuple(name, fc.string())), headers => {
      const filter = filterOf(headers.flat())
      for (const [given] of headers) t.true(canHave(filter, given.toLowerCase()), given)
    })
  )
})

test('names that clients send do not stand in the way of those that the server looks for', t => {
  const filter = filterOf(['Host', 'a', 'User-Agent', 'b', 'Accept', '*/*', 'X-Service-Token', 'c'])
  t.true(canHave(filter, 'x-service-token'))
  for (const absent of [
    'x-consul-token',
    'x-service-namespace',
    'x-consul-namespace',
    'x-service-partition',
    'x-consul-partition',
    'cache-control',
    'accept-encoding',
    'authorization'
  ])
    t.false(canHave(filter, absent), absent)
})
