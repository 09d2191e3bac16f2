import test from 'ava'
import fc from 'fast-check'
import { denial, readDenial } from '../../../http/wire/denial.js'
import { runs } from '../../support/property-runs.js'

test('the text of a denial says who lacks what, on what and where', t => {
  const denied = {
    accessor: 'a',
    permission: 'key:write',
    on: 'x',
    tenancy: { partition: 'p', namespace: 'n' }
  }
  t.is(
    denial(denied).message,
    `Permission denied: token with AccessorID 'a' lacks permission 'key:write' on "x" in namespace "n" of partition "p"`
  )
})

test('a denial can be parsed from its text, whatever the name of the resource', t => {
  const name = fc.oneof(fc.constantFrom('', 'default'), fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/))
  const on = fc.oneof(
    fc.constant(null),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('everything', '*', 'a" in namespace "b', '"', '\\', '\\"', "'")
  )
  fc.assert(
    fc.property(fc.uuid(), on, name, name, (accessor, segment, partition, namespace) => {
      const denied = { accessor, permission: 'key:write', on: segment, tenancy: { partition, namespace } }
      t.deepEqual(readDenial(denial(denied).message), denied)
    }),
    { numRuns: runs(500) }
  )
  t.is(readDenial('something else'), undefined)
})
