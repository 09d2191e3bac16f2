import { readFileSync, writeFileSync } from 'node:fs'
import test from 'ava'
import { receiver, status } from '../../support/webhook-receiver.js'
import { until } from '../../support/wait.js'
import { createPolicy, createToken, secretWith } from '../support.js'
import {
  waitForDelivery,
  hookOf,
  hookServer,
  inTime,
  lastOf,
  PATH,
  putHook,
  readHook,
  cursorPositionOf,
  write
} from './support.js'

const READER = 'key_prefix "load/" { policy = "read" }'
const OPERATOR = `${READER}\noperator = "write"`

test('a cursor with a URL needs operator:write beside the rights of its topics', async t => {
  const server = await hookServer(t)
  const reader = await secretWith(server, 'reader', READER)
  const operator = await secretWith(server, 'operator', OPERATOR)
  const blind = await secretWith(server, 'blind', 'operator = "write"')
  const URL = 'http://127.0.0.1:9/'
  const refused = await putHook(server, { URL }, reader)
  t.is(refused.status, 403)
  t.regex(refused.text, /lacks permission 'operator:write'/)
  const unseeing = await putHook(server, { URL }, blind)
  t.is(unseeing.status, 403)
  t.regex(unseeing.text, /lacks permission 'key:read' on "load\/"/)
  t.is((await putHook(server, {}, reader)).status, 200)
  t.is((await putHook(server, { URL }, reader)).status, 403)
  const taken = hookOf(await putHook(server, { URL }, operator))
  t.is(taken.URL, URL)
  t.is((await putHook(server, {}, reader)).status, 403, 'it belongs to who said where its events go')
})

test('a URL that cannot be one of a webhook is refused with field and rule, and nothing is changed', async t => {
  const server = await hookServer(t)
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ URL: 'hooks' }, /^Invalid Cursor: URL must be an absolute URL/],
    [{ URL: 'ftp://127.0.0.1/' }, /^Invalid Cursor: URL must begin with http:\/\/ or https:\/\//],
    [{ URL: 'http://a:b@127.0.0.1/' }, /^Invalid Cursor: URL must hold no user name and no password/],
    [
      { URL: 'http://10.0.0.1/' },
      /^Invalid Cursor: URL must lead to .*outgoing\.allow keeps requests from 10\.0\.0\.1/
    ],
    [{ URL: 'http://[::1]/' }, /^Invalid Cursor: URL must lead to .*outgoing\.allow/],
    [
      { URL: 'http://127.0.0.1/', Secret: 'short' },
      /^Invalid Cursor: Secret must be whsec_ and 24 to 64 bytes/
    ],
    [
      { Secret: `whsec_${Buffer.alloc(32).toString('base64')}` },
      /^Invalid Cursor: Secret must not be given without URL/
    ],
    [{ URL: 7 }, /URL/]
  ]
  for (const [body, text] of wrong) {
    const answer = await putHook(server, body)
    t.is(answer.status, 400, JSON.stringify(body))
    t.regex(answer.text, text)
  }
  t.is((await server.send('GET', PATH)).status, 404)
})

test('without outgoing.allow webhooks go to public addresses alone', async t => {
  const server = await hookServer(t, { config: { outgoing: {} } })
  for (const host of ['127.0.0.1', 'localhost', '192.168.1.1', '169.254.169.254'])
    t.is((await putHook(server, { URL: `http://${host}/` })).status, 400, host)
})

test('where a webhook may not go any more it is not sent to, and the cursor says so', async t => {
  const hook = await receiver(t)
  const server = await hookServer(t)
  const { Secret = '' } = hookOf(await putHook(server, { URL: hook.url }))
  const allow = async (network: string): Promise<void> => {
    const config = JSON.parse(readFileSync(server.file, 'utf8'))
    writeFileSync(server.file, JSON.stringify({ ...config, outgoing: { allow: [network] } }))
    await server.app.reload.run()
  }
  await allow('10.0.0.0/8')
  const [first = 0] = await write(server, 'load/a')
  const reason = await until('it has failed', async () => (await readHook(server)).Delivery?.LastError)
  t.is(reason, 'outgoing.allow keeps requests from 127.0.0.1')
  t.is(hook.calls.length, 0)
  await allow('127.0.0.1')
  await inTime(server, 'it has arrived', () => waitForDelivery(hook, Secret)[0] === first)
})

test('a webhook whose owner loses the permissions stops, reports it, and continues when they are restored', async t => {
  const hook = await receiver(t)
  const server = await hookServer(t)
  const ID = await createPolicy(server, 'owner', OPERATOR)
  const { SecretID, AccessorID } = await createToken(server, { Policies: [{ ID }] })
  const { Secret = '', Owner } = hookOf(await putHook(server, { URL: hook.url }, SecretID))
  t.is(Owner, AccessorID)
  const [first = 0] = await write(server, 'load/a')
  await until('it has arrived', () => waitForDelivery(hook, Secret).length === 1)
  await cursorPositionOf(server, first)
  const rules = (Rules: string) =>
    server.send('PUT', `/v1/acl/policy/${ID}`, { body: { Name: 'owner', Rules } })
  t.is((await rules('operator = "write"')).status, 200)
  const stopped = await until('it has stopped', async () => {
    const { Delivery } = await readHook(server)
    return Delivery?.State === 'stopped' && Delivery
  })
  t.regex(stopped.LastError ?? '', /rights|key:read/)
  const [second = 0] = await write(server, 'load/b')
  for (let i = 0; i < 20; i++) server.advance(60_000)
  t.is(hook.calls.length, 1)
  t.is((await rules(OPERATOR)).status, 200)
  await inTime(server, 'it continues', () => waitForDelivery(hook, Secret).includes(second))
  t.deepEqual(waitForDelivery(hook, Secret), [first, second])
})

test('a webhook whose owner is gone stops and says so', async t => {
  const hook = await receiver(t)
  const server = await hookServer(t)
  const ID = await createPolicy(server, 'owner', OPERATOR)
  const { SecretID, AccessorID } = await createToken(server, { Policies: [{ ID }] })
  hookOf(await putHook(server, { URL: hook.url }, SecretID))
  t.is((await server.send('DELETE', `/v1/acl/token/${AccessorID}`)).status, 200)
  await until('it has stopped', async () => (await readHook(server)).Delivery?.State === 'stopped')
  await write(server, 'load/a')
  t.is(hook.calls.length, 0)
  const { Secret } = hookOf(await putHook(server, { URL: hook.url }))
  t.is(Secret, '<hidden>')
  await until('it continues with another owner', () => hook.calls.length === 1)
})

test('a batch that waits for a retry is selected again after the permissions of the owner have changed', async t => {
  const hook = await receiver(t)
  const server = await hookServer(t)
  const ID = await createPolicy(server, 'owner', OPERATOR)
  const { SecretID } = await createToken(server, { Policies: [{ ID }] })
  const { Secret = '' } = hookOf(await putHook(server, { URL: hook.url }, SecretID))
  hook.answer(status(500))
  await write(server, 'load/hidden/a', 'load/b')
  await until('an attempt has failed', async () => (await readHook(server)).Delivery?.State === 'waiting')
  const body = { Name: 'owner', Rules: `${OPERATOR}\nkey_prefix "load/hidden/" { policy = "deny" }` }
  t.is((await server.send('PUT', `/v1/acl/policy/${ID}`, { body })).status, 200)
  const before = hook.calls.length
  hook.answer(status(204))
  await inTime(server, 'what may be seen has arrived', () =>
    hook.calls.slice(before).some(({ text }) => text.includes('load/b'))
  )
  for (const { text } of hook.calls.slice(before)) t.false(text.includes('load/hidden/a'))
  t.truthy(lastOf(hook, Secret))
})
