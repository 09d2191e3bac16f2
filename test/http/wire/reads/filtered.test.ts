import test from 'ava'
import { filteredHeaders, readable } from '../../../../http/wire/reads/filter.js'

const HEADER = ['X-Service-Results-Filtered-By-ACLs', 'true']
const requireToken = (): void => {}
const withToken = { presentedSecret: 'secret', requireToken }

test('a caller with a token learns that entries were left out', t => {
  t.deepEqual(
    readable(withToken, [1, 2, 3], n => n > 1),
    { entries: [2, 3], headers: HEADER }
  )
})

test('nothing left out means no header, never one that says false', t => {
  t.deepEqual(
    readable(withToken, [1, 2], () => true),
    { entries: [1, 2], headers: [] }
  )
  t.deepEqual(filteredHeaders(withToken, false), [])
})

test('a caller without a token does not learn it', t => {
  t.deepEqual(
    readable({ presentedSecret: undefined, requireToken }, [1, 2], () => false),
    { entries: [], headers: [] }
  )
})

test('an unknown token is refused also where there is nothing to list', t => {
  const unknown = {
    ...withToken,
    requireToken: (): void => {
      throw new Error('ACL not found')
    }
  }
  t.throws(() => readable(unknown, [], () => true), { message: 'ACL not found' })
})
