import test from 'ava'
import { Refusal } from '../../../actors/refusal.js'
import { isCursorMoved } from '../../../events/cursor.js'
import type { Commit } from '../../../events/envelope.js'
import { until } from '../../support/wait.js'
import { systemWithCursors } from './cursors.js'

const missing = { instanceOf: Refusal, message: /Cursor "gone" does not exist/ }

test('all moves within a second are one commit, and are answered when it is on disk', async t => {
  const { positions, put, fill, advance, views, committer } = systemWithCursors(t)
  const commits: Commit[] = []
  for (const name of ['a', 'b', 'still']) await put(name)
  await fill(5)
  committer.signals.on('applied', commit => commits.push(commit))
  const answered: string[] = []
  const moves = [
    positions.advance('a', 5).then(() => answered.push('a to 5')),
    positions.advance('a', 7).then(() => answered.push('a to 7')),
    positions.moveFrom('b', 2, 6).then(isMoved => answered.push(`b: ${String(isMoved)}`))
  ]
  t.is(positions.of('a'), 7)
  await advance(999)
  t.deepEqual([commits, answered], [[], []])
  await advance(1)
  await Promise.all(moves)
  t.deepEqual(answered.toSorted(), ['a to 5', 'a to 7', 'b: true'])
  t.is(commits.length, 1)
  t.true(commits[0]?.Events.every(isCursorMoved))
  t.deepEqual(
    ['a', 'b', 'still'].map(name => views.cursors.get(name)?.Index),
    [7, 6, 3]
  )
})

test('a cursor is moved from where its reader believes it to be, or not at all', async t => {
  const { positions, put, fill, advance } = systemWithCursors(t)
  await put('a')
  await fill(9)
  const first = positions.moveFrom('a', 1, 5)
  const second = positions.moveFrom('a', 1, 6)
  const third = positions.moveFrom('a', 5, 4)
  await advance(1000)
  t.deepEqual(await Promise.all([first, second, third]), [true, false, true])
  t.is(positions.of('a'), 4)
})

test('an acknowledgement never moves a cursor back', async t => {
  const { positions, put, fill, advance, views } = systemWithCursors(t)
  await put('a')
  await fill(5)
  const ahead = positions.advance('a', 5)
  const behind = positions.advance('a', 3)
  await advance(1000)
  await Promise.all([ahead, behind])
  t.is(views.cursors.get('a')?.Index, 5)
})

test('there is no commit for having taken nothing but moves of cursors', async t => {
  const { positions, put, fill, advance, views } = systemWithCursors(t)
  await put('a')
  await fill(1)
  const taken = positions.advance('a', 2)
  await advance(1000)
  await taken
  t.is(views.index, 3)
  await positions.advance('a', 3)
  t.true(await positions.moveFrom('a', 3, 3))
  await advance(1000)
  t.is(views.index, 3)
  t.is(positions.of('a'), 3)
  await fill(1)
  const more = positions.moveFrom('a', 3, 4)
  await advance(1000)
  t.true(await more)
  t.is(views.cursors.get('a')?.Index, 4)
})

test('no cursor is moved that is not there, nor to where the log has nothing', async t => {
  const { positions, put } = systemWithCursors(t)
  await put('a')
  await t.throwsAsync(positions.advance('gone', 1), missing)
  await t.throwsAsync(positions.moveFrom('gone', 1, 1), missing)
  await t.throwsAsync(positions.advance('a', 2), { instanceOf: Refusal, message: /the log ends at commit 1/ })
  await t.throwsAsync(positions.moveFrom('a', 1, -1), { instanceOf: Refusal, message: /not be negative/ })
  t.is(positions.of('a'), 1)
})

test('moves of a cursor that is deleted, or put elsewhere, before they are committed come to nothing', async t => {
  const { positions, put, remove, fill, advance, views } = systemWithCursors(t)
  for (const name of ['gone', 'put']) await put(name)
  await fill(4)
  const ofDeleted = t.throwsAsync(positions.advance('gone', 4), missing)
  const overtaken = positions.moveFrom('put', 2, 4)
  await remove('gone')
  await put('put', { Index: 0 })
  await ofDeleted
  t.false(await overtaken)
  await advance(1000)
  t.is(views.cursors.get('put')?.Index, 0)
  await put('gone')
  t.is(positions.of('gone'), views.cursors.get('gone')?.Index)
})

test('a change of what a cursor is of leaves its moves alone', async t => {
  const { positions, put, fill, advance, views } = systemWithCursors(t)
  await put('a')
  await fill(4)
  const moved = positions.moveFrom('a', 1, 4)
  await put('a', { Topics: ['Node'] })
  await advance(1000)
  t.true(await moved)
  t.like(views.cursors.get('a'), { Index: 4, Topics: ['Node'] })
})

test('stopping the server commits waiting moves at once', async t => {
  const { positions, put, fill, views } = systemWithCursors(t)
  await put('a')
  await fill(4)
  const moved = positions.moveFrom('a', 1, 2)
  positions.stop()
  t.true(await moved)
  t.true(await positions.moveFrom('a', 2, 3))
  t.is(views.cursors.get('a')?.Index, 3)
})

test('what was not on disk when the log failed was not moved', async t => {
  const { positions, put, fill, committer, views } = systemWithCursors(t)
  await put('a')
  await fill(4)
  const moved = t.throwsAsync(positions.moveFrom('a', 1, 4), {
    instanceOf: Refusal,
    message: /was not moved/
  })
  await committer.rebuild()
  await moved
  await until(
    'the cursor stands where the log has it',
    () => positions.of('a') === views.cursors.get('a')?.Index
  )
  t.is(positions.of('a'), 1)
})
