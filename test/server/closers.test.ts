import test from 'ava'
import { Closers } from '../../server/closers.js'

test('what was opened last is closed first, each once', async t => {
  const closed: string[] = []
  const closers = new Closers()
  closers.add(() => void closed.push('first'))
  closers.add(async () => void closed.push('second'))
  await closers.close()
  await closers.close()
  t.deepEqual(closed, ['second', 'first'])
})

test('a failure does not prevent further closing, and is reported at the end', async t => {
  const closed: string[] = []
  const closers = new Closers()
  closers.add(() => void closed.push('first'))
  closers.add(() => Promise.reject(new Error('cannot be closed')))
  closers.add(() => void closed.push('third'))
  await t.throwsAsync(closers.close(), { message: 'cannot be closed' })
  t.deepEqual(closed, ['third', 'first'])
})
