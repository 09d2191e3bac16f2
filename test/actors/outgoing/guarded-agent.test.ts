import { createServer } from 'node:http'
import type { LookupAddress } from 'node:dns'
import test, { type ExecutionContext } from 'ava'
import { request } from 'undici'
import { DestinationRefused } from '../../../actors/outgoing/destinations.js'
import { guardedAgent } from '../../../actors/outgoing/guarded-agent.js'

const setUp = async (t: ExecutionContext, answers: readonly (readonly string[])[]) => {
  const server = createServer((_request, response) => void response.end('reached'))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  let asked = 0
  const agent = guardedAgent({
    mayReach: given => given === '127.0.0.1',
    setting: 'outgoing.allow',
    secureContext: undefined,
    resolve: (_host, _options, done) => {
      const found = answers[Math.min(asked++, answers.length - 1)] ?? []
      done(
        null,
        found.map((one): LookupAddress => ({ address: one, family: 4 }))
      )
    }
  })
  t.teardown(async () => {
    await agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  return {
    get: async (host: string): Promise<string> => {
      const { body } = await request(`http://${host}:${address.port}/`, { dispatcher: agent })
      return body.text()
    },
    asked: () => asked
  }
}

test('the address that was checked is the one connected to, whatever the name means a moment later', async t => {
  const { get, asked } = await setUp(t, [['127.0.0.1'], ['127.0.0.2']])
  t.is(await get('a.example'), 'reached')
  t.is(asked(), 1)
  await t.throwsAsync(get('b.example'), {
    instanceOf: DestinationRefused,
    message: /b\.example, 127\.0\.0\.2/
  })
})

test('of the addresses of a name only those are tried that are allowed', async t => {
  const { get } = await setUp(t, [['127.0.0.2', '127.0.0.1']])
  t.is(await get('a.example'), 'reached')
})

test('an address in the URL is checked in every form of writing', async t => {
  const { get, asked } = await setUp(t, [['127.0.0.1']])
  t.is(await get('127.0.0.1'), 'reached')
  t.is(await get('2130706433'), 'reached')
  for (const host of ['127.0.0.2', '0x7f000002', '[::1]', '[::ffff:127.0.0.2]'])
    await t.throwsAsync(get(host), { instanceOf: DestinationRefused }, host)
  t.is(asked(), 0)
})

test('a name that cannot be resolved fails its request alone, by the reason of the resolver', async t => {
  // As Node's own does it: without addresses.
  const failing = (_host: string, _options: object, done: (error: Error) => void): void =>
    done(new Error('getaddrinfo ENOTFOUND'))
  const agent = guardedAgent({
    mayReach: () => true,
    setting: 'outgoing.allow',
    secureContext: undefined,
    resolve: failing
  })
  t.teardown(() => agent.destroy())
  await t.throwsAsync(request('http://a.example/', { dispatcher: agent }), { message: /ENOTFOUND/ })
})
