// The rights of tokens on a replica while the server that authenticates them cannot be reached.
import test from 'ava'
import { createPolicy, createToken } from '../../http/support.js'
import { publishing } from '../../support/published-log.js'
import { replicaInProcess, sourceAt } from '../../support/replica.js'
import { ROOT } from '../../support/server.js'

const HOUR = 3_600_000
const UNKNOWN = '77777777-2222-3333-4444-555555555555'

for (const [downPolicy, later, unknown] of [
  ['extend-cache', 200, 403],
  ['deny', 403, 403],
  ['allow', 200, 200]
] as const)
  test(`${downPolicy}: a token that the source resolved is answered with ${later} when it cannot be asked again`, async t => {
    const { server, vkey, growTo } = await publishing(t)
    const ID = await createPolicy(server, 'reads', 'key_prefix "" { policy = "read" }')
    const { SecretID: token } = await createToken(server, { Policies: [{ ID }] })
    await server.send('PUT', '/v1/kv/a', { body: 'x' })
    const size = server.app.log.durableIndex
    await growTo(size)
    const source = sourceAt(server.base)
    const replica = await replicaInProcess(t, { source, vkey, tokens: server.base, downPolicy })
    await replica.shows(size)
    const read = async (of: string): Promise<number> =>
      (await replica.send('GET', '/v1/kv/a', { token: of })).status
    t.is(await read(token), 200)
    t.is(await read(ROOT), 200)
    t.is(await read(UNKNOWN), 403)
    await server.close()
    t.is(await read(token), 200, 'the resolution is cached')
    replica.advance(HOUR)
    t.is(await read(token), later)
    t.is(await read(UNKNOWN), unknown)
  })
