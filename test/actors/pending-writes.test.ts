// Which commits show to whom.
import test from 'ava'
import { Reach } from '../../actors/pending-writes.js'
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

const noted = (...commits: readonly Commit[]): Reach => {
  const reach = new Reach()
  for (const one of commits) reach.note(one)
  return reach
}

test('what happens inside one namespace shows there alone', t => {
  const reach = noted(commit(1, 'default/a', 'default/a'), commit(2, 'default/b'))
  t.is(reach.newestIn([at('default/a')]), 1)
  t.is(reach.newestIn([at('default/b')]), 2)
  t.is(reach.newestIn([at('default/a'), at('default/b')]), 2)
  t.is(reach.newestIn([at('default/c')]), 0)
})

test('the same name in another partition is another namespace', t => {
  const reach = noted(commit(1, 'p/a'))
  t.is(reach.newestIn([at('default/a')]), 0)
  t.is(reach.newestIn([at('p/a')]), 1)
})

test('what is in no namespace, in `default`, or in several shows everywhere', t => {
  for (const shared of [
    ['default/'],
    ['default/default'],
    ['p/default'],
    ['default/a', 'default/b'],
    ['default/a', 'p/a']
  ]) {
    const reach = noted(commit(1, ...shared))
    t.is(reach.newestIn([at('default/other')]), 1, shared.join(' '))
  }
})

test('what was noted before everything was on disk is forgotten', t => {
  const reach = noted(commit(1, 'default/a'), commit(2, 'default/default'))
  reach.clear()
  t.is(reach.newestIn([at('default/a')]), 0)
})
