// A custom test that asserts on events: a lock is released when its session expires.
import test from 'ava'
import { given } from 'annals/testing'

test('a lock is free again when its holder is silent for the TTL', async t => {
  await using server = await given().server()
  const response = await server.fetch('/v1/session/create', { method: 'PUT', body: '{"TTL":"30s"}' })
  const { ID }: { ID: string } = JSON.parse(await response.text())
  await server.fetch(`/v1/kv/leader?acquire=${ID}`, { method: 'PUT', body: 'worker-1' })

  server.advance(120_000)

  const { By, Events } = await server.log.commitWith({ Topic: 'KV', Type: 'KVUnlock', Key: 'leader' })
  t.is(By.AccessorID, '', 'the server expired it')
  t.true(Events.some(({ Topic, Key }) => Topic === 'Session' && Key === ID))
})
