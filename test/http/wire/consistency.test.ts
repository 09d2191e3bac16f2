// Contradicting consistency modes.
import test from 'ava'
import { allRoutes } from '../../support/routes.js'
import { serverInProcess } from '../../support/server.js'

test('every read that declares consistency modes rejects stale together with consistent', async t => {
  const server = await serverInProcess(t)
  const accepting: string[] = []
  const reads = allRoutes.filter(
    ({ method, consistency = 'none' }) => method === 'GET' && consistency !== 'none'
  )
  for (const { path } of reads) {
    const named = path.replace(':kind', 'service-defaults').replaceAll(/[:*]\w+/g, 'x')
    for (const token of [undefined, server.settings.acl.tokens.initial_management]) {
      const { status, text } = await server.send('GET', `${named}?stale&consistent`, { token })
      if (status !== 400 || text !== 'Cannot specify ?stale with ?consistent, conflicting semantics.')
        accepting.push(`${path}: ${status} ${text}`)
    }
  }
  t.deepEqual(accepting, [])
  for (const path of [
    'acl/tokens/last-used',
    'partitions',
    'partition/:name',
    'event/cursors',
    'event/moment'
  ])
    t.true(reads.some(route => route.path === `/v1/${path}`))
})
