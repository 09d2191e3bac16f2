// Any server of a cluster takes change sets.
import test from 'ava'
import { pairOfServers } from '../../../server/cluster/members/pair.js'
import { actionsOf, apply, EVERY_KIND } from './change-sets.js'

test('a change set that a follower receives is decided by the leader, as are its plan and its revert', async t => {
  const { leader, follower } = await pairOfServers(t)
  const set = { ID: 'set', Owner: 'o', Changes: EVERY_KIND }
  const planned = await apply(t, follower, set, '?dry-run')
  t.true(planned.Changes.every(({ Action }) => Action === 'create'))
  const { Index } = await apply(t, follower, set)
  t.is(leader.app.views.index, Index ?? 0)
  t.true(actionsOf(await apply(t, follower, set, '?dry-run')).every(action => action.startsWith('none ')))
  const { status, text } = await follower.send('POST', '/v1/changes/set/revert')
  t.is(status, 200, text)
  t.is((await leader.send('GET', '/v1/kv/web/port')).status, 404)
})
