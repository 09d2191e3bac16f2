import test from 'ava'
import { Connection } from '../../../clients/typescript/connection.js'
import { recordSource } from '../../../server/commands/server-source.js'
import { ROOT, serverInProcess } from '../../support/server.js'

test('a server sends records without compression, which takes it longer than everything else', async t => {
  const server = await serverInProcess(t)
  for (let i = 0; i < 20; i++) await server.send('PUT', `/v1/kv/key/${i}`, { body: 'x'.repeat(200) })
  const codings: (string | null)[] = []
  const connection = new Connection({
    address: server.base,
    token: ROOT,
    fetch: async (url, init) => {
      const response = await fetch(url, init)
      codings.push(response.headers.get('content-encoding'))
      return response
    }
  })
  await (await connection.request('GET', '/v1/kv/?recurse')).text()
  const records = await recordSource(connection).records(1)
  t.true(records.length > 4000)
  t.deepEqual(codings, ['gzip', null])
})
