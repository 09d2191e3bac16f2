// A replica is not ready before it has caught up.
import { once } from 'node:events'
import test from 'ava'
import type { ReplicaSource } from '../../../server/replica/replica-source.js'
import { publishing } from '../../support/published-log.js'
import { replicaInProcess, sourceAt } from '../../support/replica.js'
import { until } from '../../support/wait.js'

test('a replica is not ready before it has caught up, and says why', async t => {
  const { server, vkey, growTo } = await publishing(t)
  await growTo(40)
  const size = server.app.log.durableIndex
  const at = sourceAt(server.base)
  const opening = new AbortController()
  const slow: ReplicaSource = {
    ...at,
    records: async function* (from, head) {
      for await (const records of at.records(from, head)) {
        if (!opening.signal.aborted) await once(opening.signal, 'abort')
        yield records
      }
    }
  }
  const replica = await replicaInProcess(t, { source: slow, vkey, tokens: undefined })
  const readiness = async () => {
    const { status, text } = await replica.send('GET', '/readyz', {})
    const { Reasons = [] }: { readonly Reasons?: readonly string[] } = JSON.parse(text)
    return { status, reason: Reasons.join() }
  }
  const before = await until('the checkpoint of the source is known', async () => {
    const shown = await readiness()
    return shown.reason.includes('0 of the ') ? shown : undefined
  })
  t.deepEqual(before, {
    status: 503,
    reason: `this replica shows 0 of the ${size} commits that ${at.files.place} has signed`
  })
  opening.abort()
  await until('the replica is ready', async () => (await readiness()).status === 200)
  t.deepEqual(await readiness(), { status: 200, reason: '' })
})
