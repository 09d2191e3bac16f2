import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { createLogger } from '../../../server/telemetry/logging/logger.js'
import { LOGGER } from '../../../server/settings/ports.js'
import { secretOf } from '../../../actors/webhook/signature.js'
import { receiver, status } from '../../support/webhook-receiver.js'
import { temporaryFolder } from '../../support/process.js'
import { until } from '../../support/wait.js'
import { read } from '../stream/streams.js'
import {
  waitForDelivery,
  hookOf,
  hookServer,
  inTime,
  PATH,
  putHook,
  readHook,
  cursorPositionOf,
  write
} from './support.js'

test('a secret is shown once, when it is made, and nowhere else', async t => {
  const hook = await receiver(t)
  const logged: string[] = []
  const dataDir = temporaryFolder(t)
  const key = Buffer.alloc(32, 5).toString('base64')
  const webhook = { attempts: 2 }
  const server = await hookServer(t, {
    dataDir,
    config: { outgoing: { allow: ['127.0.0.1'] }, encryption: { key }, webhook },
    register: scope =>
      scope.registerInstance(
        LOGGER,
        createLogger({ log: { level: 'trace', pretty: false } }, { write: line => void logged.push(line) })
      )
  })
  const made = await putHook(server, { URL: hook.url })
  const { Secret = '' } = hookOf(made)
  t.regex(Secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const shown: string[] = []
  const ask = async (method: string, path: string, body?: object): Promise<void> => {
    const { text } = await server.send(method, path, body ? { body } : {})
    shown.push(text)
  }
  hook.answer(status(500))
  await write(server, 'load/a')
  await inTime(server, 'it is given up', async () => (await readHook(server)).DeadLetters === 1)
  hook.answer(status(204))
  const [last = 0] = await write(server, 'load/b')
  await cursorPositionOf(server, last)
  // Writing back what was read keeps the secret.
  await ask('PUT', PATH, JSON.parse((await server.send('GET', PATH)).text))
  await ask('PUT', PATH, { Topics: ['KV:load/'], URL: hook.url, Lease: '7s' })
  for (const path of [PATH, '/v1/event/cursors', '/v1/agent/metrics?format=prometheus', '/v1/agent/self'])
    await ask('GET', path)
  const reader = await read(t, server, 'topic=Cursor&index=1')
  await reader.upTo(server.app.log.durableIndex)
  shown.push(...reader.lines)
  t.true(shown.some(text => text.includes('"Secret":"<hidden>"')))
  t.true(shown.some(text => text.includes('CursorSkipped')))
  t.true(logged.some(line => line.includes('dead letter')))
  const stored = readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    .map(name => join(dataDir, name))
    .filter(path => statSync(path).isFile())
    .map(path => readFileSync(path, 'latin1'))
  const bare = Secret.slice('whsec_'.length, -1)
  for (const text of [...shown, ...logged, ...stored]) t.false(text.includes(bare))
  t.true(waitForDelivery(hook, Secret).includes(last))
})

test('a secret that is given is used, and not shown', async t => {
  const hook = await receiver(t)
  const server = await hookServer(t)
  const [one, other] = [secretOf(Buffer.alloc(24, 1)), secretOf(Buffer.alloc(64, 2))]
  t.is(hookOf(await putHook(server, { URL: hook.url, Secret: one })).Secret, '<hidden>')
  await write(server, 'load/a')
  await until('it has arrived', () => hook.calls.length === 1)
  t.is(waitForDelivery(hook, one).length, 1)
  t.is(hookOf(await putHook(server, { URL: hook.url, Secret: other })).Secret, '<hidden>')
  await write(server, 'load/b')
  const second = await until('the second has arrived', () =>
    hook.calls.find(({ text }) => text.includes('load/b'))
  )
  t.notThrows(() => hook.verified(second, other))
})
