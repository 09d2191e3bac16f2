// Which commits show to whom.
import test from 'ava'
import { PendingWrites } from '../../actors/durability-barrier.js'
import type { Commit } from '../../events/envelope.js'

const commit = (Index: number, ...places: readonly string[]): Commit => ({
  Index,
  Time: '2026-01-01T00:00:00Z',
  By: { AccessorID: '', Address: '', RequestID: '', Command: 'Anything' },
  Events: places.map(place => {
    const [Partition = '', Namespace = ''] = place.split('/')
    return { Topic: 'T', Type: 'Happened', Key: 'k', Partition, Namespace, FilterKeys: null, Payload: {} }
  })
})

const at = (place: string) => {
  const [partition = '', namespace = ''] = place.split('/')
  return { partition, namespace }
}

const noted = (...commits: readonly Commit[]): PendingWrites => {
  const pending = new PendingWrites()
  for (const one of commits) pending.note(one)
  return pending
}

test('what happens inside one namespace shows there alone', t => {
  const pending = noted(commit(1, 'default/a', 'default/a'), commit(2, 'default/b'))
  t.is(pending.newestIn([at('default/a')]), 1)
  t.is(pending.newestIn([at('default/b')]), 2)
  t.is(pending.newestIn([at('default/a'), at('default/b')]), 2)
  t.is(pending.newestIn([at('default/c')]), 0)
})

test('the same name in another partition is another namespace', t => {
  const pending = noted(commit(1, 'p/a'))
  t.is(pending.newestIn([at('default/a')]), 0)
  t.is(pending.newestIn([at('p/a')]), 1)
})

test('what is in no namespace, in `default`, or in several shows everywhere', t => {
  for (const shared of [
    ['default/'],
    ['default/default'],
    ['p/default'],
    ['default/a', 'default/b'],
    ['default/a', 'p/a']
  ]) {
    const pending = noted(commit(1, ...shared))
    t.is(pending.newestIn([at('default/other')]), 1, shared.join(' '))
  }
})

test('what was noted before everything was on disk is forgotten', t => {
  const pending = noted(commit(1, 'default/a'), commit(2, 'default/default'))
  pending.clear()
  t.is(pending.newestIn([at('default/a')]), 0)
})
